/** `torch.finfo` and `torch.iinfo`: what a dtype can hold. */
import { type DType, isFloating } from './dtype';
import { bfloat16, type FloatFormat, float16, float32 } from './float-format';

export interface FloatInfo {
  readonly bits: number;
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  /** The smallest positive normal number; `smallest_normal` is the same. */
  readonly tiny: number;
  readonly smallestNormal: number;
  /** Approximate decimal resolution: 10^-precision. */
  readonly resolution: number;
}

/** 10^-floor(log10(2^significandBits)): decimal digits that survive, as PyTorch computes it (c10's digits10). */
const resolutions: Partial<Record<DType, number>> = { float16: 1e-3, bfloat16: 1e-2, float32: 1e-6, float64: 1e-15 };

/** Raises a plain error for integer dtypes; Python raises torch's TypeError before it gets here. */
export function finfo(dtype: DType): FloatInfo {
  if (!isFloating(dtype)) throw new Error(`finfo: ${dtype} is not a floating-point dtype`);
  const resolution = resolutions[dtype]!;
  if (dtype === 'float64') {
    return {
      bits: 64,
      eps: Number.EPSILON, // 2^-52
      max: Number.MAX_VALUE,
      min: -Number.MAX_VALUE,
      tiny: 2 ** -1022,
      smallestNormal: 2 ** -1022,
      resolution,
    };
  }
  const format: FloatFormat = dtype === 'float16' ? float16 : dtype === 'bfloat16' ? bfloat16 : float32;
  return {
    bits: format.bits,
    eps: format.eps,
    max: format.max,
    min: -format.max,
    tiny: format.smallestNormal,
    smallestNormal: format.smallestNormal,
    resolution,
  };
}

export interface IntegerInfo {
  readonly bits: number;
  /** As exact integers: int64's limits exceed 2^53. */
  readonly max: bigint;
  readonly min: bigint;
}

const integerBits: Partial<Record<DType, number>> = { int64: 64, int32: 32, int16: 16, int8: 8, uint8: 8 };

export function iinfo(dtype: DType): IntegerInfo {
  const bits = integerBits[dtype];
  if (bits === undefined) throw new Error(`iinfo: ${dtype} is not an integer dtype`);
  if (dtype === 'uint8') return { bits, max: 255n, min: 0n };
  return { bits, max: 2n ** BigInt(bits - 1) - 1n, min: -(2n ** BigInt(bits - 1)) };
}
