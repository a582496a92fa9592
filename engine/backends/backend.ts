/**
 * The interface that the core sees. A backend owns device memory and runs op records; it knows nothing of autograd, views'
 * semantics or Python. `cpu` answers at once; `webgpu` records work, keeps its order, and only reads are asynchronous.
 */
import type { DType, HostData } from '../formats/dtype';
import type { Attrs, OpRecord, TensorSpec } from '../ops/record';

/** Device memory for `length` elements of one dtype, contiguous. Opaque outside its backend. */
export interface DeviceBuffer {
  readonly dtype: DType;
  readonly length: number;
}

/** A strided window on a buffer: what ops take. Strides and offset are in elements; a stride of 0 repeats. */
export interface View {
  readonly buffer: DeviceBuffer;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** A number standing where a tensor could: a 0-dim input that never needs device memory. */
export interface Constant {
  readonly constant: number;
  readonly dtype: DType;
}

export type Operand = View | Constant;

export interface Backend {
  readonly name: 'cpu' | 'webgpu';
  /** Uninitialised memory. Raises TorchError (RuntimeError, out of memory, with sizes) when there is none left. */
  allocate(dtype: DType, length: number): DeviceBuffer;
  /** Copies host data in. The caller may reuse `data` afterwards. */
  upload(dtype: DType, data: HostData): DeviceBuffer;
  /** Copies the whole buffer out, after everything recorded before. Synchronous on cpu. */
  read(buffer: DeviceBuffer): HostData | Promise<HostData>;
  release(buffer: DeviceBuffer): void;
  /** Runs `record`, giving one fresh contiguous buffer for each output spec. Never blocks. */
  run(record: OpRecord, inputs: readonly Operand[], attrs: Attrs, outputs: readonly TensorSpec[]): DeviceBuffer[];
  /** What the last `run` was served by, where that may differ from `name`: 'host' is the reference inside another backend. For the trace. */
  readonly lastServedBy?: 'webgpu' | 'host';
  /** A fresh contiguous copy of a view. */
  contiguous(view: View): DeviceBuffer;
  /** Writes `source` (same shape, same dtype) through the strided `destination`. */
  copyInto(destination: View, source: Operand): void;
  /** Bytes in use by live buffers. */
  readonly bytesInUse: number;
  /** Submits what is recorded and waits for it; for back-pressure and timing. */
  finish(): void | Promise<void>;
  /** True when so much is recorded that the caller should await finish() before going on. */
  readonly congested: boolean;
}
