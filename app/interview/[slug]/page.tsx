import type { Metadata } from 'next';
import { InterviewPage } from '@/app/components/interview/InterviewPage';
import { PageHead } from '@/app/components/site/PageHead';
import { interviews } from '@/app/content/interviews';
import { lessons } from '@/app/content/lessons';
import { generatorSlugs } from '@/content/questions/kit/discover';

export const dynamicParams = false;

interface Props {
  readonly params: Promise<{ readonly slug: string }>;
}

export async function generateStaticParams() {
  return (await interviews()).map(({ slug }) => ({ slug }));
}

const find = async (slug: string) => (await interviews()).find((other) => other.slug === slug);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const entry = await find((await params).slug);
  return { title: `Interview: ${entry?.interview.title}`, description: entry?.interview.summary };
}

export default async function Page({ params }: Props) {
  const { slug } = await params;
  const entry = await find(slug);
  if (!entry) throw new Error(`content/interviews/${slug}/interview.ts does not exist`);
  const titles = Object.fromEntries((await lessons()).map((l) => [l.slug, l.frontmatter.title]));
  return (
    <div className="page">
      <PageHead title={entry.interview.title} kicker="Mock interview · 15, 30 or 45 minutes">
        <p>{entry.interview.summary}</p>
      </PageHead>
      <InterviewPage slug={slug} generators={generatorSlugs()} lessons={titles} />
    </div>
  );
}
