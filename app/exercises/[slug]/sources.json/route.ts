/** The Python of an exercise that the page loads only when it needs it: known mistakes for fingerprints, the solution once it is asked for. */
import { exerciseSlugs, exerciseSources } from '@/exercises/kit/discover';

export const dynamic = 'force-static';
export const dynamicParams = false;

export const generateStaticParams = () => exerciseSlugs().map((slug) => ({ slug }));

export async function GET(_request: Request, { params }: { readonly params: Promise<{ readonly slug: string }> }) {
  const { solution, mistakes } = exerciseSources((await params).slug);
  return Response.json({ solution, mistakes });
}
