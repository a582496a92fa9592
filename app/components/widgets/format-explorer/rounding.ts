/** What becomes of a number in a format: everything that the explorer shows, from engine/formats. */
import {
  type FloatFormat,
  type FormatName,
  float32,
  formats,
  fromBits,
  nextDown,
  nextUp,
  roundToFormat,
  toBits,
  ulp,
} from '@/engine/formats/float-format';

/** Widest range first, then by precision: bfloat16 under the formats that it is cut from, float16 above the eight-bit ones. */
export const ORDER: readonly FormatName[] = ['float32', 'tf32', 'bfloat16', 'float16', 'float8_e5m2', 'float8_e4m3fn'];

export type Kind = 'zero' | 'subnormal' | 'normal' | 'infinity' | 'nan';

/**
 * What rounding did. 'overflow': to infinity; 'saturated': to the largest value, in a format without infinity; 'underflow': a number other
 * than zero to zero; 'nan': NaN was given.
 */
export type Event = 'exact' | 'rounded' | 'overflow' | 'saturated' | 'underflow' | 'nan';

export interface Rounded {
  readonly format: FloatFormat;
  /** The number before rounding, a double. */
  readonly given: number;
  readonly bits: number;
  readonly value: number;
  readonly kind: Kind;
  readonly event: Event;
  /** value - given; NaN where either is not finite. */
  readonly error: number;
  /** |error / given|; NaN where that has no meaning. */
  readonly relativeError: number;
  /** |error| in ulps of the value. */
  readonly errorUlp: number;
  /** Distance to the next larger magnitude; NaN for infinities and NaN. */
  readonly ulp: number;
  /** The next values of the format on both sides of `value`. */
  readonly below: number;
  readonly above: number;
  readonly sign: 0 | 1;
  readonly exponentField: number;
  readonly significandField: number;
  /** Power of two that the significand is multiplied by; for zero and subnormals the smallest one. */
  readonly exponent: number;
  /** Significant bits that are left: significandBits + 1 for normal numbers, fewer for subnormals, 0 for zero. */
  readonly precision: number;
  /** What PyTorch's cast of the double gives, where that differs: it rounds to float32 first. Not for tf32, which it has no dtype for. */
  readonly throughFloat32?: { readonly first: number; readonly value: number; readonly bits: number };
}

/** `given` in `format`; `pattern` where bits were chosen rather than a number rounded. */
export function round(given: number, name: FormatName, pattern?: number): Rounded {
  const format = formats[name];
  const { significandBits: p, exponentBits } = format;
  const bits = pattern ?? toBits(given, format);
  const value = fromBits(bits, format);
  const exponentField = Math.floor(bits / 2 ** p) % 2 ** exponentBits;
  const significandField = bits % 2 ** p;
  const kind = kindOf(value, format);
  const error = Number.isFinite(given) && Number.isFinite(value) ? value - given : Number.NaN;
  const step = ulp(value, format);
  return {
    format,
    given,
    bits,
    value,
    kind,
    event: eventOf(given, value, format),
    error,
    relativeError: given === 0 ? Number.NaN : Math.abs(error / given),
    errorUlp: Math.abs(error) / step,
    ulp: step,
    below: nextDown(value, format),
    above: nextUp(value, format),
    sign: bits >= 2 ** (p + exponentBits) ? 1 : 0,
    exponentField,
    significandField,
    exponent: Math.max(exponentField, 1) - format.bias,
    precision: kind === 'normal' ? p + 1 : kind === 'subnormal' ? Math.floor(Math.log2(significandField)) + 1 : 0,
    throughFloat32: pattern === undefined ? throughFloat32(given, bits, format) : undefined,
  };
}

function kindOf(value: number, format: FloatFormat): Kind {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return 'infinity';
  if (value === 0) return 'zero';
  return Math.abs(value) < format.smallestNormal ? 'subnormal' : 'normal';
}

function eventOf(given: number, value: number, format: FloatFormat): Event {
  if (Number.isNaN(given)) return 'nan';
  if (given === value) return 'exact';
  if (!Number.isFinite(value)) return 'overflow';
  if (value === 0) return 'underflow';
  // Past the largest value's own half ulp nothing is rounded to nearest any more.
  const edge = format.max + ulp(format.max, format) / 2;
  return format.specials === 'nan-only' && Math.abs(given) > edge ? 'saturated' : 'rounded';
}

function throughFloat32(given: number, bits: number, format: FloatFormat): Rounded['throughFloat32'] {
  if (format.name === 'float32' || format.name === 'tf32' || Number.isNaN(given)) return undefined;
  const first = roundToFormat(given, float32);
  const twice = toBits(first, format);
  return twice === bits ? undefined : { first, bits: twice, value: fromBits(twice, format) };
}

/** tf32 lives in the upper 19 of a float32's 32 bits: hexadecimal is written as the float32 that holds it. */
const containerBits = ({ name, bits }: FloatFormat): number => (name === 'tf32' ? 32 : bits);

/** 0x7bff; for tf32 the pattern of its float32. */
export function hexOf(bits: number, format: FloatFormat): string {
  const width = containerBits(format);
  return `0x${(bits * 2 ** (width - format.bits)).toString(16).padStart(width / 4, '0')}`;
}

/** The pattern that `hexOf` writes as this number; undefined if the format has no such bits. */
export function bitsOfHex(written: number, format: FloatFormat): number | undefined {
  const width = containerBits(format);
  const bits = written / 2 ** (width - format.bits);
  return written < 2 ** width && Number.isInteger(bits) ? bits : undefined;
}

/** The pattern after a click on one bit, counted from the right. */
export function toggleBit(bits: number, position: number): number {
  const weight = 2 ** position;
  return Math.floor(bits / weight) % 2 === 1 ? bits - weight : bits + weight;
}

/** Significant bits that `format` keeps at 2^exponent: p + 1 in its normal range, one fewer for each octave below, none outside. */
export function bitsAt(exponent: number, format: FloatFormat): number {
  if (exponent > format.maxExponent) return 0;
  if (exponent >= format.minExponent) return format.significandBits + 1;
  return Math.max(0, format.significandBits + 1 - (format.minExponent - exponent));
}
