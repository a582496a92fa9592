/**
 * Binary floating-point formats and the one place that rounds to them.
 *
 * A value of a format with `significandBits` stored bits p and exponent range [minExponent, maxExponent] is
 * ± m * 2^(e - p) with an integer m < 2^(p+1). Between 2^e and 2^(e+1) values are 2^(e-p) apart (one ulp); below
 * 2^minExponent the spacing stays 2^(minExponent - p): these are the subnormals.
 */

export type FormatName = 'float32' | 'float16' | 'bfloat16' | 'tf32' | 'float8_e4m3fn' | 'float8_e5m2';

/**
 * How the patterns with an all-ones exponent are used.
 *  - 'ieee': infinity (significand 0) and NaN (otherwise), as IEEE 754
 *  - 'nan-only': ordinary numbers, except that all ones everywhere is NaN; there is no infinity ("fn": finite, NaN)
 */
export type Specials = 'ieee' | 'nan-only';

export interface FloatFormat {
  readonly name: FormatName;
  readonly exponentBits: number;
  /** Stored bits of the significand; the leading 1 of normal numbers is implicit and not counted. */
  readonly significandBits: number;
  readonly specials: Specials;
  /** Bits in memory: 1 sign + exponentBits + significandBits (TF32 is held in a float32 and has 19 of its own). */
  readonly bits: number;
  readonly bias: number;
  readonly minExponent: number;
  readonly maxExponent: number;
  readonly max: number;
  readonly smallestNormal: number;
  readonly smallestSubnormal: number;
  /** Distance from 1 to the next larger value: 2^-significandBits. `torch.finfo(...).eps`. */
  readonly eps: number;
  /** Largest relative error of one rounding to nearest: eps / 2. */
  readonly unitRoundoff: number;
}

function defineFormat(
  name: FormatName,
  exponentBits: number,
  significandBits: number,
  specials: Specials,
): FloatFormat {
  const bias = 2 ** (exponentBits - 1) - 1;
  const minExponent = 1 - bias; // exponent field 1 is the first normal one; field 0 holds zero and the subnormals
  // IEEE formats give up the top exponent field to inf and NaN; 'nan-only' formats use it.
  const maxExponent = specials === 'ieee' ? bias : bias + 1;
  // Largest significand: 1.11…1, and 1.11…10 where 1.11…1 is taken by NaN.
  const largest = 2 - (specials === 'ieee' ? 1 : 2) * 2 ** -significandBits;
  return {
    name,
    exponentBits,
    significandBits,
    specials,
    bits: 1 + exponentBits + significandBits,
    bias,
    minExponent,
    maxExponent,
    max: largest * 2 ** maxExponent,
    smallestNormal: 2 ** minExponent,
    smallestSubnormal: 2 ** (minExponent - significandBits),
    eps: 2 ** -significandBits,
    unitRoundoff: 2 ** (-significandBits - 1),
  };
}

/** IEEE binary32: max (2 - 2^-23) * 2^127 = 3.4028e38, smallest normal 2^-126, smallest subnormal 2^-149. */
export const float32 = defineFormat('float32', 8, 23, 'ieee');
/** IEEE binary16: max (2 - 2^-10) * 2^15 = 65504, smallest normal 2^-14 = 6.1035e-5, smallest subnormal 2^-24 = 5.96e-8. */
export const float16 = defineFormat('float16', 5, 10, 'ieee');
/** The upper half of a float32: its range (max (2 - 2^-7) * 2^127 = 3.3895e38), 8 significant bits. */
export const bfloat16 = defineFormat('bfloat16', 8, 7, 'ieee');
/** What NVIDIA tensor cores read of a float32: range of float32, significand of float16. Not a storage dtype. */
export const tf32 = defineFormat('tf32', 8, 10, 'ieee');
/** OCP FP8 E4M3: max 1.75 * 2^8 = 448, no infinity. Larger numbers and inf become 448, as in PyTorch 2.13 (older ones gave NaN). */
export const float8_e4m3fn = defineFormat('float8_e4m3fn', 4, 3, 'nan-only');
/** OCP FP8 E5M2: max 1.75 * 2^15 = 57344, with infinities. */
export const float8_e5m2 = defineFormat('float8_e5m2', 5, 2, 'ieee');

export const formats: Readonly<Record<FormatName, FloatFormat>> = {
  float32,
  float16,
  bfloat16,
  tf32,
  float8_e4m3fn,
  float8_e5m2,
};

const float64Cell = new Float64Array(1);
const float64Words = new Uint32Array(float64Cell.buffer); // little-endian: word 1 has sign and exponent

/** floor(log2 |x|) of a finite, nonzero double, exactly (Math.log2 rounds). */
export function exponentOf(x: number): number {
  float64Cell[0] = x;
  const field = (float64Words[1] >>> 20) & 0x7ff;
  if (field !== 0) return field - 1023;
  float64Cell[0] = x * 2 ** 64; // subnormal double
  return ((float64Words[1] >>> 20) & 0x7ff) - 1023 - 64;
}

/**
 * How a value between two neighbours is decided: to the nearer one (ties to the even significand), or up in magnitude with
 * a probability equal to the fraction of the gap it has passed, using 32 random bits.
 */
export type Rounding = 'nearest-even' | { readonly stochastic: number };

