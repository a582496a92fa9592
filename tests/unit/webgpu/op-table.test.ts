/**
 * Every op of the table on the WebGPU backend, against its reference, on its own samples. A record that names a kernel must really
 * dispatch one for at least one floating dtype: "claimed" is checked, not believed.
 */
import { describe, expect, test } from 'vitest';
import '@/engine/ops';
import { type DType, type HostTensor, isHalf } from '@/engine/formats/dtype';
import { opTable, type TensorSpec, TorchError } from '@/engine/ops/record';
import { byReference, firstDifference, inputForms, onDevice, tensor } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const dtypes: DType[] = ['float32', 'float16', 'bfloat16'];

describe.each([...opTable.values()].map((record) => [record.name, record] as const))('%s', (_name, record) => {
  const claimed = record.wgsl !== 'host';
  let dispatched = 0;
  for (const dtype of dtypes)
    test(dtype, async () => {
      for (const [index, sample] of record.samples.entries()) {
        const inputs = sample.inputs.map(
          (input): HostTensor => tensor(input.dtype ?? dtype, input.shape, input.values),
        );
        const attrs = sample.attrs ?? {};
        let outputs: readonly TensorSpec[];
        try {
          outputs = record.infer(inputs, attrs);
          byReference(record, inputs, attrs, outputs);
        } catch (error) {
          if (error instanceof TorchError) continue; // not defined for this dtype
          throw error;
        }
        const expected = byReference(record, inputs, attrs, outputs);
        for (const form of inputForms(inputs)) {
          const { results, kernels } = await onDevice(backend, record, form, attrs, outputs);
          dispatched += kernels;
          results.forEach((result, k) => {
            const allowed = isHalf(outputs[k].dtype)
              ? record.tolerance.half.ulp
              : Math.max(record.tolerance.float32.ulp, 1);
            const difference = firstDifference(outputs[k].dtype, result, expected[k], allowed);
            expect(difference && `sample ${index}, output ${k}: ${difference}`).toBe('');
          });
        }
      }
    });
  if (claimed && record.samples.length > 0)
    test('the kernel that the record names was dispatched', () => {
      expect(dispatched).toBeGreaterThan(0);
    });
});
