'use client';
import { PythonCode } from '@/app/components/question/PythonCode';
import type { Sitting } from '@/app/interviews/useInterview';
import styles from './interview.module.css';

/** Rapid questions, one at a time. What was right is in the report. */
export function WarmUp({ sitting }: { readonly sitting: Sitting }) {
  const { warmUp, warmed } = sitting.state;
  const index = warmed.length;
  const question = warmUp[index];
  if (!question) return null;
  return (
    <section className={styles.warmUp} aria-labelledby="warm-up" data-warm-up="true">
      <p className="label" role="status">
        Warm-up, {index + 1} of {warmUp.length}
      </p>
      <h2 id="warm-up" className={styles.warmPrompt}>
        {question.prompt}
      </h2>
      <PythonCode code={question.code} />
      <ul className={styles.warmOptions}>
        {Array.from(question.options.entries(), ([choice, option]) => (
          <li key={option.text}>
            <button
              type="button"
              className={`button ${styles.warmOption}`}
              onClick={() => sitting.act({ kind: 'warmed', index, choice })}
            >
              <code>{option.text}</code>
            </button>
          </li>
        ))}
      </ul>
      <p className={styles.note}>Right or wrong is told in the report. A guess costs nothing.</p>
    </section>
  );
}
