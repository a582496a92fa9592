import type { Metadata } from 'next';
import Link from 'next/link';
import { Exercise } from '@/app/components/exercise/Exercise';
import { Prose } from '@/app/components/lesson/Prose';
import { PageHead } from '@/app/components/site/PageHead';
import { exercises } from '@/app/content/exercises';
import { lessons } from '@/app/content/lessons';
import styles from './exercise-page.module.css';

export const dynamicParams = false;

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export async function generateStaticParams() {
  return (await exercises()).map(({ slug }) => ({ slug }));
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const exercise = (await exercises()).find((other) => other.slug === slug);
  return { title: exercise?.frontmatter.title, description: exercise?.frontmatter.summary };
}

export default async function ExercisePage({ params }: Props) {
  const { slug } = await params;
  const exercise = (await exercises()).find((other) => other.slug === slug);
  if (!exercise) throw new Error(`exercises/${slug}/exercise.mdx does not exist`);
  const lesson = (await lessons()).find((other) => other.slug === exercise.frontmatter.lesson);
  if (exercise.frontmatter.lesson && !lesson) {
    throw new Error(`${exercise.file}: lesson "${exercise.frontmatter.lesson}" does not exist`);
  }
  return (
    <div className="page">
      <PageHead title={exercise.frontmatter.title} kicker={`Exercise · ${exercise.frontmatter.minutes} minutes`}>
        <p>{exercise.frontmatter.summary}</p>
      </PageHead>
      <div className={styles.columns}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where it is taller than the window */}
        <section className={styles.prompt} aria-label="Prompt" tabIndex={0}>
          <Prose code={exercise.mdx.code} />
          {lesson ? (
            <p className={styles.prepares}>
              Prepared by <Link href={`/lessons/${lesson.slug}/`}>{lesson.frontmatter.title}</Link>
            </p>
          ) : null}
        </section>
        <div className={styles.work}>
          <h2 className="visually-hidden">Your answer</h2>
          <Exercise slug={slug} titled={false} />
        </div>
      </div>
    </div>
  );
}
