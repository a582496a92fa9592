/** Running one op call on the WebGPU backend and on the reference, and comparing the two. */
import type { Operand } from '@/engine/backends/backend';
import type { WebGpuBackend } from '@/engine/backends/webgpu';
import { allocateHost, type DType, type HostData, type HostTensor, isHalf } from '@/engine/formats/dtype';
import { readElements, writeElements } from '@/engine/formats/host-elements';
import type { Attrs, OpRecord, TensorSpec } from '@/engine/ops/record';

export type CallInput = HostTensor | { readonly constant: number; readonly dtype: DType };

export const stridesOf = (shape: readonly number[]): number[] =>
  shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));

export const tensor = (dtype: DType, shape: readonly number[], values: ArrayLike<number>): HostTensor => ({
  dtype,
  shape,
  data: writeElements(dtype, values),
});

/** Runs on the backend; `kernels` counts the dispatches that the call took. */
export async function onDevice(
  backend: WebGpuBackend,
  record: OpRecord,
  inputs: readonly CallInput[],
  attrs: Attrs,
  outputs: readonly TensorSpec[],
): Promise<{ results: HostData[]; kernels: number }> {
  const operands = inputs.map(
    (input): Operand =>
      'constant' in input
        ? input
        : {
            buffer: backend.upload(input.dtype, input.data),
            dtype: input.dtype,
            shape: input.shape,
            strides: stridesOf(input.shape),
            offset: 0,
          },
  );
  const before = backend.stats.dispatches;
  const buffers = backend.run(record, operands, attrs, outputs);
  const results: HostData[] = [];
  for (const buffer of buffers) results.push(await backend.read(buffer));
  const kernels = backend.stats.dispatches - before;
  for (const operand of operands) if ('buffer' in operand) backend.release(operand.buffer);
  for (const buffer of buffers) backend.release(buffer);
  return { results, kernels };
}

export function byReference(
  record: OpRecord,
  inputs: readonly CallInput[],
  attrs: Attrs,
  outputs: readonly TensorSpec[],
): readonly HostData[] {
  const host = inputs.map(
    (input): HostTensor =>
      'constant' in input
        ? { dtype: input.dtype, shape: [], data: writeElements(input.dtype, [input.constant]) }
        : input,
  );
  return record.reference(host, attrs, outputs);
}

const patternsOf = (dtype: DType, data: HostData): ArrayLike<number> =>
  dtype === 'float32' ? new Uint32Array(data.buffer, data.byteOffset, data.length) : data;

/**
 * The first element where `got` is further from `want` than `ulp` units in the last place, as text; '' where all agree. NaN equals NaN;
 * zeros must have the same sign when ulp is 0.
 */
export function firstDifference(dtype: DType, got: HostData, want: HostData, ulp = 0): string {
  if (got.length !== want.length) return `${got.length} elements, expected ${want.length}`;
  const values = (data: HostData) => readElements({ dtype, shape: [data.length], data });
  const gotValues = values(got);
  const wantValues = values(want);
  const gotBits = patternsOf(dtype, got);
  const wantBits = patternsOf(dtype, want);
  const signBit = dtype === 'float32' ? 2 ** 31 : 2 ** 15;
  for (let i = 0; i < got.length; i++) {
    if (Number.isNaN(gotValues[i]) && Number.isNaN(wantValues[i])) continue;
    if (gotBits[i] === wantBits[i]) continue;
    if (dtype === 'float32' || isHalf(dtype)) {
      const apart = Math.abs(orderOf(gotBits[i], signBit) - orderOf(wantBits[i], signBit));
      if (apart <= ulp && apart > 0) continue;
      if (apart === 0 && ulp > 0) continue;
      return `index ${i}: got ${gotValues[i]} (0x${gotBits[i].toString(16)}), expected ${wantValues[i]} (0x${wantBits[i].toString(16)}), ${apart} ulp apart, ${ulp} allowed`;
    }
    return `index ${i}: got ${gotValues[i]}, expected ${wantValues[i]}`;
  }
  return '';
}
const orderOf = (pattern: number, signBit: number): number => {
  const magnitude = pattern % signBit;
  return pattern >= signBit ? -magnitude : magnitude;
};

/** A small deterministic generator (xorshift32): the same hard cases on every run. */
export function randomWords(n: number, seed: number): Uint32Array {
  const out = new Uint32Array(n);
  let x = seed | 1;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    out[i] = x >>> 0;
  }
  return out;
}

/** `n` elements whose bit patterns are random: every class of number, mostly extreme magnitudes. */
export function randomPatterns(dtype: DType, n: number, seed: number): HostTensor {
  const words = randomWords(n, seed);
  if (dtype === 'float32') return { dtype, shape: [n], data: new Float32Array(words.buffer) };
  const data = allocateHost(dtype, n);
  for (let i = 0; i < n; i++)
    data[i] = dtype === 'bool' ? words[i] >>> 31 : isHalf(dtype) ? words[i] >>> 16 : words[i] | 0;
  return { dtype, shape: [n], data };
}

/** `n` elements between 2^-4 and 2^4 in magnitude, where additions cancel and round. */
export function randomNear(dtype: DType, n: number, seed: number): HostTensor {
  const words = randomWords(n, seed);
  return tensor(
    dtype,
    [n],
    Float64Array.from(words, (w) => (w & 1 ? -1 : 1) * (1 + (w >>> 9) / 2 ** 23) * 2 ** (((w >>> 1) % 8) - 4)),
  );
}

/** A call's inputs as tensors; and, where one has no dims, again with that one as a number, which never becomes device memory. */
export function inputForms(inputs: readonly HostTensor[]): CallInput[][] {
  const forms: CallInput[][] = [[...inputs]];
  if (inputs.length > 1 && inputs.some((input) => input.shape.length === 0)) {
    forms.push(
      inputs.map((input) =>
        input.shape.length === 0 ? { constant: readElements(input)[0], dtype: input.dtype } : input,
      ),
    );
  }
  return forms;
}
