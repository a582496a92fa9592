import styles from './Power.module.css';

/** 2 to the k. */
export function Power({ of: k }: { readonly of: number }) {
  return (
    <span className={styles.power}>
      2<sup>{String(k).replace('-', '−')}</sup>
    </span>
  );
}
