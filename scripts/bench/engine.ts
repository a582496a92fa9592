/** The engine's benchmarks: one JSON object a line on stdout, `{"name", "value", "unit", "peer"?}`. Needs Chromium; runs on its GPU or SwiftShader. */
import { chromium } from '@playwright/test';
import { ensureChromium } from '../chromium.mjs';
import { openGpuPage } from '../gpu-page';
import type { Measurement } from './engine-page';

/**
 * The best of jax-js 0.1.25, tfjs-webgpu 4.22, onnxruntime-web 1.30 and plain JavaScript for the same work, measured once on SwiftShader in
 * Chromium 156 on an idle two-core machine. Compare only numbers from one machine.
 */
const peers: Readonly<Record<string, number>> = {
  'cold start to first matmul 256': 379, // jax-js
  'matmul float32 1024': 2.5, // jax-js: 860 ms
  'softmax float32 4096x1024': 118, // jax-js, jitted
  'add float32 16M': 101, // onnxruntime-web
  'chain of 1,000 tiny adds': 50, // onnxruntime-web, as one graph
  'tiny add and read-back': 0.9, // jax-js
};

export async function benchEngine(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [
      '--no-sandbox',
      '--enable-unsafe-webgpu',
      ...(process.env.BENCH_GPU ? [] : ['--use-webgpu-adapter=swiftshader']),
    ],
  });
  try {
    const page = await browser.newPage();
    await openGpuPage(page, 'scripts/bench/engine-page.ts');
    await page.waitForFunction(() => 'measure' in globalThis);
    const { adapter, results } = await page.evaluate(() =>
      (globalThis as unknown as { measure: () => Promise<{ adapter: string; results: Measurement[] }> }).measure(),
    );
    console.log(JSON.stringify({ name: 'adapter', value: adapter, unit: '' }));
    for (const result of results)
      console.log(JSON.stringify({ ...result, ...(peers[result.name] !== undefined && { peer: peers[result.name] }) }));
  } finally {
    await browser.close();
  }
}
