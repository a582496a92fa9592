/** Prints the code of the first questions of every generator as JSON, for questions.py: {slug: [[seed, code], …]}. */
import { generatorSlugs } from '@/content/questions/kit/discover';
import { drawQuestion } from '@/content/questions/kit/draw';
import type { Generator } from '@/content/questions/kit/schema';

const SAMPLES = 25;

const all: Record<string, [number, string][]> = {};
for (const slug of generatorSlugs()) {
  const { default: generator } = (await import(`../../../content/questions/${slug}/generator.ts`)) as {
    default: Generator<unknown>;
  };
  all[slug] = Array.from({ length: SAMPLES }, (_, seed) => [seed, drawQuestion(slug, generator, seed).code]);
}
console.log(JSON.stringify(all));
