import styles from './blocks.module.css';

/** A picture, table or widget with a caption. */
export function Figure({ caption, children }: { readonly caption: string; readonly children: React.ReactNode }) {
  return (
    <figure className={`wide ${styles.figure}`}>
      {children}
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
