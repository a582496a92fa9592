'use client';
import Link from 'next/link';
import { useState } from 'react';
import { PythonCode } from '@/app/components/question/PythonCode';
import { elapsedText } from '@/app/interviews/clock';
import type { LoadedInterview } from '@/app/interviews/load';
import type { AttemptSummary } from '@/app/interviews/store';
import { passed, type Sitting } from '@/app/interviews/useInterview';
import { questionsOf } from '@/content/interviews/kit/machine';
import { reportMarkdown } from '@/content/interviews/kit/markdown';
import { type ExplainQuestion, fill } from '@/content/interviews/kit/schema';
import { DIMENSION_NAMES, type DimensionScore, evidenceReport, percent, score } from '@/content/interviews/kit/score';
import { expertPath, timeline } from '@/content/interviews/kit/timeline';
import { describeRequest } from './describe-request';
import { History } from './History';
import styles from './interview.module.css';
import { Playback } from './Recorder';
import reportStyles from './report.module.css';

interface Props {
  readonly loaded: LoadedInterview;
  readonly sitting: Sitting;
  readonly past: readonly AttemptSummary[];
  readonly lessons: Readonly<Record<string, string>>;
  onOpen(id: string): void;
  onAgain(): void;
  onChanged(): void;
}

const SAID = {
  'strong yes': 'Hire, without reservation: the diagnosis stands on evidence, and the numbers are right.',
  yes: 'Hire. Something was missing; it is named below.',
  'not yet': 'Not yet. There is something to build on, and something that an interviewer would stumble on.',
  no: 'No, not with this interview.',
} as const;

const STANDING = { cited: 'cited', held: 'on the desk, not cited', missed: 'never asked for' } as const;

