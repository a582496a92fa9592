import { describe, expect, test } from 'vitest';
import '@/engine/ops';
import type { HostTensor } from '@/engine/formats/dtype';
import { opTable } from '@/engine/ops/record';
import { firstDifference, onDevice, randomPatterns, randomWords } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();

/** 200,000 float32 values from `from` to `to`, evenly in the exponent (or linearly), both signs where asked. */
function spread(from: number, to: number, signs: boolean): HostTensor {
  const n = 200_000;
  const words = randomWords(n, 77);
  const data = Float32Array.from(words, (w) => {
    const u = (w >>> 1) / 2 ** 31;
    return (signs && w & 1 ? -1 : 1) * from * (to / from) ** u;
  });
  return { dtype: 'float32', shape: [n], data };
}

describe.each<[string, (x: number) => number, HostTensor[]]>([
  ['exp', Math.exp, [spread(2 ** -30, 110, true), randomPatterns('float32', 100_000, 4)]],
  [
    'log',
    Math.log,
    [
      spread(2 ** -149, 2 ** 127, false),
      spread(0.5, 2, false),
      spread(0.999, 1.001, false),
      randomPatterns('float32', 100_000, 4),
    ],
  ],
])('%s of float32 is the double result rounded once', (name, exact, cases) => {
  test.each(cases.map((input, i) => [i, input] as const))(
    'case %i: at most 10 in 100,000 differ, by one ulp',
    async (_i, input) => {
      const record = opTable.get(name)!;
      const { results, kernels } = await onDevice(backend, record, [input], {}, [
        { dtype: 'float32', shape: input.shape },
      ]);
      expect(kernels).toBe(1);
      const got = results[0] as Float32Array;
      const bits = new Int32Array(got.buffer);
      const want = Float32Array.from(input.data, exact);
      const wantBits = new Int32Array(want.buffer);
      let different = 0;
      for (let i = 0; i < got.length; i++) {
        if (Number.isNaN(got[i]) && Number.isNaN(want[i])) continue;
        if (Object.is(got[i], want[i])) continue;
        different++;
        expect(Math.abs(bits[i] - wantBits[i]), `${name}(${input.data[i]}) = ${got[i]}, expected ${want[i]}`).toBe(1);
      }
      expect(different).toBeLessThanOrEqual((10 * got.length) / 100_000);
    },
  );
});

/** The rounding of a step to float32. */
const f = Math.fround;
describe.each<[string, (x: number) => number, number]>([
  ['tanh', Math.tanh, 1],
  ['sigmoid', (x) => f(1 / f(1 + f(Math.exp(-x)))), 1],
  ['silu', (x) => f(x / f(1 + f(Math.exp(-x)))), 1],
])('%s of float32', (name, exact, ulp) => {
  test.each([spread(2 ** -30, 60, true), randomPatterns('float32', 50_000, 4)].map((input, i) => [i, input] as const))(
    `case %i: within ${ulp} ulp`,
    async (_i, input) => {
      const record = opTable.get(name)!;
      const { results, kernels } = await onDevice(backend, record, [input], {}, [
        { dtype: 'float32', shape: input.shape },
      ]);
      expect(kernels).toBe(1);
      expect(firstDifference('float32', results[0], Float32Array.from(input.data, exact), ulp)).toBe('');
    },
  );
});
