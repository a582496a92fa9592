/** The front door: `createWebGpuBackend` acquires a device and gives a backend that can prove itself against the reference. */
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
}

export interface TestedWebGpuBackend extends WebGpuBackend {
  readonly info: WebGpuInfo;
  /**
   * Tests the adapter against the reference, once; one entry a kernel family. What fails is served by the reference from then on. It
   * must have resolved before results of this backend are shown to anyone.
   */
  prove(): Promise<readonly SelfTestResult[]>;
}

/** Adapters that are programs, by what they call themselves. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/**
 * A backend on `gpu` (`navigator.gpu`, or Dawn's in Node), not yet proved: compiling the self-test's kernels takes a second on a software
 * adapter, so the caller says when (`prove`). Rejects with the reason, for people, where there is no adapter; the session then
 * serves "cuda" by the reference.
 */
export async function createWebGpuBackend(
  gpu: GPU,
  options: WebGpuOptions & { readonly adapter?: GPURequestAdapterOptions } = {},
): Promise<TestedWebGpuBackend> {
  const { device, adapter, isFallbackAdapter } = await acquireDevice(gpu, options.adapter);
  const backend = new WebGpuBackend(device, options);
  backend.adapter = { exactUnpack: false, software: isFallbackAdapter || SOFTWARE.test(adapter) };
  const info: WebGpuInfo = {
    adapter,
    isFallbackAdapter,
    features: [...device.features],
    limits: {
      maxBufferSize: device.limits.maxBufferSize,
      maxStorageBufferBindingSize: device.limits.maxStorageBufferBindingSize,
    },
  };
  let proof: Promise<readonly SelfTestResult[]> | undefined;
  const prove = () => {
    proof ??= test(backend);
    return proof;
  };
  return Object.assign(backend, { info, prove });
}

async function test(backend: WebGpuBackend): Promise<readonly SelfTestResult[]> {
  const results = await selfTest(backend);
  for (const { family, passed, fault } of results) {
    if (passed) continue;
    backend.distrusted.add(family);
    backend.notices.push(
      `Your GPU's ${family} kernels are not exact (${fault}); the CPU reference serves them, more slowly.`,
    );
  }
  return results;
}
