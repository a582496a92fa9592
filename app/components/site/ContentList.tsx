import Link from 'next/link';
import type { Entry } from '@/app/content/discover';
import type { FormatName } from '@/engine/formats/float-format';
import { BitLattice } from '../bits/BitLattice';
import styles from './ContentList.module.css';

interface Listed {
  readonly title: string;
  readonly summary: string;
  readonly minutes: number;
  /** "float16 0x7c00" */
  readonly emblem?: string;
}

/** "float16 0x7c00" as a row of squares. */
function Emblem({ text }: { readonly text: string }) {
  const [format, pattern] = text.split(' ');
  return <BitLattice format={format as FormatName} pattern={Number(pattern)} look="squares" />;
}

export interface ContentListProps {
  /** The route that the entries live under: "/lessons/". */
  readonly base: string;
  readonly entries: readonly Entry<Listed>[];
  readonly level?: 'h2' | 'h3';
  /** What stands under an entry: how far the reader has come. */
  readonly state?: (slug: string) => React.ReactNode;
}

/** Lessons or exercises as a numbered list of links. */
export function ContentList({ base, entries, level: Heading = 'h2', state }: ContentListProps) {
  return (
    <ol className={styles.list}>
      {entries.map(({ slug, frontmatter }, index) => (
        <li key={slug} className={styles.item}>
          <span className={styles.number} aria-hidden="true">
            {String(index + 1).padStart(2, '0')}
          </span>
          <div className={styles.text}>
            <Heading className={styles.title}>
              <Link href={`${base}${slug}/`}>{frontmatter.title}</Link>
            </Heading>
            <p>{frontmatter.summary}</p>
            {state?.(slug)}
          </div>
          <div className={styles.side}>
            {frontmatter.emblem ? <Emblem text={frontmatter.emblem} /> : null}
            <span className={styles.minutes}>{frontmatter.minutes} min</span>
          </div>
        </li>
      ))}
    </ol>
  );
}
