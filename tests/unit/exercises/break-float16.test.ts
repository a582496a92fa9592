/** The scores of break-float16 that no input beats: proved by trying every finite float16 of one element. */
import { expect, test } from 'vitest';
import { bfloat16, type FloatFormat, float16, fromBits, roundToFormat } from '../../../engine/formats/float-format';
import { TARGETS } from '../../../exercises/break-float16/exercise';

/** One element through each step, rounded after each: what a tensor of one element does. */
const STEPS: Readonly<Record<keyof typeof TARGETS, (x: number, round: (v: number) => number) => number>> = {
  softmax: (x, r) => {
    const e = r(Math.exp(x));
    return r(e / e);
  },
  normalize: (x, r) => r(x / r(Math.sqrt(r(x * x)))),
  mean: (x) => x,
};

const roundTo = (format: FloatFormat) => (v: number) => roundToFormat(v, format);

/** Magnitudes of the float16s that break float16 and not bfloat16, ascending. */
function breaking(target: keyof typeof TARGETS): number[] {
  const found: number[] = [];
  for (let bits = 0; bits <= 0xffff; bits++) {
    const x = fromBits(bits, float16);
    if (!Number.isFinite(x) || Number.isFinite(STEPS[target](x, roundTo(float16)))) continue;
    const right = STEPS[target](x, Math.fround);
    const got = STEPS[target](roundToFormat(x, bfloat16), roundTo(bfloat16));
    if (Number.isFinite(got) && Math.abs(got - right) <= 0.1 * Math.abs(right)) found.push(Math.abs(x));
  }
  return found.sort((a, b) => a - b);
}

test('softmax: 11.09375 is the smallest float16 that breaks it', () => {
  expect(breaking('softmax')[0]).toBe(11.09375);
  expect(TARGETS.softmax.smallest).toEqual({ elements: 1, magnitude: 11.09375 });
});

test('normalize: the smallest subnormal breaks it, and no square that overflows does', () => {
  const found = breaking('normalize');
  expect(found[0]).toBe(2 ** -24);
  expect(found.at(-1)).toBeLessThan(256);
  expect(TARGETS.normalize.smallest).toEqual({ elements: 1, magnitude: 2 ** -24 });
});

test('mean: no single element breaks it, and of two the larger is at least 32768', () => {
  expect(breaking('mean')).toEqual([]);
  // The two largest below 32768, the float16 before it: their sum is finite.
  const below = fromBits(0x77ff, float16);
  expect(below).toBe(32752);
  expect(roundToFormat(2 * below, float16)).toBe(65504);
  expect(roundToFormat(32768 + below, float16)).toBe(Number.POSITIVE_INFINITY);
  expect(TARGETS.mean.smallest).toEqual({ elements: 2, magnitude: 32768 });
});
