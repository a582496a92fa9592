import styles from './PageHead.module.css';

export interface PageHeadProps {
  readonly title: string;
  /** Small print above the title: where this page stands. */
  readonly kicker?: React.ReactNode;
  /** One paragraph under it. */
  readonly children?: React.ReactNode;
}

/** The head of a page: its only h1. */
export function PageHead({ title, kicker, children }: PageHeadProps) {
  return (
    <div className={styles.head}>
      {kicker ? <p className="label">{kicker}</p> : null}
      <h1>{title}</h1>
      <div className={styles.summary}>{children}</div>
    </div>
  );
}