/** The verdict and what it is made of. */
export function Report({ loaded, sitting, past, lessons, onOpen, onAgain, onChanged }: Props) {
  const { interview } = loaded;
  const { state, events } = sitting;
  const made = score(interview, state);
  const describe = (request: Parameters<typeof describeRequest>[1]) => describeRequest(interview, request);
  const asked = questionsOf(interview, state.format);
  const code = asked.flatMap((q) => (state.questions[q.id]?.answers ?? []).filter((a) => a.kind === 'fix')).at(-1);
  const download = (name: string, text: string, type: string) => {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  const file = `${loaded.slug}-${new Date(state.beganAt).toISOString().slice(0, 10)}`;
  return (
    <article className={reportStyles.report} data-stage="ended" data-verdict={made.verdict}>
      <header className={reportStyles.head}>
        <p className="label">
          {state.format} minutes, {state.mode}, seed {state.seed}, {elapsedText(passed(sitting))} used
          {state.ended?.by === 'clock' ? ': the time ran out' : ''}
          {state.version === interview.version ? '' : `, version ${state.version} of this interview`}
        </p>
        <h2 className={reportStyles.verdict}>{made.verdict}</h2>
        <p className={reportStyles.said}>{SAID[made.verdict]}</p>
        {made.held.length > 0 ? (
          <ul className={reportStyles.held} data-held="true">
            {made.held.map((h) => (
              <li key={h}>{h}</li>
            ))}
          </ul>
        ) : null}
        <div className={`${styles.actions} ${reportStyles.noPrint}`}>
          <button type="button" className="button button-primary" onClick={onAgain}>
            Sit it again
          </button>
          <button type="button" className="button" onClick={() => window.print()}>
            Print
          </button>
          <button
            type="button"
            className="button"
            onClick={() =>
              download(`${file}.md`, reportMarkdown(interview, state, events, made, describe), 'text/markdown')
            }
          >
            Export Markdown
          </button>
          <button
            type="button"
            className="button"
            onClick={() =>
              download(
                `${file}.json`,
                JSON.stringify({ slug: loaded.slug, events, score: made }, null, 2),
                'application/json',
              )
            }
          >
            Export JSON
          </button>
        </div>
      </header>

      <section className={reportStyles.dimensions} aria-label="What earned it">
        {made.dimensions.map((d) => (
          <DimensionCard key={d.dimension} scored={d} />
        ))}
      </section>

      {asked
        .filter((q): q is ExplainQuestion => q.kind === 'explain')
        .map((q) => (
          <SelfAssessment key={q.id} question={q} sitting={sitting} />
        ))}

      <section aria-labelledby="report-evidence">
        <h2 id="report-evidence">What the diagnoses rest on</h2>
        <ul className={reportStyles.groups}>
          {evidenceReport(interview, state).map((g) => (
            <li key={`${g.question} ${g.says}`} data-group={g.standing}>
              <span className={reportStyles.groupStanding}>{STANDING[g.standing]}</span>
              <span>
                <b>{g.question}</b>: {g.says}
              </span>
            </li>
          ))}
        </ul>
      </section>

      <section aria-labelledby="report-time">
        <h2 id="report-time">Your path, beside an expert’s</h2>
        <div className={reportStyles.paths}>
          <div>
            <h3>Yours</h3>
            <ol className={reportStyles.path}>
              {Array.from(timeline(interview, events).entries(), ([i, m]) => (
                <li key={i} data-moment={m.kind}>
                  <span className={reportStyles.time}>{elapsedText(m.at)}</span>
                  <span>
                    {m.request ? (
                      <>
                        {describe(m.request)} <span className={reportStyles.soft}>{m.cost} min</span>
                        {m.relevant ? null : (
                          <span className={reportStyles.beside}> bears on nothing that was asked</span>
                        )}
                      </>
                    ) : m.kind === 'answered' ? (
                      <>
                        <b>Answered:</b> {m.text}
                      </>
                    ) : m.kind === 'interrupted' ? (
                      <i>{m.text}</i>
                    ) : (
                      m.text
                    )}
                  </span>
                </li>
              ))}
            </ol>
          </div>
          <div>
            <h3>An expert’s</h3>
            <ol className={reportStyles.path}>
              {expertPath(interview, state.opening?.facts ?? {}).map((e) => (
                <li key={describe(e.request)}>
                  <span className={reportStyles.time}>{e.minutes} min</span>
                  <span>
                    {describe(e.request)}
                    <span className={reportStyles.why}>{e.why}</span>
                  </span>
                </li>
              ))}
            </ol>
          </div>
        </div>
      </section>

      {made.misconceptions.length > 0 ? (
        <section aria-labelledby="report-misconceptions">
          <h2 id="report-misconceptions">Where to read</h2>
          <ul className={reportStyles.misconceptions}>
            {made.misconceptions.map((m) => (
              <li key={m.title} data-misconception={m.title}>
                <b>{m.title}</b> <span className={reportStyles.soft}>{m.where}</span>
                <p>
                  {m.text.replaceAll('`', '')}{' '}
                  {lessons[m.lesson] ? <Link href={`/lessons/${m.lesson}/`}>{lessons[m.lesson]}</Link> : null}
                </p>
              </li>
            ))}
          </ul>
        </section>
      ) : null}

      {state.warmUp.length > 0 ? (
        <section aria-labelledby="report-warm-up">
          <h2 id="report-warm-up">Warm-up</h2>
          {Array.from(state.warmUp.entries(), ([i, q]) => {
            const choice = state.warmed[i];
            const right = q.options.find((o) => !o.misconception);
            const said = choice === undefined ? undefined : q.options[choice];
            return (
              <details
                key={q.code}
                className={reportStyles.warm}
                data-right={said !== undefined && !said.misconception}
              >
                <summary>
                  {said === undefined ? 'Not answered' : said.misconception ? 'Wrong' : 'Right'}: {q.prompt}
                </summary>
                <PythonCode code={q.code} />
                <p>
                  It prints <code>{right?.text}</code>. {right?.because.replaceAll('`', '')}
                </p>
                {said?.misconception ? (
                  <p>
                    You said <code>{said.text}</code>. {said.because.replaceAll('`', '')}
                  </p>
                ) : null}
              </details>
            );
          })}
        </section>
      ) : null}

      <section aria-labelledby="report-answers">
        <h2 id="report-answers">What was asked, and what was right</h2>
        {asked.map((q) =>
          q.kind === 'diagnose' ? (
            <div key={q.id} className={reportStyles.answer}>
              <h3>{q.title}</h3>
              <p className={reportStyles.soft}>{fill(q.prompt, state.opening?.facts ?? {})}</p>
              <p>
                {q.diagnoses.find((d) => !d.wrong)?.text} <b>Repair:</b> {q.repairs.find((r) => r.worth === 1)?.text}
              </p>
            </div>
          ) : null,
        )}
      </section>

      {code?.kind === 'fix' ? (
        <section aria-labelledby="report-code">
          <h2 id="report-code">Your code</h2>
          <ul className={reportStyles.checks}>
            {code.graded.checks.map((c) => (
              <li key={c.title} data-status={c.status}>
                <b>{c.status === 'pass' ? 'passed' : c.status === 'fail' ? 'failed' : 'not tried'}</b> {c.title}
                {c.message ? <span className={reportStyles.why}>{c.message}</span> : null}
              </li>
            ))}
          </ul>
          <PythonCode code={code.graded.code} />
          <details className={reportStyles.warm}>
            <summary>One solution</summary>
            <PythonCode code={loaded.sources.fix.solution} />
          </details>
        </section>
      ) : null}

      <History past={past} current={sitting.id} onOpen={onOpen} onChanged={onChanged} />
    </article>
  );
}

function DimensionCard({ scored }: { readonly scored: DimensionScore }) {
  const { dimension, score: value, parts } = scored;
  const id = `dimension-${dimension}`;
  return (
    <section className={reportStyles.dimension} aria-labelledby={id} data-dimension={dimension}>
      <h3 id={id}>
        {DIMENSION_NAMES[dimension]}{' '}
        <span className={reportStyles.share}>{value === null ? 'not asked' : percent(value)}</span>
      </h3>
      <div className={reportStyles.meter} aria-hidden="true">
        <span style={{ inlineSize: `${100 * (value ?? 0)}%` }} />
      </div>
      <ul>
        {Array.from(parts.entries(), ([i, p]) => (
          <li key={i}>
            <span className={reportStyles.partHead}>
              <b>{p.title}</b> <span className={reportStyles.soft}>{percent(p.earned)}</span>
            </span>
            {p.selfAssessed ? <span className={reportStyles.self}>self-assessed: not in the verdict</span> : null}
            <span className={reportStyles.why}>{p.because}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One's own words beside the model answer, scored point by point by oneself. */
function SelfAssessment({ question, sitting }: { readonly question: ExplainQuestion; readonly sitting: Sitting }) {
  const own = sitting.state.questions[question.id];
  const answer = own?.answers.at(-1);
  const [points, setPoints] = useState<readonly string[]>(own?.points ?? []);
  if (answer?.kind !== 'explain') return null;
  const toggle = (id: string, on: boolean) => {
    const next = on ? [...points, id] : points.filter((p) => p !== id);
    setPoints(next);
    sitting.act({ kind: 'assessed', question: question.id, points: next });
  };
  return (
    <section className={reportStyles.assessment} aria-labelledby={`assess-${question.id}`}>
      <h2 id={`assess-${question.id}`}>{question.title}</h2>
      <p className={reportStyles.soft}>{question.prompt}</p>
      <div className={reportStyles.paths}>
        <div>
          <h3>What you said</h3>
          <p className={reportStyles.words}>{answer.text || 'Nothing was written.'}</p>
          <Playback attempt={sitting.id} question={question.id} />
        </div>
        <div>
          <h3>A model answer</h3>
          <p className={reportStyles.words}>{question.model}</p>
        </div>
      </div>
      <fieldset className={styles.choices}>
        <legend>Does yours make these points? You decide; the report says that you did.</legend>
        {question.rubric.map((r) => (
          <label key={r.id} className={styles.choice}>
            <input
              type="checkbox"
              checked={points.includes(r.id)}
              onChange={(event) => toggle(r.id, event.target.checked)}
            />
            <span>{r.text}</span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}
