/** Comparing bit patterns as the goldens' README says: NaN as a class, everything else (signed zeros too) to the bit. */
import type { DType, HostTensor } from '@/engine/formats/dtype';

/** Storage bits of a tensor of float16, bfloat16 or float32; integer dtypes as their values. */
export function bitsOf(tensor: HostTensor): ArrayLike<number> {
  const { data, dtype } = tensor;
  if (dtype !== 'float32') return data;
  return new Uint32Array(data.buffer, data.byteOffset, data.length);
}

export function isNaNBits(bits: number, dtype: DType): boolean {
  if (dtype === 'float16') return (bits & 0x7fff) > 0x7c00;
  if (dtype === 'bfloat16') return (bits & 0x7fff) > 0x7f80;
  return dtype === 'float32' && (bits & 0x7fffffff) > 0x7f800000;
}

/** Integer on the number line of patterns: neighbours differ by 1, both zeros are 0. */
function ordinalOfBits(bits: number, dtype: DType): number {
  const signBit = dtype === 'float32' ? 2 ** 31 : 0x8000;
  return bits >= signBit ? signBit - bits : bits;
}

export interface Comparison {
  readonly count: number;
  readonly failures: readonly number[];
  /** Readable first failures: "index 17: got 7c00, expected 7bff". */
  readonly examples: readonly string[];
}

/** Indices where `actual` isn't `expected`, allowing `ulp` units in the last place. Signed zeros differ when ulp is 0. */
export function compareBits(actual: ArrayLike<number>, expected: ArrayLike<number>, dtype: DType, ulp = 0): Comparison {
  const failures: number[] = [];
  const examples: string[] = [];
  if (actual.length !== expected.length) {
    return {
      count: expected.length,
      failures: [-1],
      examples: [`${actual.length} elements, expected ${expected.length}`],
    };
  }
  const digits = dtype === 'float32' ? 8 : 4;
  const hex = (bits: number): string => bits.toString(16).padStart(digits, '0');
  for (let i = 0; i < expected.length; i++) {
    if (actual[i] === expected[i]) continue;
    const nanExpected = isNaNBits(expected[i], dtype);
    if (isNaNBits(actual[i], dtype) && nanExpected) continue;
    if (ulp > 0 && !nanExpected && !isNaNBits(actual[i], dtype)) {
      if (Math.abs(ordinalOfBits(actual[i], dtype) - ordinalOfBits(expected[i], dtype)) <= ulp) continue;
    }
    failures.push(i);
    if (examples.length < 8) examples.push(`index ${i}: got ${hex(actual[i])}, expected ${hex(expected[i])}`);
  }
  return { count: expected.length, failures, examples };
}
