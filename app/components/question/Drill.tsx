'use client';
import Link from 'next/link';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import blocks from '@/app/components/lesson/blocks.module.css';
import { Runner } from '@/app/components/runner/Runner';
import { loadGenerator } from '@/app/content/generator';
import { recordAnswer } from '@/app/progress/answers';
import type { Question } from '@/content/questions/kit/schema';
import { misconceptions } from '@/content/questions/misconceptions';
import { Inline } from './Inline';
import { PythonCode } from './PythonCode';
import styles from './question.module.css';

export interface DrillProps {
  readonly title: string;
  readonly first: Question;
  /** The first question's code, highlighted. */
  readonly firstHtml: string;
  readonly linked: boolean;
}

interface Tally {
  readonly right: number;
  readonly asked: number;
}

/** Loads the engine and the generator, and draws. */
async function draw(slug: string, seed: number): Promise<Question> {
  const [{ drawQuestion }, generator] = await Promise.all([
    import('@/content/questions/kit/draw'),
    loadGenerator(slug),
  ]);
  return drawQuestion(slug, generator, seed);
}

/** A prediction question: four options, each wrong one with the belief behind it; then another one. Digits choose, N goes on. */
export function Drill({ title, first, firstHtml, linked }: DrillProps) {
  const [question, setQuestion] = useState(first);
  const [chosen, setChosen] = useState<number>();
  const [tally, setTally] = useState<Tally>({ right: 0, asked: 0 });
  const [fault, setFault] = useState<string>();
  const [runs, setRuns] = useState(false);
  const root = useRef<HTMLElement>(null);
  const ask = useRef<HTMLParagraphElement>(null);
  const id = useId();
  const committed = chosen !== undefined;
  const slug = first.generator;

  const show = useCallback(
    async (seed: number) => {
      setFault(undefined);
      try {
        const next = await draw(slug, seed);
        setQuestion(next);
        setChosen(undefined);
        setRuns(false);
        return true;
      } catch {
        setFault('The next question could not be loaded. Are you offline?');
        return false;
      }
    },
    [slug],
  );

  const choose = (index: number) => {
    if (committed || index >= question.options.length) return;
    setChosen(index);
    const { misconception } = question.options[index];
    setTally(({ right, asked }) => ({ right: right + (misconception ? 0 : 1), asked: asked + 1 }));
    const avoided = question.options.flatMap((o) =>
      o.misconception && o.misconception !== misconception ? [o.misconception] : [],
    );
    void recordAnswer({
      generator: slug,
      seed: question.seed,
      misconception: misconception ?? null,
      avoided,
      at: Date.now(),
    });
  };

  const another = async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    if (!(await show(seed))) return;
    if (linked) history.replaceState(null, '', `#seed=${seed}`);
    ask.current?.focus();
  };

  useEffect(() => {
    if (!linked) return;
    const open = () => {
      const seed = Number(new URLSearchParams(location.hash.slice(1)).get('seed') ?? Number.NaN);
      if (Number.isSafeInteger(seed) && seed >= 0 && seed !== first.seed) void show(seed);
    };
    open();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [linked, first.seed, show]);

  // On the question's own page from anywhere, in a lesson while the question has the focus; keys that somebody types into code are theirs.
  const keys = useRef<(event: KeyboardEvent) => void>(undefined);
  keys.current = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (
      (event.target as HTMLElement).closest('[data-runner], dialog, input, textarea, select, [contenteditable="true"]')
    )
      return;
    if (/^[1-9]$/.test(event.key)) choose(Number(event.key) - 1);
    else if (event.key === 'n' && committed) void another();
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const element = linked ? document : root.current;
    const listen = (event: Event) => keys.current?.(event as KeyboardEvent);
    element?.addEventListener('keydown', listen);
    return () => element?.removeEventListener('keydown', listen);
  }, [linked]);

  const right = question.options.findIndex((o) => !o.misconception);
  return (
    <section
      ref={root}
      className={`${blocks.block} ${blocks.predict} ${styles.question}`}
      aria-labelledby={`${id}-title`}
      data-question={slug}
      data-seed={question.seed}
      data-answered={committed ? (chosen === right ? 'right' : 'wrong') : undefined}
    >
      <p id={`${id}-title`} className={blocks.label}>
        Predict: {title}
      </p>
      <p ref={ask} id={id} tabIndex={-1} className={styles.prompt}>
        <Inline text={question.prompt} />
      </p>
      {question === first ? (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own code, highlighted at build time
        <div className={styles.code} dangerouslySetInnerHTML={{ __html: firstHtml }} />
      ) : (
        <div className={styles.code}>
          <PythonCode code={question.code} />
        </div>
      )}
      <ol className={styles.options} aria-labelledby={id}>
        {question.options.map(({ text }, index) => {
          const verdict = committed ? (index === right ? 'right' : index === chosen ? 'wrong' : 'other') : 'open';
          return (
            <li key={text}>
              <button
                type="button"
                className={`button ${styles.option}`}
                data-verdict={verdict}
                aria-pressed={index === chosen}
                aria-disabled={committed}
                onClick={() => choose(index)}
              >
                <span className={styles.digit} aria-hidden="true">
                  {index + 1}
                </span>
                <span className={styles.text}>{text}</span>
                {verdict === 'right' ? <span className={styles.mark}>right</span> : null}
                {verdict === 'wrong' ? <span className={styles.mark}>your answer</span> : null}
              </button>
            </li>
          );
        })}
      </ol>
      <div className={styles.reveal} aria-live="polite">
        {committed ? <Verdict question={question} chosen={chosen} right={right} /> : null}
      </div>
      <noscript>
        <p>
          It prints <code>{first.options.find((o) => !o.misconception)?.text}</code>.{' '}
          <Inline text={first.options.find((o) => !o.misconception)?.because ?? ''} />
        </p>
      </noscript>
      <div className={styles.bar}>
        <button type="button" className="button" onClick={another}>
          Another one
        </button>
        {committed && !runs ? (
          <button type="button" className="button" onClick={() => setRuns(true)}>
            Run it here
          </button>
        ) : null}
        {tally.asked > 0 ? (
          <p className={styles.tally} role="status">
            {tally.right} of {tally.asked} right
          </p>
        ) : null}
      </div>
      {fault ? (
        <p role="alert" className={styles.fault}>
          {fault}
        </p>
      ) : null}
      {runs ? (
        <Runner
          key={question.seed}
          id={`question-${slug}-${question.seed}`}
          label="The question’s code"
          code={question.code}
        />
      ) : null}
    </section>
  );
}

