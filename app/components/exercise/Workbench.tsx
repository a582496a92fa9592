'use client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Runner, type RunnerHandle } from '@/app/components/runner/Runner';
import type { RunTask } from '@/app/components/runner/useRun';
import { type ExerciseProgress, HONEST_ATTEMPTS, mayLook } from '@/app/progress/attempts';
import { addAttempt, exerciseProgress, type Updated, updateProgress } from '@/app/progress/store';
import type { CheckResult, PlannedCheck, Verdict } from '@/exercises/kit/grade';
import { Attempts } from './Attempts';
import { Checks } from './Checks';
import styles from './exercise.module.css';
import { loadGrader, loadSources, preloadGrader } from './grader';
import { ParetoPlot } from './ParetoPlot';
import { Solution } from './Solution';

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
  /** What to do after this one; shown once it is solved. */
  readonly next?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** Editor, Run and Submit, checks, hints; what was reached is kept. The same exercise on two pages shares its draft. */
export function Workbench(props: WorkbenchProps) {
  const { slug, title, titled, starter, version, tasks, planned, hints, followUps, next, children } = props;
  const runner = useRef<RunnerHandle>(null);
  const [progress, setProgress] = useState<ExerciseProgress>();
  const [unkept, setUnkept] = useState<string>();
  const [results, setResults] = useState<readonly CheckResult[]>([]);
  const [grading, setGrading] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();
  const [fault, setFault] = useState<string>();

  useEffect(() => {
    let gone = false;
    const read = () => void exerciseProgress(slug).then((p) => !gone && setProgress(p));
    read();
    // Another tab may have gone on with it.
    addEventListener('focus', read);
    return () => {
      gone = true;
      removeEventListener('focus', read);
    };
  }, [slug]);

  const take = useCallback(({ value, storage }: Updated<ExerciseProgress>) => {
    setProgress(value);
    setUnkept(storage.kept ? undefined : storage.reason);
  }, []);

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
          const attempt = {
            slug,
            at: Date.now(),
            code,
            passed: made.checks.filter((c) => c.status === 'pass').length,
            total: planned.length,
            ran: made.run.status === 'done',
            failed: made.checks.find((c) => c.status === 'fail')?.title,
          };
          // The verdict doesn't wait for the disk.
          void addAttempt(attempt, { version, starter }).then(take);
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
    [slug, version, starter, planned.length, take],
  );

  const shown = progress?.hintsShown ?? 0;
  const hint = () => {
    if (shown >= hints.length) return;
    void updateProgress(slug, (p) => ({ ...p, hintsShown: Math.min(p.hintsShown + 1, hints.length) })).then(take);
  };

  const solved = progress?.solvedAt !== undefined;
  const attributes = useMemo(
    () => ({
      'data-solved': solved ? 'true' : undefined,
      'data-kernels': verdict ? String(verdict.kernels) : undefined,
      'data-seed': verdict ? String(verdict.seed) : undefined,
      'data-own-milliseconds': verdict ? verdict.learnerMilliseconds.toFixed(1) : undefined,
    }),
    [solved, verdict],
  );
  const open = progress !== undefined && mayLook(progress);
  const goToLine = useCallback((line: number) => runner.current?.goToLine(line), []);
  const preload = useCallback(() => preloadGrader(slug), [slug]);

  return (
    <Runner
      ref={runner}
      id={slug}
      draftKey={`exercise:${slug}`}
      title={titled ? title : undefined}
      label={title}
      code={starter}
      submit={submit}
      attributes={attributes}
      onHint={hints.length > 0 ? hint : undefined}
      wholePage={!titled}
      onNear={preload}
      actions={
        hints.length > 0 ? (
          <button type="button" className="button" onClick={hint} aria-disabled={shown >= hints.length}>
            Hint
          </button>
        ) : null
      }
      panel={
        <div className={styles.panel}>
          <div aria-live="polite">
            {shown > 0 ? (
              <section className={styles.hints} aria-label="Hints">
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
          </div>
          <Checks
            tasks={tasks}
            planned={planned}
            results={results}
            grading={grading}
            complete={verdict !== undefined}
            goToLine={goToLine}
          />
          {verdict?.figure ? <ParetoPlot figure={verdict.figure} /> : null}
          {fault ? (
            <p role="alert" className={styles.fault}>
              Your code could not be checked: {fault}. It is kept; submit it again.
            </p>
          ) : null}
          {solved ? <p className={styles.solved}>{solvedText(progress, version, verdict)}</p> : null}
          {unkept ? (
            <p role="alert" className={styles.fault}>
              What you reach here is remembered only as long as this page is open: {unkept}.
            </p>
          ) : null}
          {open ? (
            <Solution slug={slug} latest={() => runner.current?.latest() ?? ''} />
          ) : (
            <p className={`${styles.note} ${styles.scripted}`} data-solution-locked>
              The solution opens, step by step, once every check passes, or after {HONEST_ATTEMPTS} different
              submissions that ran ({progress?.honest.length ?? 0} so far).
            </p>
          )}
          {open && followUps.length > 0 ? (
            <section className={styles.next} aria-label="What an interviewer asks next">
              <h3>What an interviewer asks next</h3>
              {followUps.map((f) => (
                <details key={f.question} className={styles.fold}>
                  <summary>{f.question}</summary>
                  <p>{f.answer}</p>
                </details>
              ))}
            </section>
          ) : null}
          {solved ? next : null}
          <Attempts slug={slug} submitted={progress?.submitted ?? 0} runner={runner} />
        </div>
      }
    >
      {children}
    </Runner>
  );
}

function solvedText(progress: ExerciseProgress, version: number, verdict: Verdict | undefined): string {
  if (verdict && !verdict.solved) return 'Solved before; this version of your code does not pass every check.';
  if ((progress.solvedVersion ?? version) < version)
    return 'Solved, in an earlier version of this exercise. Its checks have changed since: submit again to see.';
  return 'Solved.';
}
