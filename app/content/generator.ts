/** One generator, with the engine that it asks: a page loads it when a second question is wanted. */
import type { Generator } from '@/content/questions/kit/schema';

export async function loadGenerator(slug: string): Promise<Generator<unknown>> {
  const module = (await import(`@/content/questions/${slug}/generator`)) as { default: Generator<unknown> };
  return module.default;
}
