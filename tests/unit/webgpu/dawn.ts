/** Dawn in Node on SwiftShader, the adapter that Chromium uses without a GPU. Raises where there is none: a test that finds no adapter fails. */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { create, globals } from 'webgpu';
import { createWebGpuBackend } from '@/engine/backends/webgpu';

const manifests = [
  process.env.SWIFTSHADER_ICD,
  '/usr/lib/chromium/vk_swiftshader_icd.json',
  '/usr/lib/chromium-browser/vk_swiftshader_icd.json',
  '/opt/google/chrome/vk_swiftshader_icd.json',
].filter((path): path is string => path !== undefined);

let gpu: GPU | undefined;

export function dawn(): GPU {
  if (gpu) return gpu;
  const manifest = manifests.find((path) => existsSync(path));
  if (!manifest) {
    throw new Error(
      `No SwiftShader Vulkan driver in ${manifests.join(', ')}. Install chromium, or set SWIFTSHADER_ICD to vk_swiftshader_icd.json.`,
    );
  }
  process.env.VK_ICD_FILENAMES = manifest;
  process.env.XDG_RUNTIME_DIR ??= '/tmp';
  loadVulkan(dirname(manifest));
  Object.assign(globalThis, globals);
  gpu = create([]);
  return gpu;
}

/**
 * Dawn opens the Vulkan loader by the name libvulkan.so.1. Where the system has none, Chromium's own (beside its driver) serves: once it
 * is in the process, opening it by name finds it. It is no Node add-on, so process.dlopen throws after loading it, and RTLD_NODELETE
 * keeps it loaded all the same.
 */
function loadVulkan(directory: string): void {
  const loader = join(directory, 'libvulkan.so.1');
  if (!existsSync(loader)) return;
  const keepLoaded = 0x1000; // RTLD_NODELETE in glibc
  try {
    process.dlopen(
      { exports: {} } as NodeJS.Module,
      loader,
      constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL | keepLoaded,
    );
  } catch {
    // Expected: "Module did not self-register".
  }
}

/** A backend for one test file; its device goes when the file is done. */
export async function testBackend(options: Parameters<typeof createWebGpuBackend>[1] = {}) {
  const backend = await createWebGpuBackend(dawn(), options);
  afterAll(() => backend.destroy());
  return backend;
}
