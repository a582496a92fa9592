/** Between host storage (bit patterns, bytes, typed arrays) and JavaScript numbers, with each dtype's conversion rule. */
import { allocateHost, type DType, type HostData, type HostTensor } from './dtype';
import { decodeHalfArray, encodeHalfArray } from './half';

/** Number arrays that arithmetic reads and writes. */
export type Elements = Float32Array | Float64Array | Int32Array | Int16Array | Int8Array | Uint8Array;

/** The elements as numbers, exactly. Shares memory with the tensor except for float16 and bfloat16: don't write to it. */
export function readElements(host: HostTensor): Elements {
  if (host.dtype === 'float16' || host.dtype === 'bfloat16') {
    return decodeHalfArray(host.dtype, host.data as Uint16Array);
  }
  return host.data as Elements;
}

/** Largest integer magnitude up to which an int64 is exact in our storage. */
const int64Limit = 2 ** 53;

/** Raised by `writeElements` for an int64 the engine can't hold exactly; ops turn it into a Python RuntimeError. */
export class Int64RangeError extends Error {
  constructor(value: number) {
    super(
      `int64 value ${value} is outside the range -2**53 to 2**53 that this engine holds exactly. Use smaller integers or float64.`,
    );
    this.name = 'Int64RangeError';
  }
}

/**
 * Converts one number to an integer dtype as PyTorch does: truncated towards zero, then wrapped to the width. Wrapping, NaN and
 * infinity follow x86: NaN and values out of int64's range become the smallest integer, of which narrower dtypes keep the low bits.
 */
export function toInteger(x: number, dtype: DType): number {
  if (dtype === 'bool') return x !== 0 ? 1 : 0; // NaN is true
  if (dtype === 'int64') {
    if (Number.isNaN(x) || x >= 2 ** 63 || x < -(2 ** 63)) return -(2 ** 63);
    const whole = Math.trunc(x);
    if (Math.abs(whole) > int64Limit) throw new Int64RangeError(x);
    return whole + 0; // -0.5 truncates to -0, which is no integer
  }
  if (dtype === 'int32') return x > -(2 ** 31) - 1 && x < 2 ** 31 ? Math.trunc(x) | 0 : -(2 ** 31);
  const low = Number.isFinite(x) ? Math.trunc(x) | 0 : 0;
  return dtype === 'int16' ? (low << 16) >> 16 : dtype === 'int8' ? (low << 24) >> 24 : low & 0xff;
}

/** What an integer dtype holds of the exact integer result of an operation: the low bits (bool: not zero). int64 raises instead. */
export function wrapInteger(x: number, dtype: DType): number {
  switch (dtype) {
    case 'bool':
      return x !== 0 ? 1 : 0;
    case 'int64':
      if (!(Math.abs(x) <= int64Limit)) throw new Int64RangeError(x);
      return x + 0;
    case 'int32':
      return x | 0; // ToInt32 is modulo 2^32
    case 'int16':
      return ((x | 0) << 16) >> 16;
    case 'int8':
      return ((x | 0) << 24) >> 24;
    default:
      return x & 0xff;
  }
}

/**
 * Fresh storage of `dtype` from numbers. Floating dtypes round to nearest even (float16 and bfloat16 through float32); integer
 * dtypes truncate (see toInteger); bool is "not zero".
 */
export function writeElements(dtype: DType, values: ArrayLike<number>): HostData {
  switch (dtype) {
    case 'float32':
      return Float32Array.from(values);
    case 'float64':
      return Float64Array.from(values);
    case 'float16':
    case 'bfloat16':
      return encodeHalfArray(dtype, values instanceof Float32Array ? values : Float32Array.from(values));
    default: {
      const out = allocateHost(dtype, values.length);
      for (let i = 0; i < values.length; i++) out[i] = toInteger(values[i], dtype);
      return out;
    }
  }
}

/** Rounds a single number to what a tensor of `dtype` would hold. */
export function roundToDtype(x: number, dtype: DType): number {
  return readElements({ dtype, shape: [], data: writeElements(dtype, [x]) })[0];
}
