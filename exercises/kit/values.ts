/** Tensors as the session passes them (dtype, shape, bits), made from numbers and read back as numbers. */
import { formats, fromBits, toBits } from '../../engine/formats/float-format';
import type { PyValue } from '../../engine/session/session';

export type Half = 'float16' | 'bfloat16';
export type Floating = Half | 'float32';
export type TensorValue = Extract<PyValue, { kind: 'tensor' }>;

/** Rounded to `dtype` on use; `values` are row-major. */
export interface Logits {
  readonly dtype: Half;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

/** A tensor on the accelerator, each value rounded to the nearest of its dtype (ties to even). */
export function tensor(dtype: Floating, shape: readonly number[], values: readonly number[]): TensorValue {
  return {
    kind: 'tensor',
    dtype,
    shape,
    device: 'cuda',
    bits: values.map((v) => hex(toBits(v, formats[dtype]), dtype)).join(' '),
  };
}

/** The values of a floating tensor, exactly. */
export function tensorNumbers(t: TensorValue): number[] {
  return tensorBits(t).map((b) => fromBits(b, formats[t.dtype as Floating]));
}

export function tensorBits(t: TensorValue): number[] {
  return t.bits === '' ? [] : t.bits.split(' ').map((h) => Number.parseInt(h, 16));
}

export function isFloatingTensor(v: PyValue): v is TensorValue & { dtype: Floating } {
  return v.kind === 'tensor' && (v.dtype === 'float16' || v.dtype === 'bfloat16' || v.dtype === 'float32');
}

/** Bit pattern as hex with the width of its dtype. */
export const hex = (bits: number, dtype: Floating): string =>
  bits.toString(16).padStart(dtype === 'float32' ? 8 : 4, '0');

/** (2 - 2^-significandBits) * 2^bias */
export const largestFinite = (dtype: Floating): number => formats[dtype].max;
/** 2^(1 - bias - significandBits): what one rounding below the normal range may be off by, twice over. */
export const smallestSubnormal = (dtype: Floating): number => formats[dtype].smallestSubnormal;
/** 2^-(significandBits + 1): the relative error of one rounding to nearest. */
export const unitRoundoff = (dtype: Floating): number => formats[dtype].unitRoundoff;

/** A tensor as a learner would type it, for showing the call that failed. */
export function pythonLiteral(v: PyValue): string {
  switch (v.kind) {
    case 'tensor': {
      const numbers = isFloatingTensor(v) ? tensorNumbers(v).map(pythonNumber) : [];
      let at = 0;
      const nest = (dim: number): string => {
        if (dim === v.shape.length) return numbers[at++] ?? '?';
        return `[${Array.from({ length: v.shape[dim] as number }, () => nest(dim + 1)).join(', ')}]`;
      };
      return `torch.tensor(${nest(0)}, dtype=torch.${v.dtype})`;
    }
    case 'number':
      return typeof v.value === 'number' ? pythonNumber(v.value) : v.value;
    case 'string':
      return JSON.stringify(v.value);
    case 'none':
      return 'None';
    case 'list':
    case 'tuple': {
      const items = v.items.map(pythonLiteral).join(', ');
      return v.kind === 'list' ? `[${items}]` : `(${items}${v.items.length === 1 ? ',' : ''})`;
    }
    case 'dict':
      return `{${v.entries.map(([k, e]) => `${JSON.stringify(k)}: ${pythonLiteral(e)}`).join(', ')}}`;
    case 'other':
      return v.repr;
  }
}

const pythonNumber = (x: number): string => {
  if (Number.isNaN(x)) return 'float("nan")';
  if (!Number.isFinite(x)) return x > 0 ? 'float("inf")' : 'float("-inf")';
  return Object.is(x, -0) ? '-0.0' : String(x);
};
