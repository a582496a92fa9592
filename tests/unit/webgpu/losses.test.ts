import { describe, expect, test } from 'vitest';
import type { View } from '@/engine/backends/backend';
import '@/engine/ops';
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, tensor } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const rows = 300;
const classes = 10;
const targets = tensor(
  'int64',
  [rows],
  Array.from({ length: rows }, (_, i) => (i % 17 === 0 ? -100 : (i * 7) % classes)),
);

describe.each<DType>(['float32', 'float16', 'bfloat16'])('nll_loss of %s', (dtype) => {
  test.each([1, 2])("reduction %i: forward and backward have the reference's bits", async (reduction) => {
    const x: HostTensor = { ...randomNear(dtype, rows * classes, 3), shape: [rows, classes] };
    const attrs = { reduction, ignore_index: -100, has_weight: false };
    for (const [name, inputs, all] of [
      ['nll_loss', [x, targets], attrs],
      ['nll_loss_backward', [tensor(dtype, [], [0.7]), targets], { ...attrs, input_shape: [rows, classes] }],
    ] as const) {
      const record = opTable.get(name)!;
      const outputs = record.infer(inputs, all);
      const { results, kernels } = await onDevice(backend, record, inputs, all, outputs);
      expect(kernels).toBeGreaterThan(0);
      expect(firstDifference(dtype, results[0], byReference(record, inputs, all, outputs)[0])).toBe('');
    }
  });
});

test('a target outside the classes raises at the next read, once', async () => {
  const record = opTable.get('nll_loss')!;
  const view = (x: HostTensor): View => ({
    buffer: backend.upload(x.dtype, x.data),
    dtype: x.dtype,
    shape: x.shape,
    strides: x.shape.length === 2 ? [3, 1] : [1],
    offset: 0,
  });
  const x = view(tensor('float32', [2, 3], [-1, -2, -3, -4, -5, -6]));
  const attrs = { reduction: 2, ignore_index: -100, has_weight: false };
  const run = (...t: number[]) =>
    backend.run(record, [x, view(tensor('int64', [2], t))], attrs, [{ dtype: 'float32', shape: [] }])[0];
  const wrong = run(0, 3);
  await expect((async () => backend.read(wrong))()).rejects.toMatchObject({
    name: 'IndexError',
    message: 'Target 3 is out of bounds.',
  });
  run(-1, 0);
  await expect(backend.finish()).rejects.toThrow('Target -1 is out of bounds.');
  expect(await backend.read(run(0, 2))).toEqual(Float32Array.of(7));
});

describe.each<DType>(['float32', 'float16', 'bfloat16'])('mse_loss of %s', (dtype) => {
  test.each([0, 1, 2])("reduction %i: forward and backward have the reference's bits", async (reduction) => {
    const x: HostTensor = { ...randomNear(dtype, 700, 3), shape: [100, 7] };
    const y: HostTensor = { ...randomNear(dtype, 7, 4), shape: [7] };
    const grad: HostTensor =
      reduction === 0 ? { ...randomNear(dtype, 700, 5), shape: [100, 7] } : tensor(dtype, [], [0.7]);
    for (const [name, inputs] of [
      ['mse_loss', [x, y]],
      ['mse_loss_backward', [grad, x, y]],
    ] as const) {
      const record = opTable.get(name)!;
      const outputs = record.infer(inputs, { reduction });
      const { results, kernels } = await onDevice(backend, record, inputs, { reduction }, outputs);
      expect(kernels).toBeGreaterThan(0);
      expect(firstDifference(dtype, results[0], byReference(record, inputs, { reduction }, outputs)[0])).toBe('');
    }
  });
});
