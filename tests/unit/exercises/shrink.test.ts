import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Remembered, shrink } from '../../../exercises/kit/shrink';

test('a failing input is shrunk to the smallest one, through filters and maps, in a few round trips', async () => {
  const inputs = fc
    .array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 8 })
    .filter((a) => a.length % 2 === 0)
    .map((values) => ({ values }));
  const remembered = new Remembered(inputs);
  const drawn = fc.sample(remembered, { seed: 3, numRuns: 20 });
  // anything with a number of 100 or more fails
  const at = drawn.findIndex(({ values }) => values.some((v) => v >= 100));
  let trips = 0;
  const finding = await shrink(remembered.at(at), { message: 'as drawn' }, inputs, async (candidates) => {
    trips++;
    return candidates.map(({ values }) =>
      values.some((v) => v >= 100) ? { message: [...values].sort((a, b) => a - b).join() } : null,
    );
  });
  expect(finding?.message).toBe('0,100');
  expect(trips).toBeLessThanOrEqual(16);
});

test('where nothing smaller fails, the finding stays', async () => {
  const remembered = new Remembered(fc.constant(1));
  fc.sample(remembered, { seed: 1, numRuns: 1 });
  const finding = await shrink(remembered.at(0), { message: 'as drawn' }, remembered, async () => []);
  expect(finding).toEqual({ message: 'as drawn' });
});
