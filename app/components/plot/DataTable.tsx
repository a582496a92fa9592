import styles from './plot.module.css';

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What the fold says; default "The numbers". */
  readonly summary?: string;
}

/** The numbers of a picture, for those who would rather read or can't see it. The first column heads its row. */
export function DataTable({ columns, rows, summary = 'The numbers' }: Table) {
  return (
    <details className={styles.data}>
      <summary>{summary}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={summary}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row[0]}>
                {columns.map((column, i) =>
                  i === 0 ? (
                    <th key={column} scope="row">
                      {row[i]}
                    </th>
                  ) : (
                    <td key={column}>{row[i]}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
