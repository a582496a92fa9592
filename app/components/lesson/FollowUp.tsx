import styles from './blocks.module.css';

/** A question that an interviewer asks next, folded over its answer. */
export function FollowUp({ q, children }: { readonly q: string; readonly children: React.ReactNode }) {
  return (
    <details className={styles.follow}>
      <summary>{q}</summary>
      <div className={styles.answer}>{children}</div>
    </details>
  );
}
