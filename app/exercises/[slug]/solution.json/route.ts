/** The solution of an exercise in stages, highlighted; fetched when somebody opens it. */
import { highlightPython } from '@/app/content/highlighter';
import { exerciseSlugs, exerciseSources } from '@/exercises/kit/discover';
import type { Exercise } from '@/exercises/kit/schema';

export const dynamic = 'force-static';
export const dynamicParams = false;

export const generateStaticParams = () => exerciseSlugs().map((slug) => ({ slug }));

export interface SolutionFile {
  readonly code: string;
  readonly html: string;
  readonly stages: readonly { readonly title: string; readonly why: string; readonly html: string }[];
}

export async function GET(_request: Request, { params }: { readonly params: Promise<{ readonly slug: string }> }) {
  const { slug } = await params;
  const { solution } = exerciseSources(slug);
  const { default: exercise } = (await import(`@/exercises/${slug}/exercise`)) as { default: Exercise };
  const file: SolutionFile = {
    code: solution,
    html: await highlightPython(solution),
    stages: await Promise.all(
      exercise.stages.map(async ({ title, why, code }) => ({ title, why, html: await highlightPython(code) })),
    ),
  };
  return Response.json(file);
}
