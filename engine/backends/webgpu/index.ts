/** The front door: `createWebGpuBackend` acquires a device, tests it against the reference and gives a backend. */
import { WebGpuBackend, type WebGpuOptions } from './backend';
import { acquireDevice } from './device';
import { type SelfTestResult, selfTest } from './self-test';

export type { WebGpuOptions, WebGpuStats } from './backend';
export { WebGpuBackend } from './backend';
export type { SelfTestResult } from './self-test';

export interface WebGpuInfo {
  /** The adapter's own description. */
  readonly adapter: string;
  readonly isFallbackAdapter: boolean;
  readonly features: readonly string[];
  readonly limits: { readonly maxBufferSize: number; readonly maxStorageBufferBindingSize: number };
  /** One entry a kernel family; empty where the self-test was turned off. */
  readonly selfTest: readonly SelfTestResult[];
}

/** Adapters that are programs, by what they call themselves. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/**
 * A backend on `gpu` (`navigator.gpu`, or Dawn's in Node). Rejects with the reason, for people, where there is no adapter; the
 * session then serves "cuda" by the reference.
 */
export async function createWebGpuBackend(
  gpu: GPU,
  options: WebGpuOptions & {
    readonly adapter?: GPURequestAdapterOptions;
    /** Default true. False saves its half second where something else proves the adapter. */
    readonly selfTest?: boolean;
  } = {},
): Promise<WebGpuBackend & { readonly info: WebGpuInfo }> {
  const { device, adapter, isFallbackAdapter } = await acquireDevice(gpu, options.adapter);
  const backend = new WebGpuBackend(device, options);
  const results = options.selfTest === false ? [] : await selfTest(backend);
  for (const { family, passed, fault } of results) {
    if (passed) continue;
    backend.distrusted.add(family);
    backend.notices.push(
      `Your GPU's ${family} kernels are not exact (${fault}); the CPU reference serves them, more slowly.`,
    );
  }
  backend.adapter = { ...backend.adapter, software: isFallbackAdapter || SOFTWARE.test(adapter) };
  const info: WebGpuInfo = {
    adapter,
    isFallbackAdapter,
    features: [...device.features],
    limits: {
      maxBufferSize: device.limits.maxBufferSize,
      maxStorageBufferBindingSize: device.limits.maxStorageBufferBindingSize,
    },
    selfTest: results,
  };
  return Object.assign(backend, { info });
}
