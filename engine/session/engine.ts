/**
 * Puts an engine together: which backend serves `device="cuda"`, and why. 'cpu' tensors are always on the reference.
 */
import type { BackendInfo } from './session';

export interface EngineOptions {
  /** navigator.gpu; absent where there is none, or where it isn't to be used. */
  readonly gpu?: GPU;
  /** JSPI: without it Python can't wait for the GPU. */
  readonly canSuspend: boolean;
}

export interface Engine {
  readonly info: BackendInfo;
  /** What torch._C.bind takes. */
  readonly bridge: unknown;
  /** Kernels dispatched since the engine was started. */
  readonly kernels: number;
  /** Before a run: nothing of the last run is left, and a lost device is replaced by a new one. */
  renew(): Promise<void>;
  /** Tests only. */
  loseDevice(): void;
}

export async function startEngine(_options: EngineOptions): Promise<Engine> {
  return {
    info: { name: 'cpu', reason: 'the WebGPU backend is not there yet' },
    bridge: {},
    kernels: 0,
    renew: async () => undefined,
    loseDevice: () => undefined,
  };
}