/** What the choice says about what one believes, what is right, and what the other options would have meant. */
function Verdict({
  question,
  chosen,
  right,
}: {
  readonly question: Question;
  readonly chosen: number;
  readonly right: number;
}) {
  const mine = question.options[chosen];
  const answer = question.options[right];
  const others = question.options.filter((o) => o.misconception && o !== mine);
  return (
    <>
      {mine.misconception ? (
        <div className={styles.met} data-misconception={mine.misconception}>
          <p>
            <code>{mine.text}</code> is the answer of someone who believes:{' '}
            <q>{misconceptions[mine.misconception].belief}</q>
          </p>
          <p>
            <Inline text={mine.because} />{' '}
            <Link href={`/lessons/${misconceptions[mine.misconception].lesson}/`}>Read about it</Link>
          </p>
        </div>
      ) : null}
      <p className={styles.why}>
        <strong>{mine.misconception ? 'It prints' : 'Right:'}</strong> <code>{answer.text}</code>.{' '}
        <Inline text={answer.because} />
      </p>
      <details className={styles.others}>
        <summary>What the other answers would mean</summary>
        <dl>
          {others.map((o) => (
            <div key={o.text}>
              <dt>
                <code>{o.text}</code> <q>{o.misconception ? misconceptions[o.misconception].belief : ''}</q>
              </dt>
              <dd>
                <Inline text={o.because} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}
