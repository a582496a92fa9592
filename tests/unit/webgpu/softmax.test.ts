import { describe, expect, test } from 'vitest';
import '@/engine/ops';
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { type Attrs, opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, tensor } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);
const make = (dtype: DType, shape: number[], seed: number): HostTensor => ({
  ...randomNear(dtype, count(shape), seed),
  shape,
});

async function check(name: string, inputs: HostTensor[], attrs: Attrs, ulp: number): Promise<void> {
  const record = opTable.get(name)!;
  const outputs = record.infer(inputs, attrs);
  const { results, kernels } = await onDevice(backend, record, inputs, attrs, outputs);
  expect(kernels).toBeGreaterThan(0);
  const wanted = byReference(record, inputs, attrs, outputs);
  expect(firstDifference(outputs[0].dtype, results[0], wanted[0], ulp)).toBe('');
}

// 16-bit: exact bits. float32: e^x and log are correctly rounded but for one argument in 100,000, where a line moves by an ulp or two.
describe.each<[DType, number]>([
  ['float32', 2],
  ['float16', 0],
  ['bfloat16', 0],
])('%s', (dtype, ulp) => {
  const shapes: [number[], number][] = [
    [[5], 0],
    [[33, 10], 1],
    [[33, 10], 0],
    [[7, 101], -1],
    [[3, 8, 5], 1],
    [[4, 1000], 1],
  ];
  test.each(shapes)('softmax and log_softmax of %j along %i, and back', async (shape, dim) => {
    const x = make(dtype, shape, 9);
    for (const name of ['softmax', 'log_softmax']) {
      await check(name, [x], { dim, dtype: null }, ulp);
      const record = opTable.get(name)!;
      const [data] = record.reference([x], { dim, dtype: null }, [{ dtype, shape }]);
      await check(`_${name}_backward_data`, [make(dtype, shape, 4), { dtype, shape, data }], { dim }, ulp);
    }
  });
  test('rows with infinities and NaN', async () => {
    const x = tensor(
      dtype,
      [4, 3],
      [-Infinity, -Infinity, -Infinity, Infinity, 1, 2, Number.NaN, 1, 2, -Infinity, 1, 2],
    );
    for (const name of ['softmax', 'log_softmax']) await check(name, [x], { dim: 1, dtype: null }, ulp);
  });
});

test('float16 input with dtype=float32 is computed and stored in float32', async () => {
  await check('softmax', [make('float16', [9, 30], 2)], { dim: 1, dtype: 'float32' }, 2);
  await check('log_softmax', [make('float16', [9, 30], 2)], { dim: 1, dtype: 'float32' }, 2);
});