/**
 * Rounds a double to a value of `format`, once. NaN stays NaN, zeros keep their sign. A magnitude that rounds past the largest finite
 * value becomes infinity, or the largest finite value in formats without infinity (saturation).
 *
 * PyTorch rounds doubles to float16 and bfloat16 in two steps, through float32; `encodeFloat16` and `encodeBfloat16`
 * (half.ts) do that. The results differ only where the first step lands on a tie of the second.
 */
export function roundToFormat(x: number, format: FloatFormat, rounding: Rounding = 'nearest-even'): number {
  if (x === 0 || Number.isNaN(x)) return x;
  const overflow = format.specials === 'ieee' ? Infinity : format.max;
  const sign = x < 0 ? -1 : 1;
  const magnitude = Math.abs(x);
  if (magnitude === Infinity) return sign * overflow;
  // Spacing of the format's values around x. Scaling by a power of two is exact, so `scaled` has x's own significand.
  const exponent = Math.max(exponentOf(magnitude), format.minExponent);
  const spacing = 2 ** (exponent - format.significandBits);
  const scaled = magnitude / spacing;
  if (!Number.isFinite(scaled)) return sign * overflow;
  const below = Math.floor(scaled);
  const fraction = scaled - below; // exact: both are multiples of the same power of two below 2^53
  let integer = below;
  if (rounding === 'nearest-even') {
    if (fraction > 0.5 || (fraction === 0.5 && below % 2 === 1)) integer += 1;
  } else if ((rounding.stochastic >>> 0) / 2 ** 32 < fraction) {
    integer += 1;
  }
  const rounded = integer * spacing;
  return sign * (rounded > format.max ? overflow : rounded);
}

/** The bit pattern of `x` in `format`, rounding to nearest even first. NaN gives the quiet NaN with a positive sign. */
export function toBits(x: number, format: FloatFormat): number {
  const { significandBits: p, exponentBits, specials } = format;
  const allOnes = 2 ** exponentBits - 1;
  const value = roundToFormat(x, format);
  if (Number.isNaN(value)) {
    return specials === 'ieee' ? allOnes * 2 ** p + 2 ** (p - 1) : 2 ** (exponentBits + p) - 1;
  }
  const sign = value < 0 || Object.is(value, -0) ? 2 ** (exponentBits + p) : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  if (magnitude === Infinity) return sign + allOnes * 2 ** p;
  const exponent = exponentOf(magnitude);
  if (exponent < format.minExponent) return sign + magnitude / format.smallestSubnormal;
  // (exponent field) * 2^p + fraction; the implicit 1 is what makes `magnitude / 2^exponent` at least 1
  return sign + (exponent + format.bias) * 2 ** p + (magnitude / 2 ** exponent - 1) * 2 ** p;
}

/** The value of a bit pattern of `format`. Bits above the format's own are ignored. */
export function fromBits(bits: number, format: FloatFormat): number {
  const { significandBits: p, exponentBits, specials } = format;
  const fraction = bits % 2 ** p;
  const field = Math.floor(bits / 2 ** p) % 2 ** exponentBits;
  const sign = Math.floor(bits / 2 ** (p + exponentBits)) % 2 === 1 ? -1 : 1;
  const allOnes = 2 ** exponentBits - 1;
  if (field === allOnes) {
    if (specials === 'ieee') return fraction === 0 ? sign * Infinity : Number.NaN;
    if (fraction === 2 ** p - 1) return Number.NaN;
  }
  if (field === 0) return sign * fraction * format.smallestSubnormal;
  return sign * (1 + fraction * 2 ** -p) * 2 ** (field - format.bias);
}

/** Distance from |x| to the next larger magnitude of the format (one ulp). NaN for NaN and infinities. */
export function ulp(x: number, format: FloatFormat): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const exponent = x === 0 ? format.minExponent : Math.max(exponentOf(x), format.minExponent);
  return 2 ** (exponent - format.significandBits);
}

/** Position of a value on the format's number line: consecutive integers for neighbours, 0 for both zeros. */
function ordinal(x: number, format: FloatFormat): number {
  const bits = toBits(Math.abs(x), format);
  return x < 0 ? -bits : bits;
}

/**
 * How many representable steps apart two values are, after rounding both to the format. Infinity counts as the value after
 * the largest finite one, both zeros are the same; two NaNs are 0 apart, a NaN and a number are infinitely far.
 */
export function ulpDistance(a: number, b: number, format: FloatFormat): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b) ? 0 : Infinity;
  return Math.abs(ordinal(a, format) - ordinal(b, format));
}

/** The next larger value of the format (-0 and 0 give the smallest subnormal; +inf, NaN and the largest value of a format without inf stay). */
export function nextUp(x: number, format: FloatFormat): number {
  const value = roundToFormat(x, format);
  if (Number.isNaN(value) || value === Infinity) return value;
  if (value === 0) return format.smallestSubnormal;
  if (value === format.max) return format.specials === 'ieee' ? Infinity : value;
  const bits = toBits(value, format);
  const next = fromBits(value > 0 ? bits + 1 : bits - 1, format);
  return next;
}

/** The next smaller value of the format. */
export function nextDown(x: number, format: FloatFormat): number {
  return -nextUp(-x, format);
}

/** The two values of the format that enclose x: equal to each other where x itself is one. */
export function neighbours(x: number, format: FloatFormat): { readonly below: number; readonly above: number } {
  const value = roundToFormat(x, format);
  if (Number.isNaN(value) || value === x) return { below: value, above: value };
  return value < x ? { below: value, above: nextUp(value, format) } : { below: nextDown(value, format), above: value };
}
