/**
 * The reference backend: synchronous, on host memory, bit for bit what the op records define. Views are made contiguous before a
 * record's `reference` sees them; every result is a fresh buffer.
 */
import { allocateHost, type DType, type HostData, type HostTensor, itemSize } from '../../formats/dtype';
import { writeElements } from '../../formats/host-elements';
import { type Attrs, type OpRecord, type TensorSpec, TorchError } from '../../ops/record';
import type { Backend, Constant, DeviceBuffer, Operand, View } from '../backend';
import { gather, isWhole, scatter } from './strided';

class HostBuffer implements DeviceBuffer {
  constructor(
    readonly dtype: DType,
    readonly length: number,
    public data: HostData | null,
  ) {}
}

/** 1 GiB: a browser tab should not be the first to run out. */
const defaultLimit = 2 ** 30;

function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let i = 0;
  let value = bytes;
  while (value >= 1024 && i < units.length - 1) {
    value /= 1024;
    i++;
  }
  return i === 0 ? `${value} bytes` : `${value.toFixed(2)} ${units[i]}`;
}

const isConstant = (x: Operand): x is Constant => 'constant' in x;

export class CpuBackend implements Backend {
  readonly name = 'cpu';
  readonly congested = false;
  bytesInUse = 0;

  /** `limit` in bytes, as PyTorch counts element sizes. */
  constructor(private readonly limit = defaultLimit) {}

  private adopt(dtype: DType, data: HostData): HostBuffer {
    this.reserve(dtype, data.length);
    return new HostBuffer(dtype, data.length, data);
  }

  private reserve(dtype: DType, length: number): void {
    const bytes = length * itemSize[dtype];
    if (this.bytesInUse + bytes > this.limit) {
      throw new TorchError(
        'RuntimeError',
        `CPU out of memory. Tried to allocate ${sizeText(bytes)}. ${sizeText(this.bytesInUse)} of ${sizeText(this.limit)} is in use. Use smaller tensors, or delete those that you no longer need.`,
      );
    }
    this.bytesInUse += bytes;
  }

  allocate(dtype: DType, length: number): DeviceBuffer {
    this.reserve(dtype, length);
    return new HostBuffer(dtype, length, allocateHost(dtype, length));
  }

  upload(dtype: DType, data: HostData): DeviceBuffer {
    return this.adopt(dtype, data.slice());
  }

  read(buffer: DeviceBuffer): HostData {
    return dataOf(buffer).slice();
  }

  release(buffer: DeviceBuffer): void {
    const host = buffer as HostBuffer;
    if (host.data === null) throw new Error('cpu: a buffer is released twice');
    host.data = null;
    this.bytesInUse -= host.length * itemSize[host.dtype];
  }

  run(record: OpRecord, inputs: readonly Operand[], attrs: Attrs, outputs: readonly TensorSpec[]): DeviceBuffer[] {
    const results = record.reference(inputs.map(hostTensor), attrs, outputs);
    return results.map((data, i) => this.adopt(outputs[i].dtype, data));
  }

  contiguous(view: View): DeviceBuffer {
    return this.adopt(view.dtype, gather(dataOf(view.buffer), view));
  }

  copyInto(destination: View, source: Operand): void {
    const target = dataOf(destination.buffer);
    if (isConstant(source)) scatter(target, destination, null, writeElements(source.dtype, [source.constant])[0]);
    else scatter(target, destination, gather(dataOf(source.buffer), source), 0);
  }

  finish(): void {}
}

function dataOf(buffer: DeviceBuffer): HostData {
  const { data } = buffer as HostBuffer;
  if (data === null) throw new Error('cpu: a released buffer is used');
  return data;
}

function hostTensor(x: Operand): HostTensor {
  if (isConstant(x)) return { dtype: x.dtype, shape: [], data: writeElements(x.dtype, [x.constant]) };
  const data = dataOf(x.buffer);
  return { dtype: x.dtype, shape: x.shape, data: isWhole(x, data.length) ? data : gather(data, x) };
}
