/** The Python of an interview: its run, its instruments, and the fix. */
import { fixRoot, interviewSlugs, runSources } from '@/content/interviews/kit/discover';
import { exerciseSources } from '@/exercises/kit/discover';

export const dynamic = 'force-static';
export const dynamicParams = false;

export const generateStaticParams = () => interviewSlugs().map((slug) => ({ slug }));

export async function GET(_request: Request, { params }: { readonly params: Promise<{ readonly slug: string }> }) {
  const { slug } = await params;
  const { starter, solution, mistakes } = exerciseSources('fix', fixRoot(slug));
  return Response.json({ ...runSources(slug), fix: { starter, solution, mistakes } });
}
