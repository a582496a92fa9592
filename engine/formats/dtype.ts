/**
 * The dtypes that tensors can have, by PyTorch's names, and how each one is held in host memory.
 *
 * Host memory always holds *storage* values: float16 and bfloat16 as 16-bit patterns, bool as 0/1, int64 as doubles
 * (exact up to 2^53; the engine raises beyond that rather than wrap), everything else as the matching typed array.
 */
export type DType =
  | 'float32'
  | 'float64'
  | 'float16'
  | 'bfloat16'
  | 'int64'
  | 'int32'
  | 'int16'
  | 'int8'
  | 'uint8'
  | 'bool';

/** Storage of a contiguous host tensor. Uint16Array means bit patterns of float16 or bfloat16, by its dtype. */
export type HostData = Float32Array | Float64Array | Uint16Array | Int32Array | Int16Array | Int8Array | Uint8Array;

/** dtype, shape and (row-major, contiguous) data on the host. */
export interface HostTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: HostData;
}

/** Bytes of one element as PyTorch counts them (`tensor.element_size()`), not as the host happens to hold it. */
export const itemSize: Readonly<Record<DType, number>> = {
  float32: 4,
  float64: 8,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
};

export const isFloating = (d: DType): boolean =>
  d === 'float32' || d === 'float64' || d === 'float16' || d === 'bfloat16';

/** The two 16-bit formats whose storage is a bit pattern. */
export const isHalf = (d: DType): d is 'float16' | 'bfloat16' => d === 'float16' || d === 'bfloat16';

/** The names that PyTorch's C++ error messages use ("Half", "Float", "Long"). */
export const scalarTypeName: Readonly<Record<DType, string>> = {
  float32: 'Float',
  float64: 'Double',
  float16: 'Half',
  bfloat16: 'BFloat16',
  int64: 'Long',
  int32: 'Int',
  int16: 'Short',
  int8: 'Char',
  uint8: 'Byte',
  bool: 'Bool',
};

/** Fresh zero-filled host storage for `n` elements. */
export function allocateHost(dtype: DType, n: number): HostData {
  switch (dtype) {
    case 'float32':
      return new Float32Array(n);
    case 'float64':
    case 'int64':
      return new Float64Array(n);
    case 'float16':
    case 'bfloat16':
      return new Uint16Array(n);
    case 'int32':
      return new Int32Array(n);
    case 'int16':
      return new Int16Array(n);
    case 'int8':
      return new Int8Array(n);
    case 'uint8':
    case 'bool':
      return new Uint8Array(n);
  }
}
