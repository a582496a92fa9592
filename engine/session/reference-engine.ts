/** An engine without a GPU: `device="cuda"` is served by the reference backend, as 'cpu' always is. Node has only this one. */
import { type Bridge, createBridge } from './bridge';
import type { BackendInfo } from './session';

export interface Engine {
  readonly info: BackendInfo;
  readonly bridge: Bridge;
  /** Kernels dispatched since the engine was started. */
  readonly kernels: number;
  /**
   * Tests the GPU against the reference, once: while nothing runs, or else when Python first asks for "cuda". Gives what the learner
   * should know (an op family that the reference serves because the GPU's isn't exact). Never rejects.
   */
  prove(): Promise<readonly string[]>;
  /** Tests only: the device goes away, as after a driver reset. */
  loseDevice(): void;
}

/** `reason`: why there is no GPU, for people. */
export function referenceEngine(reason: string): Engine {
  const info: BackendInfo = { name: 'cpu', reason };
  return {
    info,
    bridge: createBridge({ info }),
    kernels: 0,
    prove: async () => [],
    loseDevice: () => undefined,
  };
}
