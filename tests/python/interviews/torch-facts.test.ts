/** The runs of the interviews show what they show in real PyTorch: facts recorded from it (tests/golden/generate/interviews.py). */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadInterview } from '@/content/interviews/kit/discover';
import { EvidenceDesk } from '@/content/interviews/kit/evidence';
import { type Facts, fill } from '@/content/interviews/kit/schema';
import { NodeSession } from '@/engine/session/node';

const FOLDER = 'tests/golden/data/interviews';

interface Golden {
  readonly expressions: readonly string[];
  readonly seeds: Readonly<Record<string, Readonly<Record<string, Facts>>>>;
}

/**
 * Counts, steps, dtypes and truths are equal. Magnitudes may differ by a unit in the last place of float16 (2^-10, relative): float16 products
 * accumulate in float32, in an order of their own.
 */
function agrees(got: Facts[string], expected: Facts[string]): boolean {
  if (typeof got === 'number' && typeof expected === 'number' && !Number.isInteger(expected))
    return Math.abs(got - expected) <= Math.abs(expected) * 2 ** -10;
  return String(got) === String(expected);
}

describe.each(readdirSync(FOLDER).map((file) => file.replace('.json', '')))('interview %s', (slug) => {
  const session = new NodeSession();
  beforeAll(async () => {
    await session.start();
  });
  const golden = JSON.parse(readFileSync(`${FOLDER}/${slug}.json`, 'utf8')) as Golden;

  it.each(Object.keys(golden.seeds))('seed %s shows what it shows in PyTorch', async (seed) => {
    const { interview, sources } = await loadInterview(slug);
    const desk = new EvidenceDesk(interview, sources, Number(seed));
    const expected = golden.seeds[seed];
    const opening = (await desk.opening(session)).facts;
    expect(Object.keys(expected)).toEqual(['scenario.opening()', ...golden.expressions]);
    for (const [expression, facts] of Object.entries(expected)) {
      const got = (await desk.show(session, fill(expression, opening))).facts;
      const off = Object.keys(facts).filter((name) => !agrees(got[name], facts[name]));
      expect(
        off.map((name) => `${expression} ${name}: ${got[name]}, in PyTorch ${facts[name]}`),
        `seed ${seed}`,
      ).toEqual([]);
    }
  });
});
