import type { Metadata } from 'next';
import { LessonLayout } from '@/app/components/lesson/LessonLayout';
import { Prose } from '@/app/components/lesson/Prose';
import { lessons } from '@/app/content/lessons';

export const dynamicParams = false;

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export async function generateStaticParams() {
  return (await lessons()).map(({ slug }) => ({ slug }));
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const lesson = (await lessons()).find((other) => other.slug === slug);
  return { title: lesson?.frontmatter.title, description: lesson?.frontmatter.summary };
}

export default async function LessonPage({ params }: Props) {
  const { slug } = await params;
  const all = await lessons();
  const index = all.findIndex((other) => other.slug === slug);
  const lesson = all[index];
  return (
    <LessonLayout
      kicker={`${all.length > 1 ? `Lesson ${index + 1} of ${all.length}` : 'Lesson'} · ${lesson.frontmatter.minutes} minutes`}
      lesson={lesson}
      requires={all.filter((other) => lesson.frontmatter.requires.includes(other.slug))}
      next={all[index + 1]}
      previous={all[index - 1]}
    >
      <Prose code={lesson.mdx.code} />
    </LessonLayout>
  );
}
