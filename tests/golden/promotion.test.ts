import { afterAll, expect, test } from 'vitest';
import type { DType } from '@/engine/formats/dtype';
import { finfo } from '@/engine/formats/dtype-info';
import { promoteTypes, resultType } from '@/engine/formats/promotion';
import { TorchError } from '@/engine/ops/record';
import { type Argument, Dispatch, type Handle, int } from './dispatch-op';
import { goldenJson } from './load';
import { type GoldenResult, recordGolden } from './results';

type Dims = 0 | 1 | 'py';
const golden = goldenJson<{
  /** dtype a, its dimensions, dtype b or Python type, its dimensions or "py", dtype of a + b, dtype of a / b */
  readonly pairs: readonly (readonly [DType, 0 | 1, DType | 'bool' | 'int' | 'float', Dims, DType, DType])[];
  /** dtype a, dtype b, dtype of a after a += b, or the error */
  readonly inplace_add: readonly (readonly [DType, DType, string])[];
}>('promotion.json');

const results: GoldenResult[] = [];
afterAll(() => recordGolden('promotion', results));
const numbers = { bool: true, int: int(2), float: 1.5 } as const;
const wrappedDtype = { bool: 'bool', int: 'int64', float: 'float64' } as const;

test('a + b and a / b have the dtypes that PyTorch gives, for all dtypes, 0-dim tensors and Python numbers', () => {
  const t = new Dispatch();
  const ones = (dtype: DType, dims: 0 | 1): Handle => t.tensor(dims ? [1, 1] : [1], dtype, dims ? [2] : []);
  let passed = 0;
  for (const row of golden.pairs) {
    const [dtypeA, dimsA, typeB, dimsB, sum, quotient] = row;
    const a = ones(dtypeA, dimsA);
    const b: Argument = dimsB === 'py' ? numbers[typeB as keyof typeof numbers] : ones(typeB as DType, dimsB);
    expect([...row.slice(0, 4), t.dtype(t.op('add', a, b)), t.dtype(t.op('div', a, b))]).toEqual([
      ...row.slice(0, 4),
      sum,
      quotient,
    ]);
    const operand =
      dimsB === 'py'
        ? { dtype: wrappedDtype[typeB as keyof typeof wrappedDtype], dim: 0, wrapped: true }
        : { dtype: typeB as DType, dim: dimsB };
    expect(resultType([{ dtype: dtypeA, dim: dimsA }, operand])).toBe(sum);
    passed++;
  }
  results.push({ file: 'promotion.json: a + b, a / b', entries: golden.pairs.length, passed, compared: 'exact dtype' });
});

test('a += b keeps the dtype of a, or raises with PyTorch’s text', () => {
  const t = new Dispatch();
  let passed = 0;
  for (const [dtypeA, dtypeB, expected] of golden.inplace_add) {
    const a = t.tensor([1, 1], dtypeA);
    const b = t.tensor([1, 1], dtypeB);
    let actual: string;
    try {
      t.b.op_('add', a.h, a.h, b.h, 0, -2, 1);
      actual = t.dtype(a);
    } catch (error) {
      if (!(error instanceof TorchError)) throw error;
      actual = `${error.pythonType}: ${error.message}`;
    }
    expect(`${dtypeA} += ${dtypeB}: ${actual}`).toBe(`${dtypeA} += ${dtypeB}: ${expected}`);
    passed++;
  }
  results.push({
    file: 'promotion.json: a += b',
    entries: golden.inplace_add.length,
    passed,
    compared: 'exact dtype or error text',
  });
});

test('promote_types is symmetric and idempotent', () => {
  const dtypes: DType[] = [
    'bool',
    'uint8',
    'int8',
    'int16',
    'int32',
    'int64',
    'float16',
    'bfloat16',
    'float32',
    'float64',
  ];
  for (const a of dtypes) {
    expect(promoteTypes(a, a)).toBe(a);
    for (const b of dtypes) expect(promoteTypes(a, b)).toBe(promoteTypes(b, a));
  }
  expect(promoteTypes('uint8', 'int8')).toBe('int16');
  expect(promoteTypes('float16', 'bfloat16')).toBe('float32');
});

test('finfo gives the limits that torch.finfo prints', () => {
  expect(finfo('float16')).toMatchObject({
    bits: 16,
    max: 65504,
    min: -65504,
    eps: 0.0009765625,
    tiny: 6.103515625e-5,
    resolution: 0.001,
  });
  expect(finfo('bfloat16')).toMatchObject({
    max: 3.3895313892515355e38,
    eps: 0.0078125,
    tiny: 1.1754943508222875e-38,
    resolution: 0.01,
  });
  expect(finfo('float32')).toMatchObject({
    max: 3.4028234663852886e38,
    eps: 1.1920928955078125e-7,
    tiny: 1.1754943508222875e-38,
    resolution: 1e-6,
  });
});
