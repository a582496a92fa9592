import { describe, expect, test } from 'vitest';
import '@/engine/ops';
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { type Attrs, opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, randomPatterns, tensor } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();

async function check(name: string, inputs: HostTensor[], attrs: Attrs): Promise<void> {
  const record = opTable.get(name)!;
  const outputs = record.infer(inputs, attrs);
  const { results, kernels } = await onDevice(backend, record, inputs, attrs, outputs);
  expect(kernels).toBeGreaterThan(0);
  const wanted = byReference(record, inputs, attrs, outputs);
  outputs.forEach((spec, k) => {
    expect(firstDifference(spec.dtype, results[k], wanted[k]), `output ${k}`).toBe('');
  });
}

describe.each<DType>(['float32', 'float16', 'bfloat16'])("one step on %s has the reference's bits", (dtype) => {
  const n = 5001;
  const squares: HostTensor = tensor(
    dtype,
    [n],
    Array.from({ length: n }, (_, i) => ((i * 7919) % 1000) / 999),
  );
  const [p, g, m] = [1, 2, 3].map((seed) => randomNear(dtype, n, seed));
  const sgd = { lr: 0.1, momentum: 0.9, dampening: 0, weight_decay: 0.01, nesterov: false, maximize: false };
  test('SGD: plain, first and later steps with momentum, Nesterov', async () => {
    await check('_sgd_step', [p, g], { ...sgd, momentum: 0, has_momentum_buffer: false });
    await check('_sgd_step', [p, g], { ...sgd, has_momentum_buffer: false });
    await check('_sgd_step', [p, g, m], { ...sgd, dampening: 0.3, has_momentum_buffer: true });
    await check('_sgd_step', [p, g, m], { ...sgd, nesterov: true, maximize: true, has_momentum_buffer: true });
  });
  test('Adam and AdamW', async () => {
    const adam = {
      has_max_exp_avg_sq: false,
      lr: 0.01,
      beta1: 0.9,
      beta2: 0.999,
      eps: 1e-8,
      weight_decay: 0.1,
      step_size: 0.01 / (1 - 0.9 ** 3),
      bias_correction2_sqrt: Math.sqrt(1 - 0.999 ** 3),
      decoupled: false,
      maximize: false,
    };
    await check('_adam_step', [p, g, m, squares], adam);
    await check('_adam_step', [p, g, m, squares], { ...adam, decoupled: true });
    await check('_adam_step', [p, g, m, squares], { ...adam, weight_decay: 0, beta1: 0.2 });
  });
  test('unscaling finds inf and NaN before the product', async () => {
    const flag = (v: number) => tensor('float32', [], [v]);
    await check('_amp_non_finite_check_and_unscale', [randomNear(dtype, n, 4), flag(0), flag(2 ** -16)], {});
    await check('_amp_non_finite_check_and_unscale', [randomPatterns(dtype, n, 4), flag(0), flag(0.3)], {});
    await check('_amp_non_finite_check_and_unscale', [randomNear(dtype, n, 4), flag(1), flag(Infinity)], {});
  });
});
