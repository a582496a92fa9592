'use client';
import Link from 'next/link';
import type { Course } from '@/app/content/course';
import { NOTHING_REACHED, suggest } from '@/app/progress/suggest';
import { useReached } from '@/app/progress/useReached';
import styles from './NextUp.module.css';

export interface NextUpProps {
  readonly course: Course;
  /** Says nothing to somebody who hasn't begun: the page has its own invitation. */
  readonly quietAtFirst?: boolean;
  /** The exercise that the reader is on: it is not suggested. */
  readonly at?: string;
}

/** The next best thing to do, and why. Until the storage has answered, and without JavaScript: what a newcomer begins with. */
export function NextUp({ course, quietAtFirst, at }: NextUpProps) {
  const reached = useReached();
  const begun = reached && reached.exercises.size + reached.lessons.size + reached.edited.size > 0;
  if (quietAtFirst && !begun) return null;
  const suggestion = suggest(course, reached ?? NOTHING_REACHED);
  if (!suggestion || suggestion.href === `/exercises/${at}/`) return null;
  const { href, title, action, reason, minutes } = suggestion;
  return (
    <section className={styles.next} aria-label="What to do next" data-next={reached ? 'known' : 'unknown'}>
      <p className={styles.line}>
        <span className={styles.action}>{action}</span>
        <Link href={href}>{title}</Link>
        {minutes === undefined ? null : <span className={styles.minutes}>{minutes} min</span>}
      </p>
      <p className={styles.reason}>{reason}</p>
    </section>
  );
}
