/**
 * How each dtype lies in device memory, and the way between device and host storage.
 *
 *   float32            one 32-bit word an element
 *   float16, bfloat16  16-bit patterns, two to a word, the even index in the low half
 *   int32              one word, two's complement
 *   bool               one word, 0 or 1 (a kernel can then write an element without touching its neighbours)
 *   int64              one word, as int32, only while every value fits; else the tensor stays on the host
 *   float64, int16, int8, uint8   never on the device: the reference serves them
 */
import { allocateHost, type DType, type HostData, isHalf } from '../../formats/dtype';

/** Whether the device has a form for this dtype at all. */
export const hasDeviceForm = (dtype: DType): boolean =>
  dtype === 'float32' || dtype === 'int32' || dtype === 'int64' || dtype === 'bool' || isHalf(dtype);

/** Bytes of `length` elements in device memory: whole words, at least one. */
export function deviceBytes(dtype: DType, length: number): number {
  const words = isHalf(dtype) ? (length + 1) >>> 1 : length;
  return Math.max(4, words * 4);
}

/** The device form of host storage, or null where it has none (an int64 value outside int32). */
export function toDevice(dtype: DType, data: HostData): Uint32Array<ArrayBuffer> | null {
  switch (dtype) {
    case 'float32':
    case 'int32':
      return new Uint32Array(exactBuffer(data));
    case 'float16':
    case 'bfloat16': {
      const words = new Uint32Array((data.length + 1) >>> 1);
      new Uint16Array(words.buffer).set(data as Uint16Array);
      return words;
    }
    case 'bool':
      return Uint32Array.from(data as Uint8Array);
    case 'int64': {
      const words = new Int32Array(data.length);
      for (let i = 0; i < data.length; i++) {
        words[i] = data[i]!;
        if (words[i] !== data[i]) return null;
      }
      return new Uint32Array(words.buffer);
    }
    default:
      return null;
  }
}

/** Host storage of `length` elements from their device words. */
export function fromDevice(dtype: DType, words: ArrayBuffer, length: number): HostData {
  switch (dtype) {
    case 'float32':
      return new Float32Array(words, 0, length);
    case 'float16':
    case 'bfloat16':
      return new Uint16Array(words, 0, length);
    case 'int32':
      return new Int32Array(words, 0, length);
    case 'bool':
      return Uint8Array.from(new Uint32Array(words, 0, length));
    case 'int64':
      return Float64Array.from(new Int32Array(words, 0, length));
    default:
      throw new Error(`webgpu: ${dtype} has no device form`);
  }
}

/** A copy of host storage. */
export function copyHost(dtype: DType, data: HostData): HostData {
  const copy = allocateHost(dtype, data.length);
  copy.set(data as never);
  return copy;
}

function exactBuffer(data: HostData): ArrayBuffer {
  const copy = new ArrayBuffer(data.byteLength);
  new Uint8Array(copy).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return copy;
}
