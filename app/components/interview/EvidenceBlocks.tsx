'use client';
import { PythonCode } from '@/app/components/question/PythonCode';
import type { Block, EvidenceResult } from '@/content/interviews/kit/evidence';
import { EvidencePlot } from './EvidencePlot';
import styles from './evidence.module.css';

/** A result: plots, tables, code, what a probe printed. */
export function EvidenceBlocks({ result }: { readonly result: EvidenceResult }) {
  return (
    <div className={styles.blocks}>
      {result.fault ? (
        <p className={styles.fault} role="alert">
          It could not be computed: {result.fault}
        </p>
      ) : null}
      {Array.from(result.blocks.entries(), ([i, block]) => (
        <OneBlock key={i} block={block} />
      ))}
    </div>
  );
}

function OneBlock({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'plot':
      return <EvidencePlot block={block} />;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
        <section className={styles.tableBox} tabIndex={0} aria-label={block.title || 'Table'}>
          <table className={styles.table}>
            {block.title ? <caption>{block.title}</caption> : null}
            <thead>
              <tr>
                {block.columns.map((c) =>
                  c === '' ? (
                    <td key={c} />
                  ) : (
                    <th key={c} scope="col">
                      {c}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {Array.from(block.rows.entries(), ([i, row]) => (
                <tr key={i}>
                  {row.map((cell, k) => (
                    <td key={block.columns[k]} data-lost={/^-?(nan|inf)$/.test(cell) || undefined}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
    case 'code':
      return (
        <figure className={styles.code}>
          <figcaption className={styles.title}>
            {block.title}, from line {block.firstLine}
          </figcaption>
          <PythonCode code={block.lines.join('\n')} />
        </figure>
      );
    case 'output':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
        <pre className={styles.output} tabIndex={0}>
          {block.text}
        </pre>
      );
  }
}
