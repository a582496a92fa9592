/** A tensor's memory on the WebGPU backend: its value lies on the device, on the host, or both, and moves when it is needed. */
import type { DType, HostData } from '../../formats/dtype';
import type { DeviceBuffer } from '../backend';
import type { Block } from './memory';

export class WebGpuBuffer implements DeviceBuffer {
  /** Device memory, once some kernel needed it. */
  block: Block | null = null;
  /** The device holds the value. */
  onDevice = false;
  /** The value in host storage, where the host holds it. Never modified in place: a write replaces it. */
  host: HostData | null = null;
  /** The owner and each recorded step that has still to run. Memory is given back at zero. */
  references = 1;
  released = false;

  constructor(
    readonly dtype: DType,
    readonly length: number,
    readonly bytes: number,
  ) {}
}
