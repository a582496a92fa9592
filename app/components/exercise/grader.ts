/** What grading needs, loaded once it is needed: the exercise's checks with their generators, its known mistakes, its solution. */
import type { SolutionFile } from '@/app/exercises/[slug]/solution.json/route';
import type { Exercise } from '@/exercises/kit/schema';

export async function loadGrader(slug: string) {
  const [{ grade }, module] = await Promise.all([
    import('@/exercises/kit/grade'),
    import(`@/exercises/${slug}/exercise`) as Promise<{ default: Exercise }>,
  ]);
  return { grade, exercise: module.default };
}

const requests = new Map<string, Promise<unknown>>();

/** Rejects with a message for people; a failed request isn't remembered. */
function load<T>(url: string): Promise<T> {
  let request = requests.get(url) as Promise<T> | undefined;
  if (!request) {
    request = fetch(url).then((response) => {
      if (!response.ok) throw new Error(`the server answered ${response.status} for the exercise’s files`);
      return response.json() as Promise<T>;
    });
    request.catch(() => requests.delete(url));
    requests.set(url, request);
  }
  return request;
}

export interface Sources {
  readonly mistakes: Readonly<Record<string, string>>;
}

export const loadSources = (slug: string) => load<Sources>(`/exercises/${slug}/sources.json`);

export const loadSolution = (slug: string) => load<SolutionFile>(`/exercises/${slug}/solution.json`);

/** Fetches all that a submission will need, so that the first one doesn't wait for it. Failures show at the submission. */
export function preloadGrader(slug: string): void {
  void Promise.all([loadGrader(slug), loadSources(slug)]).catch(() => undefined);
}
