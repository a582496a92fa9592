/** Puts a browser's engine together: which backend serves `device="cuda"`, and why. */
import { createWebGpuBackend } from '../backends/webgpu';
import { createBridge } from './bridge';
import { type Engine, referenceEngine } from './reference-engine';
import type { BackendInfo } from './session';

export interface EngineOptions {
  /** navigator.gpu; absent where there is none, or where it isn't to be used. */
  readonly gpu?: GPU;
  /** JSPI: without it Python can't wait for the GPU. */
  readonly canSuspend: boolean;
  /** Called once if the device is lost; the engine is of no use for "cuda" afterwards. */
  readonly onLost?: (reason: string) => void;
}

export async function startEngine({ gpu, canSuspend, onLost }: EngineOptions): Promise<Engine> {
  if (!gpu) return referenceEngine('this browser has no WebGPU');
  if (!canSuspend) {
    return referenceEngine(
      'this browser has no JavaScript Promise Integration (JSPI), so Python cannot wait for the GPU',
    );
  }
  try {
    const backend = await createWebGpuBackend(gpu);
    const info: BackendInfo = { name: 'webgpu', adapter: backend.info.adapter };
    // The self-test's own kernels are no learner's; until it is done, all are its.
    let testing = Number.POSITIVE_INFINITY;
    let proof: Promise<readonly string[]> | undefined;
    const prove = () => {
      proof ??= backend.prove().then(() => {
        testing = backend.stats.dispatches;
        return backend.notices;
      });
      return proof;
    };
    const bridge = createBridge({ cuda: backend, info, prove });
    void backend.device.lost.then(({ message, reason }) => onLost?.(message || reason || 'no reason given'));
    return {
      info,
      bridge,
      get kernels() {
        return Math.max(0, backend.stats.dispatches - testing);
      },
      prove,
      loseDevice: () => backend.device.destroy(),
    };
  } catch (error) {
    return referenceEngine(error instanceof Error ? error.message : String(error));
  }
}
