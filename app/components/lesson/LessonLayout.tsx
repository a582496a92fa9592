import Link from 'next/link';
import { LessonPlace } from '@/app/components/progress/LessonPlace';
import { PageHead } from '@/app/components/site/PageHead';
import type { Lesson } from '@/app/content/lessons';
import styles from './LessonLayout.module.css';

export interface LessonLayoutProps {
  readonly kicker: string;
  readonly lesson: Lesson;
  readonly requires: readonly Lesson[];
  readonly previous?: Lesson;
  readonly next?: Lesson;
  readonly children: React.ReactNode;
}

/** A lesson's frame: what it gives you, the text, the sections at its side, and where to go from here. */
export function LessonLayout({ kicker, lesson, requires, previous, next, children }: LessonLayoutProps) {
  const { title, summary, teaches } = lesson.frontmatter;
  const { headings } = lesson.mdx;
  return (
    <div className="page">
      <LessonPlace slug={lesson.slug} headings={headings} />
      <PageHead title={title} kicker={kicker}>
        <p>{summary}</p>
      </PageHead>
      <div className={styles.columns}>
        <article className={styles.text}>
          {teaches.length > 0 ? (
            <section className={styles.teaches} aria-labelledby="teaches">
              <h2 id="teaches" className={styles.smallHeading}>
                You will be able to
              </h2>
              <ul>
                {teaches.map((ability) => (
                  <li key={ability}>{ability}</li>
                ))}
              </ul>
              {requires.length > 0 ? (
                <p className={styles.requires}>
                  Builds on{' '}
                  {requires.map((other, index) => (
                    <span key={other.slug}>
                      {index > 0 ? ', ' : ''}
                      <Link href={`/lessons/${other.slug}/`}>{other.frontmatter.title}</Link>
                    </span>
                  ))}
                </p>
              ) : null}
            </section>
          ) : null}
          {children}
        </article>
        {headings.length > 1 ? (
          <nav className={styles.contents} aria-label="On this page">
            <p className={styles.smallHeading}>On this page</p>
            <ol>
              {headings.map((heading) => (
                <li key={heading.id}>
                  <a href={`#${heading.id}`}>{heading.text}</a>
                </li>
              ))}
            </ol>
          </nav>
        ) : null}
      </div>
      <nav className={styles.onward} aria-label="Lessons before and after">
        {previous ? (
          <Link href={`/lessons/${previous.slug}/`} rel="prev">
            <span className="label">Before</span>
            {previous.frontmatter.title}
          </Link>
        ) : (
          <span />
        )}
        {next ? (
          <Link href={`/lessons/${next.slug}/`} rel="next">
            <span className="label">Next</span>
            {next.frontmatter.title}
          </Link>
        ) : (
          <Link href="/exercises/">
            <span className="label">Next</span>
            The exercises
          </Link>
        )}
      </nav>
    </div>
  );
}
