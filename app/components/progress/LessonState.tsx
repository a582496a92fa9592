'use client';
import { useReached } from '@/app/progress/useReached';
import styles from './state.module.css';

/** How far the reader has come in a lesson; nothing for one that isn't begun. */
export function LessonState({ slug }: { readonly slug: string }) {
  const place = useReached()?.lessons.get(slug);
  if (!place) return null;
  return (
    <p className={styles.state} data-state={place.finished ? 'solved' : 'started'}>
      <span className={styles.mark} aria-hidden="true" />
      {place.finished ? 'Read' : `Begun${place.heading ? `, up to “${place.heading.text}”` : ''}`}
    </p>
  );
}
