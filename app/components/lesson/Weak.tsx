import styles from './blocks.module.css';

/** An answer that candidates give and shouldn't; the children say what is wrong with it. */
export function Weak({ says, children }: { readonly says: string; readonly children: React.ReactNode }) {
  return (
    <section className={`${styles.block} ${styles.weak}`} aria-label="A weak answer">
      <p className={styles.label}>A weak answer</p>
      <blockquote>“{says}”</blockquote>
      {children}
    </section>
  );
}
