/** The scripts of prediction questions, run as the learner runs them: our torch prints the option that is right. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatorSlugs } from '@/content/questions/kit/discover';
import { drawQuestion } from '@/content/questions/kit/draw';
import type { Generator } from '@/content/questions/kit/schema';
import { NodeSession } from '@/engine/session/node';

const SEEDS = [0, 1, 2, 100, 101, 102, 103, 104, 105, 106];

const session = new NodeSession();
beforeAll(() => session.start());
afterAll(() => session.close());

describe.each(generatorSlugs())('%s', (slug) => {
  test(`the scripts of ${SEEDS.length} seeds print the right option`, async () => {
    const { default: generator } = (await import(`../../content/questions/${slug}/generator.ts`)) as {
      default: Generator<unknown>;
    };
    for (const seed of SEEDS) {
      const { code, options } = drawQuestion(slug, generator, seed);
      let printed = '';
      const { error } = await session.run(code, { onOutput: (text) => void (printed += text) });
      expect(error?.traceback).toBeUndefined();
      expect(printed, code).toBe(`${options.find((o) => o.misconception === undefined)?.text}\n`);
    }
  });
});
