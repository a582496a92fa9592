/**
 * float16 and bfloat16 as 16-bit patterns: the fast paths used wherever tensors are stored.
 *
 * Encoding takes any double and rounds as PyTorch does: to float32 first, then to nearest even. float-format.ts has the
 * same rounding for every format in one readable function; a test compares the two on all patterns.
 */

const floatCell = new Float32Array(1);
const floatBits = new Uint32Array(floatCell.buffer);

/** NaN patterns that the engine writes: quiet, positive, no payload. PyTorch defines neither sign nor payload. */
export const float16NaN = 0x7e00;
export const bfloat16NaN = 0x7fc0;

/** float32 bits -> float16 bits, nearest even. */
export function float32BitsToFloat16(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return float16NaN;
  // 0x477ff000 is 65520, halfway between 65504 and 2^16: the tie goes to the even neighbour, which is infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    // 2^-14 and up, normal. Rebias the exponent by 127 - 15 = 112, drop 13 of 23 significand bits. Adding 0xfff plus the last
    // kept bit rounds to nearest even; a carry runs into the exponent, which is the right next value.
    const rebased = magnitude - (112 << 23);
    return sign | ((rebased + 0xfff + ((rebased >>> 13) & 1)) >>> 13);
  }
  if (magnitude < 0x33000000) return sign; // below 2^-25, half of the smallest subnormal
  // Subnormal: an integer multiple of 2^-24. The 24-bit significand is shifted so that its last kept bit weighs 2^-24.
  const exponent = magnitude >>> 23;
  const significand = (magnitude & 0x7fffff) | 0x800000;
  const shift = 126 - exponent; // 14 for [2^-15, 2^-14), 24 for [2^-25, 2^-24)
  const kept = significand >>> shift;
  const rest = significand & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return sign | (rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept);
}

/** float32 bits -> bfloat16 bits, nearest even: the same carry trick on the upper half. */
export function float32BitsToBfloat16(bits: number): number {
  if ((bits & 0x7fffffff) > 0x7f800000) return bfloat16NaN;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** Any number -> float16 bits, by way of float32. */
export function encodeFloat16(x: number): number {
  floatCell[0] = x;
  return float32BitsToFloat16(floatBits[0]);
}

/** Any number -> bfloat16 bits, by way of float32. */
export function encodeBfloat16(x: number): number {
  floatCell[0] = x;
  return float32BitsToBfloat16(floatBits[0]);
}

function computeFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const field = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (field === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return field === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (field - 15);
}

let float16Values: Float32Array | undefined;
let bfloat16Values: Float32Array | undefined;

/** All 65,536 float16 values by pattern; built on first use (256 KiB). */
export function float16Table(): Float32Array {
  float16Values ??= Float32Array.from({ length: 65536 }, (_, bits) => computeFloat16(bits));
  return float16Values;
}

/** All 65,536 bfloat16 values by pattern: the pattern is the upper half of a float32. */
export function bfloat16Table(): Float32Array {
  bfloat16Values ??= new Float32Array(Uint32Array.from({ length: 65536 }, (_, bits) => bits << 16).buffer);
  return bfloat16Values;
}

export const decodeFloat16 = (bits: number): number => float16Table()[bits];
export const decodeBfloat16 = (bits: number): number => bfloat16Table()[bits];

/** A number rounded to float16 (through float32), as a number: h() in comments. */
export const roundFloat16 = (x: number): number => decodeFloat16(encodeFloat16(x));
/** A number rounded to bfloat16 (through float32), as a number. */
export const roundBfloat16 = (x: number): number => decodeBfloat16(encodeBfloat16(x));

/** Encodes a whole array of float32 values. */
export function encodeHalfArray(dtype: 'float16' | 'bfloat16', values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  if (dtype === 'float16') for (let i = 0; i < out.length; i++) out[i] = float32BitsToFloat16(bits[i]);
  else for (let i = 0; i < out.length; i++) out[i] = float32BitsToBfloat16(bits[i]);
  return out;
}

/** Decodes a whole array of patterns. */
export function decodeHalfArray(dtype: 'float16' | 'bfloat16', bits: Uint16Array): Float32Array {
  const table = dtype === 'float16' ? float16Table() : bfloat16Table();
  const out = new Float32Array(bits.length);
  for (let i = 0; i < out.length; i++) out[i] = table[bits[i]];
  return out;
}
