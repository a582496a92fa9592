'use client';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Runner } from '@/app/components/runner/Runner';
import type { RunTask } from '@/app/components/runner/useRun';
import { type ExerciseProgress, exerciseProgress, updateProgress, withAttempt } from '@/app/progress/store';
import type { CheckResult, PlannedCheck, Verdict } from '@/exercises/kit/grade';
import { Checks } from './Checks';
import styles from './exercise.module.css';
import { loadGrader, loadSources } from './grader';

export interface WorkbenchProps {
  readonly slug: string;
  readonly title: string;
  /** On the exercise's own page the title stands above already. */
  readonly titled: boolean;
  readonly starter: string;
  readonly version: number;
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly planned: readonly PlannedCheck[];
  readonly hints: readonly string[];
  readonly followUps: readonly { readonly question: string; readonly answer: string }[];
  readonly children: React.ReactNode;
}

/** Attempts after which the solution is offered to someone who hasn't solved it. */
const HONEST_ATTEMPTS = 3;

/** Editor, Run and Submit, checks, hints; what was reached is kept. The same exercise on two pages shares its draft. */
export function Workbench(props: WorkbenchProps) {
  const { slug, title, titled, starter, version, tasks, planned, hints, followUps, children } = props;
  const [progress, setProgress] = useState<ExerciseProgress>();
  const [results, setResults] = useState<readonly CheckResult[]>([]);
  const [grading, setGrading] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();
  const [fault, setFault] = useState<string>();

  useEffect(() => {
    let gone = false;
    void exerciseProgress(slug).then((p) => !gone && setProgress(p));
    return () => {
      gone = true;
    };
  }, [slug]);

  const submit = useCallback(
    (code: string): RunTask =>
      async (session, onOutput) => {
        setGrading(true);
        setResults([]);
        setVerdict(undefined);
        setFault(undefined);
        try {
          const [{ exercise, grade }, { mistakes }] = await Promise.all([loadGrader(slug), loadSources(slug)]);
          const onCheck = (result: CheckResult) => setResults((all) => [...all, result]);
          const made = await grade(exercise, code, session, { mistakes, onOutput, onCheck });
          setVerdict(made);
          setResults(made.checks);
          if (made.run.status !== 'stopped') {
            const attempt = {
              at: Date.now(),
              code,
              passed: made.checks.filter((c) => c.status === 'pass').length,
              total: planned.length,
            };
            setProgress(await updateProgress(slug, (before) => withAttempt(before, attempt, version)));
          }
          const status = made.stopped === undefined ? made.run.status : 'stopped';
          return {
            ...made.run,
            status,
            milliseconds: made.milliseconds,
            kernels: made.kernels,
            ...(made.stopped === undefined ? {} : { reason: made.stopped }),
          };
        } catch (error) {
          setFault(error instanceof Error ? error.message : String(error));
          throw error;
        } finally {
          setGrading(false);
        }
      },
    [slug, version, planned.length],
  );

  const hint = () => {
    void updateProgress(slug, (p) => ({ ...p, hintsShown: Math.min(p.hintsShown + 1, hints.length) })).then(
      setProgress,
    );
  };

  const shown = progress?.hintsShown ?? 0;
  const solved = progress?.solvedAt !== undefined;
  const attributes = useMemo(
    () => ({
      'data-solved': solved ? 'true' : undefined,
      'data-kernels': verdict ? String(verdict.kernels) : undefined,
      'data-seed': verdict ? String(verdict.seed) : undefined,
    }),
    [solved, verdict],
  );
  const mayLook = solved || (progress?.attempts.length ?? 0) >= HONEST_ATTEMPTS;

  return (
    <Runner
      id={slug}
      draftKey={`exercise:${slug}`}
      title={titled ? title : undefined}
      label={title}
      code={starter}
      submit={submit}
      attributes={attributes}
      actions={
        hints.length > 0 ? (
          <button type="button" className="button" onClick={hint} aria-disabled={shown >= hints.length}>
            Hint
          </button>
        ) : null
      }
      panel={
        <div className={styles.panel}>
          {shown > 0 ? (
            <section className={styles.hints} aria-label="Hints" aria-live="polite">
              <ol>
                {hints.slice(0, shown).map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ol>
              <p className={styles.note}>
                Hint {shown} of {hints.length}
              </p>
            </section>
          ) : null}
          <Checks
            tasks={tasks}
            planned={planned}
            results={results}
            grading={grading}
            complete={verdict !== undefined}
          />
          {fault ? (
            <p role="alert" className={styles.fault}>
              Your code could not be checked: {fault}. It is kept; submit it again.
            </p>
          ) : null}
          {solved ? (
            <p className={styles.solved}>
              Solved{verdict && !verdict.solved ? ' before; this version does not pass every check' : ''}.
            </p>
          ) : null}
          {mayLook ? <Solution slug={slug} /> : null}
          {solved && followUps.length > 0 ? (
            <section className={styles.next} aria-label="What an interviewer asks next">
              <h3>What an interviewer asks next</h3>
              {followUps.map((f) => (
                <details key={f.question}>
                  <summary>{f.question}</summary>
                  <p>{f.answer}</p>
                </details>
              ))}
            </section>
          ) : null}
        </div>
      }
    >
      {children}
    </Runner>
  );
}

/** One way to solve it, fetched when it is opened. */
function Solution({ slug }: { readonly slug: string }) {
  const [code, setCode] = useState<string>();
  const [failed, setFailed] = useState(false);
  const open = (event: React.ToggleEvent<HTMLDetailsElement>) => {
    if (event.newState !== 'open' || code !== undefined) return;
    setFailed(false);
    loadSources(slug).then(
      (s) => setCode(s.solution),
      () => setFailed(true),
    );
  };
  return (
    <details className={styles.solution} onToggle={open}>
      <summary>One solution</summary>
      {failed ? <p role="alert">It could not be loaded. Close and open this again.</p> : null}
      {code === undefined ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls has to be reachable by keyboard
        <pre tabIndex={0}>
          <code>{code}</code>
        </pre>
      )}
    </details>
  );
}
