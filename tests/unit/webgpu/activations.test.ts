import { describe, expect, test } from 'vitest';
import '@/engine/ops';
import type { DType } from '@/engine/formats/dtype';
import { opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, randomPatterns } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const attrs = { threshold_backward: { threshold: { value: 0, kind: 'float' } } } as const;

// 16-bit: exact bits. float32 silu: e^x may be an ulp off for one argument in 100,000.
describe.each<DType>(['float32', 'float16', 'bfloat16'])('%s', (dtype) => {
  test.each(['sigmoid_backward', 'tanh_backward', 'silu_backward', 'threshold_backward'])('%s', async (name) => {
    const record = opTable.get(name)!;
    for (const make of [randomNear, randomPatterns]) {
      const inputs = [make(dtype, 20_001, 5), make(dtype, 20_001, 6)];
      const outputs = record.infer(inputs, attrs[name as keyof typeof attrs] ?? {});
      const all = attrs[name as keyof typeof attrs] ?? {};
      const { results, kernels } = await onDevice(backend, record, inputs, all, outputs);
      expect(kernels).toBe(1);
      const ulp = name === 'silu_backward' && dtype === 'float32' ? 2 : 0;
      expect(firstDifference(dtype, results[0], byReference(record, inputs, all, outputs)[0], ulp)).toBe('');
    }
  });
});
