/** Prediction generators as they lie on disk: content/questions/<slug>/generator.ts. A folder is a generator; there is no list to edit. */
import { generatorSlugs } from '@/content/questions/kit/discover';
import { loadGenerator } from './generator';

export interface QuestionPage {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly lesson: string;
}

export const questions = (): Promise<readonly QuestionPage[]> =>
  Promise.all(
    generatorSlugs().map(async (slug) => {
      const { title, summary, lesson } = await loadGenerator(slug);
      return { slug, title, summary, lesson };
    }),
  );
