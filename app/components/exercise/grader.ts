/** What grading needs, loaded once it is needed: the exercise's checks with their generators, and its known mistakes. */
import type { Exercise } from '@/exercises/kit/schema';

export async function loadGrader(slug: string) {
  const [{ grade }, module] = await Promise.all([
    import('@/exercises/kit/grade'),
    import(`@/exercises/${slug}/exercise`) as Promise<{ default: Exercise }>,
  ]);
  return { grade, exercise: module.default };
}

interface Sources {
  readonly solution: string;
  readonly mistakes: Readonly<Record<string, string>>;
}

const sources = new Map<string, Promise<Sources>>();

/** Rejects with a message for people; a failed request isn't remembered. */
export function loadSources(slug: string): Promise<Sources> {
  let request = sources.get(slug);
  if (!request) {
    request = fetch(`/exercises/${slug}/sources.json`).then((response) => {
      if (!response.ok) throw new Error(`the server answered ${response.status} for the exercise’s files`);
      return response.json() as Promise<Sources>;
    });
    request.catch(() => sources.delete(slug));
    sources.set(slug, request);
  }
  return request;
}
