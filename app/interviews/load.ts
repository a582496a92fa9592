/** What sitting an interview needs, loaded when the page is opened: its definition, its Python, and the fix with its checks. */
import type { RunSources } from '@/content/interviews/kit/evidence';
import type { Interview } from '@/content/interviews/kit/schema';
import type { Exercise } from '@/exercises/kit/schema';

export interface InterviewSources extends RunSources {
  readonly fix: {
    readonly starter: string;
    readonly solution: string;
    readonly mistakes: Readonly<Record<string, string>>;
  };
}

export interface LoadedInterview {
  readonly slug: string;
  readonly interview: Interview;
  readonly fix: Exercise;
  readonly sources: InterviewSources;
}

/** Rejects with a message for people. */
export async function loadInterview(slug: string): Promise<LoadedInterview> {
  const [interview, fix, sources] = await Promise.all([
    import(`@/content/interviews/${slug}/interview`) as Promise<{ default: Interview }>,
    import(`@/content/interviews/${slug}/fix/exercise`) as Promise<{ default: Exercise }>,
    fetch(`/interview/${slug}/sources.json`).then((response) => {
      if (!response.ok) throw new Error(`the server answered ${response.status} for the interview’s files`);
      return response.json() as Promise<InterviewSources>;
    }),
  ]);
  return { slug, interview: interview.default, fix: fix.default, sources };
}
