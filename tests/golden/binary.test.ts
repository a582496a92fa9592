import { afterAll, expect, test } from 'vitest';
import { bitsOf, compareBits } from './compare';
import { goldenBits, goldenDtype } from './load';
import { type GoldenResult, recordGolden } from './results';
import { runOp } from './run-op';

const results: GoldenResult[] = [];
afterAll(() => recordGolden('binary', results));

/** JavaScript numbers can't tell a signalling NaN from a quiet one, so pow(sNaN, 0) is 1 here as for a quiet NaN (IEEE 754 9.2.1). */
const exceptions: Record<string, readonly string[]> = {
  bf16_pow: ['pow(signalling NaN, ±0) (0x7fb2 with 0x8000, 0xffb4 with 0): NaN in PyTorch, 1 here'],
};
const exceptionalPairs: Record<string, readonly string[]> = { bf16_pow: ['7fb2 8000', 'ffb4 0'] };

for (const short of ['f16', 'bf16'] as const) {
  const dtype = goldenDtype(short);
  const a = goldenBits(`binary/${short}_a`) as Uint16Array;
  const b = goldenBits(`binary/${short}_b`) as Uint16Array;
  for (const op of ['add', 'sub', 'mul', 'div', 'pow', 'maximum', 'remainder', 'atan2']) {
    const file = `${short}_${op}`;
    test(`${op} of 100,000 pairs of ${dtype} gives PyTorch's bits`, () => {
      const [output] = runOp(op, [
        { dtype, shape: [a.length], data: a },
        { dtype, shape: [b.length], data: b },
      ]);
      const { failures, examples, count } = compareBits(bitsOf(output), goldenBits(`binary/${file}`), dtype);
      results.push({
        file: `binary/${file}`,
        entries: count,
        passed: count - failures.length,
        compared: 'exact bits, NaN as a class',
        exceptions: exceptions[file],
      });
      const pairs = failures.map((i) => `${a[i].toString(16)} ${b[i].toString(16)}`);
      expect(pairs, examples.join('; ')).toEqual(exceptionalPairs[file] ?? []);
    });
  }
}
