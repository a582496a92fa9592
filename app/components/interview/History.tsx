'use client';
import { useState } from 'react';
import { type AttemptSummary, removeAttempt } from '@/app/interviews/store';
import { DIMENSION_NAMES, DIMENSIONS, percent } from '@/content/interviews/kit/score';
import styles from './interview.module.css';

interface Props {
  readonly past: readonly AttemptSummary[];
  /** The one that is shown; it has no button. */
  readonly current?: string;
  onOpen(id: string): void;
  onChanged(): void;
}

/** Attempts side by side, latest first. */
export function History({ past, current, onOpen, onChanged }: Props) {
  const [undo, setUndo] = useState<() => Promise<void>>();
  const ended = past.filter((a) => a.ended);
  if (ended.length === 0 && !undo) return null;
  const remove = async (attempt: AttemptSummary) => {
    const back = await removeAttempt(attempt);
    setUndo(() => back);
    onChanged();
  };
  return (
    <section className={styles.history} aria-labelledby="history">
      <h2 id="history">Your attempts</h2>
      {undo ? (
        <p className={styles.note} role="status">
          Removed.{' '}
          <button
            type="button"
            className="button"
            onClick={() =>
              void undo().then(() => {
                setUndo(undefined);
                onChanged();
              })
            }
          >
            Undo
          </button>
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label="Attempts">
        <table className={styles.attempts}>
          <thead>
            <tr>
              <th scope="col">when</th>
              <th scope="col">format</th>
              <th scope="col">seed</th>
              <th scope="col">verdict</th>
              {DIMENSIONS.map((d) => (
                <th key={d} scope="col">
                  {DIMENSION_NAMES[d]}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {ended.map((a) => (
              <tr key={a.id} data-attempt={a.id} aria-current={a.id === current || undefined}>
                <td>{new Date(a.beganAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}</td>
                <td>
                  {a.format} min, {a.mode}
                </td>
                <td>{a.seed}</td>
                <td>
                  <b>{a.ended?.verdict}</b>
                </td>
                {DIMENSIONS.map((d) => {
                  const s = a.ended?.scores[d];
                  return <td key={d}>{s === null || s === undefined ? '' : percent(s)}</td>;
                })}
                <td className={styles.rowActions}>
                  {a.id === current ? (
                    'this one'
                  ) : (
                    <button type="button" className="button" onClick={() => onOpen(a.id)}>
                      Report
                    </button>
                  )}
                  {a.id === current ? null : (
                    <button type="button" className="button" onClick={() => void remove(a)}>
                      Remove
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
