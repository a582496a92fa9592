'use client';
import Link from 'next/link';
import { useEffect, useState } from 'react';
import list from '@/app/components/site/ContentList.module.css';
import { type AttemptSummary, attempts } from '@/app/interviews/store';
import styles from './interview.module.css';

interface Props {
  readonly entries: readonly { readonly slug: string; readonly title: string; readonly summary: string }[];
}

/** The interviews, each with how the last attempts went. */
export function InterviewList({ entries }: Props) {
  const [past, setPast] = useState<readonly AttemptSummary[]>([]);
  useEffect(() => {
    let gone = false;
    void attempts().then((all) => !gone && setPast(all));
    return () => {
      gone = true;
    };
  }, []);
  return (
    <ol className={list.list}>
      {entries.map(({ slug, title, summary }, index) => {
        const own = past.filter((a) => a.slug === slug);
        const last = own.find((a) => a.ended);
        return (
          <li key={slug} className={list.item}>
            <span className={list.number} aria-hidden="true">
              {String(index + 1).padStart(2, '0')}
            </span>
            <div className={list.text}>
              <h2 className={list.title}>
                <Link href={`/interview/${slug}/`}>{title}</Link>
              </h2>
              <p>{summary}</p>
              {own.some((a) => !a.ended) ? <p className={styles.note}>One attempt is unfinished.</p> : null}
              {last?.ended ? (
                <p className={styles.note}>
                  Last verdict: <b>{last.ended.verdict}</b>, of {own.filter((a) => a.ended).length}{' '}
                  {own.filter((a) => a.ended).length === 1 ? 'attempt' : 'attempts'}
                </p>
              ) : null}
            </div>
            <div className={list.side}>
              <span className={list.minutes}>15, 30 or 45 min</span>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
