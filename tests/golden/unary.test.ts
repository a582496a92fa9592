import { afterAll, expect, test } from 'vitest';
import type { Attrs } from '@/engine/ops/record';
import { bitsOf, compareBits } from './compare';
import { goldenBits, goldenDtype } from './load';
import { type GoldenResult, recordGolden } from './results';
import { runOp } from './run-op';

const results: GoldenResult[] = [];
afterAll(() => recordGolden('unary', results));

/** Golden name -> op and attributes. */
const ops: Record<string, readonly [string, Attrs?]> = {
  abs: ['abs'],
  cos: ['cos'],
  erf: ['erf'],
  exp: ['exp'],
  expm1: ['expm1'],
  gelu_none: ['gelu', { approximate: 'none' }],
  gelu_tanh: ['gelu', { approximate: 'tanh' }],
  log: ['log'],
  log1p: ['log1p'],
  neg: ['neg'],
  reciprocal: ['reciprocal'],
  relu: ['relu'],
  rsqrt: ['rsqrt'],
  sigmoid: ['sigmoid'],
  silu: ['silu'],
  sin: ['sin'],
  softplus: ['softplus'],
  sqrt: ['sqrt'],
  tanh: ['tanh'],
};

/** Inputs at which PyTorch's own float32 function is not the correctly rounded one, and a half result shows it. */
const exceptions: Record<string, readonly string[]> = {
  f16_sin: [
    'sin(±300) (0x5cb0, 0xdcb0): PyTorch’s float32 sine is 1 ulp off (0.99975580 for 0.99975584, next to a float16 tie); ours is correctly rounded',
  ],
  f16_gelu_tanh: [
    'gelu(-0.2498) (0xb3fe): the C library’s float32 tanh(-0.19983219) is 1 ulp off, next to a float16 tie; ours is correctly rounded',
  ],
};
const exceptionalInputs: Record<string, readonly number[]> = {
  f16_sin: [0x5cb0, 0xdcb0],
  f16_gelu_tanh: [0xb3fe],
};

for (const short of ['f16', 'bf16'] as const) {
  const dtype = goldenDtype(short);
  const data = Uint16Array.from({ length: 65536 }, (_, i) => i);
  for (const [golden, [op, attrs]] of Object.entries(ops)) {
    const file = `${short}_${golden}`;
    test(`${golden} of every ${dtype} gives PyTorch's bits`, () => {
      const [output] = runOp(op, [{ dtype, shape: [data.length], data }], attrs);
      const { failures, examples, count } = compareBits(bitsOf(output), goldenBits(`unary/${file}`), dtype);
      results.push({
        file: `unary/${file}`,
        entries: count,
        passed: count - failures.length,
        compared: 'exact bits, NaN as a class',
        exceptions: exceptions[file],
      });
      expect(failures, examples.join('; ')).toEqual(exceptionalInputs[file] ?? []);
    });
  }
}
