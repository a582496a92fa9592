/** Getting an adapter and a device, with all the memory limits that the adapter offers. */

export interface AcquiredDevice {
  readonly device: GPUDevice;
  /** The adapter's own words: vendor, architecture, device, description. */
  readonly adapter: string;
  readonly isFallbackAdapter: boolean;
}

/** Limits that big tensors need; everything else stays at WebGPU's defaults, which every adapter has. */
const wantedLimits = ['maxBufferSize', 'maxStorageBufferBindingSize'] as const;

/** Raises Error with the reason, for people, when this GPU object gives no adapter or device. */
export async function acquireDevice(gpu: GPU, options: GPURequestAdapterOptions = {}): Promise<AcquiredDevice> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance', ...options });
  if (!adapter) throw new Error('this browser has WebGPU but offers no GPU adapter');
  const requiredLimits: Record<string, number> = {};
  for (const name of wantedLimits) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({ requiredLimits });
  const info = adapter.info;
  const words = [info?.vendor, info?.architecture, info?.device, info?.description].filter((word) => word);
  return {
    device,
    adapter: words.join(' ') || 'unnamed adapter',
    isFallbackAdapter: Boolean(info?.isFallbackAdapter),
  };
}
