/** The scaler's kernels through the bridge: an in-place op swaps a tensor's buffer while an earlier host step that reads it still waits. */
import { expect, test } from 'vitest';
import '@/engine/ops';
import { createBridge } from '@/engine/session/bridge';
import { testBackend } from './dawn';

test('a host step that waits for the device reads the values that its tensors had when it was called', async () => {
  const b = createBridge({ cuda: await testBackend(), info: { name: 'webgpu' } });
  const scalar = (value: number, dtype: 'float32' | 'int32') => b.full(-3, value, dtype, 'cuda');
  const [scale, tracker, foundInf, inverse] = [
    scalar(1024, 'float32'),
    scalar(0, 'int32'),
    scalar(0, 'float32'),
    scalar(2 ** -10, 'float32'),
  ];
  const grad = b.from_values(new Float64Array([1, 2, 3]), 'float32', 'cuda', 3);
  for (const step of [1, 2]) {
    b.op_into('_amp_non_finite_check_and_unscale', 2, grad, foundInf, grad, foundInf, inverse);
    b.op_into('_amp_update_scale', 2, scale, tracker, scale, tracker, foundInf, 2, 0.5, 2000);
    // Work that takes blocks from the pool before anything is read.
    for (let k = 0; k < 4; k++) b.op('mul', grad, -3, k);
    expect(await b.item(scale)).toBe(1024);
    expect(await b.item(tracker)).toBe(step);
    expect(await b.item(foundInf)).toBe(0);
  }
});
