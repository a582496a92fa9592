'use client';
import { useEffect, useState } from 'react';
import styles from './CodeDiff.module.css';
import type { Row } from './code-diff';

const MARK = { same: ' ', removed: '−', added: '+' } as const;
const SAID = { same: '', removed: 'only in the first: ', added: 'only in the second: ' } as const;

export interface CodeDiffProps {
  readonly before: string;
  readonly after: string;
  /** What the two are, as in "yours" and "the solution". */
  readonly names: readonly [before: string, after: string];
}

/** Two scripts line by line: what only the first has, what only the second has. Its 8 KB are loaded when the first one is shown. */
export function CodeDiff({ before, after, names }: CodeDiffProps) {
  const [rows, setRows] = useState<readonly Row[]>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    import('./code-diff').then(
      ({ rowsOf }) => gone || setRows(rowsOf(before, after)),
      () => gone || setFailed(true),
    );
    return () => {
      gone = true;
    };
  }, [before, after]);

  if (failed) return <p role="alert">The comparison could not be loaded. Close and open it again.</p>;
  if (!rows) return null;
  if (rows.length === 0) return <p className={styles.equal}>There is no difference.</p>;
  return (
    <section className={styles.diff} aria-label={`Difference between ${names[0]} and ${names[1]}`} data-diff>
      <p className={styles.names}>
        <span data-kind="removed">− {names[0]}</span> <span data-kind="added">+ {names[1]}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls has to be reachable by keyboard */}
      <div className={styles.scroll} tabIndex={0}>
        <table>
          <tbody>
            {rows.map((row) =>
              row.kind === 'skipped' ? (
                <tr key={`${row.kind}${row.line}`} data-kind="skipped">
                  <td aria-hidden="true">⋮</td>
                  <td>{row.count} equal lines</td>
                </tr>
              ) : (
                <tr key={`${row.kind}${row.line}`} data-kind={row.kind}>
                  <td aria-hidden="true">{MARK[row.kind]}</td>
                  <td>
                    <span className="visually-hidden">{SAID[row.kind]}</span>
                    <code>
                      {row.pieces.map((piece, index) =>
                        piece.changed ? (
                          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line, in order
                          <mark key={index}>{piece.text}</mark>
                        ) : (
                          piece.text
                        ),
                      )}
                    </code>
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}
