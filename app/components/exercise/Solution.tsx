'use client';
import { useState } from 'react';
import type { SolutionFile } from '@/app/exercises/[slug]/solution.json/route';
import { CodeDiff } from './CodeDiff';
import styles from './exercise.module.css';
import { loadSolution } from './grader';

/** The way to one solution: its stages one at a time, each with its reason, then the whole and how it differs from mine. */
export function Solution({ slug, latest }: { readonly slug: string; latest(): string }) {
  const [file, setFile] = useState<SolutionFile>();
  const [failed, setFailed] = useState(false);
  /** Stages in sight; one more than there are: the whole solution too. */
  const [shown, setShown] = useState(1);
  const [mine, setMine] = useState<string>();

  const open = (event: React.ToggleEvent<HTMLDetailsElement>) => {
    if (event.newState !== 'open' || file) return;
    setFailed(false);
    loadSolution(slug).then(setFile, () => setFailed(true));
  };
  const count = file?.stages.length ?? 0;

  return (
    <details className={styles.fold} onToggle={open} data-solution>
      <summary>The solution, step by step</summary>
      {failed ? <p role="alert">It could not be loaded. Close and open this again.</p> : null}
      {file ? (
        <div className={styles.unfolded}>
          <ol className={styles.stages} aria-live="polite">
            {file.stages.slice(0, shown).map(({ title, why, html }, index) => (
              <li key={title}>
                <h4>
                  <span className={styles.step}>
                    {index + 1} of {count}
                  </span>{' '}
                  {title}
                </h4>
                <p>{why}</p>
                {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own solution, highlighted at build time */}
                <div dangerouslySetInnerHTML={{ __html: html }} />
              </li>
            ))}
          </ol>
          {shown > count ? (
            <section className={styles.whole} aria-label="The whole solution">
              <h4>The whole of it</h4>
              {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own solution, highlighted at build time */}
              <div dangerouslySetInnerHTML={{ __html: file.html }} />
              {mine === undefined ? null : (
                <CodeDiff before={mine} after={file.code} names={['yours', 'the solution']} />
              )}
            </section>
          ) : null}
          <p className={styles.row}>
            {shown <= count ? (
              <button type="button" className="button" onClick={() => setShown(shown + 1)}>
                {shown < count ? 'Next step' : 'The whole solution'}
              </button>
            ) : (
              <button type="button" className="button" onClick={() => setMine(latest())}>
                {mine === undefined ? 'Compare with mine' : 'Compare again'}
              </button>
            )}
          </p>
        </div>
      ) : null}
    </details>
  );
}
