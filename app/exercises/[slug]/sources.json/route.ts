/** The Python of an exercise that grading needs: its known mistakes, for fingerprints. */
import { exerciseSlugs, exerciseSources } from '@/exercises/kit/discover';

export const dynamic = 'force-static';
export const dynamicParams = false;

export const generateStaticParams = () => exerciseSlugs().map((slug) => ({ slug }));

export async function GET(_request: Request, { params }: { readonly params: Promise<{ readonly slug: string }> }) {
  const { mistakes } = exerciseSources((await params).slug);
  return Response.json({ mistakes });
}
