/** Interviews as they lie on disk: content/interviews/<slug>/. A folder is an interview; there is no list to edit. */
import { interviewSlugs } from '@/content/interviews/kit/discover';
import type { Interview } from '@/content/interviews/kit/schema';

export interface InterviewEntry {
  readonly slug: string;
  readonly interview: Interview;
}

/** All interviews by `order`, then slug. */
export async function interviews(): Promise<readonly InterviewEntry[]> {
  const all = await Promise.all(
    interviewSlugs().map(async (slug) => {
      const module = (await import(`@/content/interviews/${slug}/interview`)) as { default: Interview };
      return { slug, interview: module.default };
    }),
  );
  return all.sort((a, b) => a.interview.order - b.interview.order || a.slug.localeCompare(b.slug));
}
