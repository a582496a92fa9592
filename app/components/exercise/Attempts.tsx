'use client';
import { useCallback, useEffect, useState } from 'react';
import type { RunnerHandle } from '@/app/components/runner/Runner';
import type { Version } from '@/app/drafts/versions';
import type { Attempt } from '@/app/progress/attempts';
import { attemptsOf } from '@/app/progress/store';
import { CodeDiff } from './CodeDiff';
import styles from './exercise.module.css';

/** Rows that are listed before "Show all". */
const FIRST = 5;

export interface AttemptsProps {
  readonly slug: string;
  /** Submissions so far: another number, another list. */
  readonly submitted: number;
  readonly runner: React.RefObject<RunnerHandle | null>;
}

/** Every submission, and what the editor held before: look at it beside the code of now, or put it back. */
export function Attempts({ slug, submitted, runner }: AttemptsProps) {
  const [open, setOpen] = useState(false);
  const [attempts, setAttempts] = useState<readonly Attempt[]>();
  const [versions, setVersions] = useState<readonly Version[]>([]);

  const load = useCallback(async () => {
    const [all, earlier] = await Promise.all([attemptsOf(slug), runner.current?.versions() ?? []]);
    setAttempts(all);
    setVersions(earlier);
  }, [slug, runner]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new submission is a new list
  useEffect(() => {
    if (open) void load();
  }, [open, submitted, load]);

  return (
    <details
      className={`${styles.fold} ${styles.scripted}`}
      data-attempts={submitted}
      onToggle={(event) => setOpen(event.newState === 'open')}
    >
      <summary>Attempts and earlier versions{submitted > 0 ? ` (${submitted} submitted)` : ''}</summary>
      {attempts ? (
        <div className={styles.unfolded}>
          <section aria-label="Submitted attempts">
            <h4>Submitted</h4>
            {attempts.length === 0 ? <p className={styles.note}>Nothing yet. Every submission is kept here.</p> : null}
            <CodeList
              entries={attempts.map((attempt) => ({
                at: attempt.at,
                code: attempt.code,
                said: verdictOf(attempt),
                solved: attempt.passed === attempt.total,
              }))}
              runner={runner}
              restored={load}
            />
          </section>
          <section aria-label="Earlier versions">
            <h4>Kept while you wrote</h4>
            {versions.length === 0 ? (
              <p className={styles.note}>Nothing yet. A version is kept every minute of writing, and before a reset.</p>
            ) : null}
            <CodeList entries={versions} runner={runner} restored={load} />
          </section>
        </div>
      ) : null}
    </details>
  );
}

function verdictOf({ passed, total, ran, failed }: Attempt): string {
  if (passed === total) return `solved, all ${total} checks`;
  if (!ran) return 'did not run';
  return `${passed} of ${total} checks${failed ? `; first failed: ${failed}` : ''}`;
}

interface Listed {
  readonly at: number;
  readonly code: string;
  readonly said?: string;
  readonly solved?: boolean;
}

function CodeList({
  entries,
  runner,
  restored,
}: {
  readonly entries: readonly Listed[];
  readonly runner: React.RefObject<RunnerHandle | null>;
  restored(): void;
}) {
  const [all, setAll] = useState(false);
  const [compared, setCompared] = useState<{ readonly at: number; readonly mine: string }>();
  return (
    <>
      <ul className={styles.list}>
        {(all ? entries : entries.slice(0, FIRST)).map(({ at, code, said, solved }) => (
          <li key={at} className={styles.entry} data-solved={solved}>
            <div className={styles.what}>
              <time dateTime={new Date(at).toISOString()}>{when(at)}</time>
              {said ? <span> {said}</span> : null}
            </div>
            <div className={styles.row}>
              <button
                type="button"
                className={styles.small}
                aria-expanded={compared?.at === at}
                onClick={() =>
                  setCompared(compared?.at === at ? undefined : { at, mine: runner.current?.latest() ?? '' })
                }
              >
                Compare
              </button>
              <button
                type="button"
                className={styles.small}
                onClick={() => {
                  runner.current?.restore(code);
                  restored();
                }}
              >
                Restore
              </button>
            </div>
            {compared?.at === at ? (
              <div className={styles.compared}>
                <CodeDiff before={code} after={compared.mine} names={['this one', 'in the editor']} />
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      {!all && entries.length > FIRST ? (
        <p>
          <button type="button" className={styles.small} onClick={() => setAll(true)}>
            Show all {entries.length}
          </button>
        </p>
      ) : null}
    </>
  );
}

/** "14:03:22" today, with the date before. */
function when(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`;
}
