import styles from './blocks.module.css';

/** The answer that fits into thirty seconds. */
export function Recap({ children }: { readonly children: React.ReactNode }) {
  return (
    <section className={`${styles.block} ${styles.recap}`} aria-label="The thirty-second answer">
      <p className={styles.label}>The thirty-second answer</p>
      {children}
    </section>
  );
}
