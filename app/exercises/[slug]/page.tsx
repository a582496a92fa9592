import type { Metadata } from 'next';
import { Exercise } from '@/app/components/exercise/Exercise';
import { Prose } from '@/app/components/lesson/Prose';
import { PageHead } from '@/app/components/site/PageHead';
import { exercises } from '@/app/content/exercises';

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
  return (
    <div className="page">
      <PageHead title={exercise.frontmatter.title} kicker={`Exercise · ${exercise.frontmatter.minutes} minutes`}>
        <p>{exercise.frontmatter.summary}</p>
      </PageHead>
      <Prose code={exercise.mdx.code} />
      <Exercise slug={slug} />
    </div>
  );
}
