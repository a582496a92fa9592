import styles from './blocks.module.css';

/** A remark that the argument can do without. */
export function Aside({ title, children }: { readonly title?: string; readonly children: React.ReactNode }) {
  return (
    <aside className={`${styles.block} ${styles.aside}`} aria-label={title ?? 'Aside'}>
      {title ? <p className={styles.label}>{title}</p> : null}
      {children}
    </aside>
  );
}
