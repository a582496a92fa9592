import { describe, expect, test } from 'vitest';
import '@/engine/ops';
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { type Attrs, opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, randomPatterns, tensor } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const make = (dtype: DType, shape: number[], seed: number): HostTensor => ({
  ...randomNear(dtype, count(shape), seed),
  shape,
});

async function check(name: string, inputs: HostTensor[], attrs: Attrs): Promise<void> {
  const record = opTable.get(name)!;
  const outputs = record.infer(inputs, attrs);
  const { results, kernels } = await onDevice(backend, record, inputs, attrs, outputs);
  expect(kernels).toBeGreaterThan(0);
  const wanted = byReference(record, inputs, attrs, outputs);
  outputs.forEach((spec, k) => {
    expect(firstDifference(spec.dtype, results[k], wanted[k]), `${name}, output ${k}`).toBe('');
  });
}

describe.each<DType>(['float32', 'float16', 'bfloat16'])('%s', (dtype) => {
  test('largest and smallest, values and indices', async () => {
    const x = make(dtype, [33, 7], 3);
    const wild: HostTensor = { ...randomPatterns(dtype, 33 * 7, 4), shape: [33, 7] };
    for (const input of [x, wild])
      for (const name of ['max', 'min']) {
        await check(name, [input], {});
        for (const dim of [0, 1]) {
          await check(`${name}_dim`, [input], { dim, keepdim: false });
          await check(`a${name}`, [input], { dim: [dim], keepdim: true });
          await check(`arg${name}`, [input], { dim, keepdim: false });
        }
        await check(`arg${name}`, [input], { dim: null, keepdim: false });
      }
  });
  test('embedding and its backward', async () => {
    const indices = tensor(
      'int64',
      [5, 9],
      Array.from({ length: 45 }, (_, i) => (i * i) % 11),
    );
    await check('embedding', [make(dtype, [11, 7], 5), indices], { padding_idx: -1 });
    await check('embedding_dense_backward', [make(dtype, [5, 9, 7], 6), indices], { num_weights: 11, padding_idx: 4 });
  });
  test('cat and stack', async () => {
    const [a, b] = [make(dtype, [3, 5], 1), make(dtype, [3, 2], 2)];
    await check('cat', [a, b, a], { dim: 1 });
    await check('cat', [a, make(dtype, [1, 5], 3)], { dim: 0 });
    for (const dim of [0, 1, 2]) await check('stack', [a, make(dtype, [3, 5], 4)], { dim });
  });
});

test('an index outside the table is an IndexError at the next read', async () => {
  const record = opTable.get('embedding')!;
  const weight = make('float32', [4, 3], 1);
  const views = [weight, tensor('int64', [2], [1, 4])].map((x) => ({
    buffer: backend.upload(x.dtype, x.data),
    dtype: x.dtype,
    shape: x.shape,
    strides: x.shape.length === 2 ? [3, 1] : [1],
    offset: 0,
  }));
  const [out] = backend.run(record, views, { padding_idx: -1 }, [{ dtype: 'float32', shape: [2, 3] }]);
  await expect((async () => backend.read(out))()).rejects.toMatchObject({
    name: 'IndexError',
    message: 'index out of range in self',
  });
});
