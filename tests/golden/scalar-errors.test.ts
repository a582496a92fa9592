import { afterAll, expect, test } from 'vitest';
import type { DType } from '@/engine/formats/dtype';
import { TorchError } from '@/engine/ops/record';
import { type Argument, Dispatch, type Handle, int } from './dispatch-op';
import { goldenJson } from './load';
import { type GoldenResult, recordGolden } from './results';

type GoldenArgument = string | number | boolean | null | { readonly int?: number; readonly f?: string };
type Outcome = readonly ['ok', string, readonly string[]] | readonly ['raised', string, string];
const rows =
  goldenJson<readonly (readonly [string, readonly GoldenArgument[], string, Outcome])[]>('scalar_errors.json');

const results: GoldenResult[] = [];
afterAll(() => recordGolden('scalar-errors', results));

const tensors: Record<string, (t: Dispatch) => Handle> = {
  h: (t) => t.tensor([1, 1], 'float16'),
  n: (t) => t.tensor([Number.NaN, Number.NaN], 'float16'),
  z: (t) => t.tensor([1], 'float16', []),
  b: (t) => t.tensor([1, 1], 'bfloat16'),
  f: (t) => t.tensor([1, 1], 'float32'),
  i: (t) => t.tensor([1, 1], 'int64'),
  j: (t) => t.tensor([0, 0], 'int64'),
  e: (t) => t.tensor([1, 1], 'int8'),
  m: (t) => t.tensor([1, 1], 'bool'),
  q: (t) => t.tensor([1e6], 'float32', []),
  t: (t) => t.tensor([1, 1, 1], 'float32'),
  w: (t) => t.tensor([1], 'float32'),
};
const short: Partial<Record<DType, string>> = {
  float16: 'f16',
  bfloat16: 'bf16',
  float32: 'f32',
  int64: 'i64',
  int8: 'i8',
  bool: 'bool',
};

/** Floats as JavaScript prints them, from Python's text. */
const same = (outcome: Outcome): Outcome =>
  outcome[0] === 'raised'
    ? outcome
    : ['ok', outcome[1], outcome[2].map((x) => String(Number(x.replace('inf', 'Infinity'))))];

for (const [op, args, expression, golden] of rows) {
  const expected = same(golden);
  test(`${expression}: ${expected[0] === 'ok' ? `${expected[1]} ${expected[2]}` : expected[2].slice(0, 60)}`, () => {
    const t = new Dispatch();
    let actual: Outcome;
    try {
      const out = t.op(
        op,
        ...args.map((x): Argument => {
          if (typeof x === 'string') return tensors[x]?.(t) ?? x;
          if (x === null || typeof x === 'boolean') return x;
          if (typeof x === 'number') return x;
          return x.int !== undefined ? int(x.int) : Infinity;
        }),
      );
      actual = [
        'ok',
        short[t.dtype(out) as DType] ?? t.dtype(out),
        Array.from(t.b.values(out.h) as Float64Array, String),
      ];
    } catch (error) {
      if (!(error instanceof TorchError)) throw error;
      actual = ['raised', error.pythonType, error.message];
    }
    results.push({
      file: `scalar_errors.json: ${expression}`,
      entries: 1,
      passed: JSON.stringify(actual) === JSON.stringify(expected) ? 1 : 0,
      compared: 'exact value, or error type and text',
    });
    expect(actual).toEqual(expected);
  });
}
