import { describe, expect, test } from 'vitest';
import type { View } from '@/engine/backends/backend';
import '@/engine/ops';
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { type Attrs, opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, randomPatterns } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const dtypes: DType[] = ['float32', 'float16', 'bfloat16'];
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const make = (dtype: DType, shape: number[], seed: number): HostTensor => ({
  ...randomNear(dtype, count(shape), seed),
  shape,
});

async function check(name: string, inputs: HostTensor[], attrs: Attrs, ulp = 0): Promise<void> {
  const record = opTable.get(name)!;
  const outputs = record.infer(inputs, attrs);
  const { results, kernels } = await onDevice(backend, record, inputs, attrs, outputs);
  expect(kernels).toBeGreaterThan(0);
  const wanted = byReference(record, inputs, attrs, outputs);
  outputs.forEach((spec, k) => {
    expect(firstDifference(spec.dtype, results[k], wanted[k], ulp)).toBe('');
  });
}

describe.each(dtypes)("sums of %s have the bits of ATen's order", (dtype) => {
  test.each<[number[], number[] | null]>([
    [[1], null],
    [[7], null],
    [[16], null],
    [[100], null],
    [[5000], null],
    [[3, 1000], [1]],
    [[100, 77], [1]],
    [[100, 77], [0]],
    [[33, 3], [0]],
    [[300, 45], [0]],
    [[2, 40, 5], [1]],
    [
      [4, 5, 6],
      [1, 2],
    ],
    [
      [4, 5, 6],
      [0, 1],
    ],
  ])('%j over %j', async (shape, dim) => {
    const attrs = { dim, keepdim: false, dtype: null };
    for (const name of ['sum', 'mean']) await check(name, [make(dtype, shape, 3)], attrs);
    await check('sum', [{ ...randomPatterns(dtype, count(shape), 8), shape }], attrs);
  });
  test('a transposed input is summed in its logical order', async () => {
    const x = make(dtype, [40, 30], 5);
    const view: View = { buffer: backend.upload(dtype, x.data), dtype, shape: [30, 40], strides: [1, 30], offset: 0 };
    const logical = x.data.slice();
    for (let i = 0; i < 30; i++) for (let j = 0; j < 40; j++) logical[i * 40 + j] = x.data[j * 30 + i];
    const record = opTable.get('sum')!;
    const attrs = { dim: [1], keepdim: false, dtype: null };
    const outputs = [{ dtype, shape: [30] }];
    const [out] = backend.run(record, [view], attrs, outputs);
    expect(
      firstDifference(
        dtype,
        await backend.read(out),
        byReference(record, [{ dtype, shape: [30, 40], data: logical }], attrs, outputs)[0],
      ),
    ).toBe('');
  });
});

test('a sum of bools counts', () =>
  check('sum', [randomPatterns('bool', 5000, 2)], { dim: null, keepdim: false, dtype: null }));

describe.each(dtypes)("the Euclidean norm of %s has the reference's bits", (dtype) => {
  test.each<[number[], number[] | null]>([
    [[1], null],
    [[3], null],
    [[23], null],
    [[5000], null],
    [[40, 39], [1]],
    [[40, 39], [0]],
  ])('%j over %j', async (shape, dim) => {
    const attrs = { ord: 2, dim, keepdim: false, dtype: null };
    await check('linalg_vector_norm', [make(dtype, shape, 3)], attrs);
    await check('linalg_vector_norm', [{ ...randomPatterns(dtype, count(shape), 8), shape }], attrs);
    if (dtype !== 'float32') await check('linalg_vector_norm', [make(dtype, shape, 3)], { ...attrs, dtype: 'float32' });
  });
});
