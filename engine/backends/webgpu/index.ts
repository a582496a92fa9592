/** The front door: `createWebGpuBackend` acquires a device, tests it against the reference and gives a backend. */
import { WebGpuBackend, type WebGpuOptions } from './backend';
import { acquireDevice } from './device';

export type { WebGpuOptions, WebGpuStats } from './backend';
export { WebGpuBackend } from './backend';

export interface WebGpuInfo {
  /** The adapter's own description. */
  readonly adapter: string;
  readonly isFallbackAdapter: boolean;
  readonly features: readonly string[];
  readonly limits: { readonly maxBufferSize: number; readonly maxStorageBufferBindingSize: number };
}

/**
 * A backend on `gpu` (`navigator.gpu`, or Dawn's in Node). Rejects with the reason, for people, where there is no adapter; the
 * session then serves "cuda" by the reference.
 */
export async function createWebGpuBackend(
  gpu: GPU,
  options: WebGpuOptions & { readonly adapter?: GPURequestAdapterOptions } = {},
): Promise<WebGpuBackend & { readonly info: WebGpuInfo }> {
  const { device, adapter, isFallbackAdapter } = await acquireDevice(gpu, options.adapter);
  const backend = new WebGpuBackend(device, options);
  const info: WebGpuInfo = {
    adapter,
    isFallbackAdapter,
    features: [...device.features],
    limits: {
      maxBufferSize: device.limits.maxBufferSize,
      maxStorageBufferBindingSize: device.limits.maxStorageBufferBindingSize,
    },
  };
  return Object.assign(backend, { info });
}
