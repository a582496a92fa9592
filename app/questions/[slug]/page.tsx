import type { Metadata } from 'next';
import Link from 'next/link';
import { Question } from '@/app/components/question/Question';
import { PageHead } from '@/app/components/site/PageHead';
import { lessons } from '@/app/content/lessons';
import { questions } from '@/app/content/questions';

export const dynamicParams = false;

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export const generateStaticParams = async () => (await questions()).map(({ slug }) => ({ slug }));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const question = (await questions()).find((other) => other.slug === slug);
  return { title: question && `Predict: ${question.title}`, description: question?.summary };
}

export default async function QuestionPage({ params }: Props) {
  const { slug } = await params;
  const all = await questions();
  const at = all.findIndex((other) => other.slug === slug);
  const question = all[at];
  const lesson = (await lessons()).find((other) => other.slug === question.lesson);
  if (!lesson) throw new Error(`content/questions/${slug}: lesson "${question.lesson}" does not exist`);
  const next = all[(at + 1) % all.length];
  return (
    <div className="page">
      <PageHead title={question.title} kicker="Predict what it prints">
        <p>{question.summary}</p>
      </PageHead>
      <div className="prose">
        <Question generator={slug} linked />
        <p>
          Digits choose, <kbd>n</kbd> asks another one. Taught in{' '}
          <Link href={`/lessons/${lesson.slug}/`}>{lesson.frontmatter.title}</Link>. Next kind:{' '}
          <Link href={`/questions/${next.slug}/`}>{next.title}</Link>.
        </p>
      </div>
    </div>
  );
}
