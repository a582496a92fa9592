/** Rapid questions for the warm-up, drawn from the prediction generators: different ones for another seed, the same for the same. */
import { loadGenerator } from '@/app/content/generator';
import type { WarmUpQuestion } from '@/content/interviews/kit/machine';
import type { Format } from '@/content/interviews/kit/schema';
import { drawQuestion } from '@/content/questions/kit/draw';
import { Random } from '@/content/questions/kit/random';
import { misconceptions } from '@/content/questions/misconceptions';

/** How many a format begins with. */
export const WARM_UP: Readonly<Record<Format, number>> = { 15: 3, 30: 5, 45: 8 };

export async function drawWarmUp(
  generators: readonly string[],
  format: Format,
  seed: number,
): Promise<readonly WarmUpQuestion[]> {
  const random = new Random(`warm-up ${seed}`);
  const slugs = random.shuffle(generators).slice(0, WARM_UP[format]);
  return Promise.all(
    slugs.map(async (slug) => {
      const { prompt, code, options } = drawQuestion(slug, await loadGenerator(slug), random.int(0, 999_999));
      return {
        prompt,
        code,
        options: options.map(({ text, because, misconception }) => {
          const met = misconception && misconceptions[misconception];
          return { text, because, ...(met ? { misconception: { title: met.belief, lesson: met.lesson } } : {}) };
        }),
      };
    }),
  );
}
