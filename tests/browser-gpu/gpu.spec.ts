/**
 * The engine's WebGPU backend in a real browser. Fails where there is no adapter: a test that quietly runs on the reference would prove
 * nothing. Run alone with `npx playwright test tests/browser-gpu`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { openGpuPage } from '../../scripts/gpu-page';
import type { GpuReport } from './page';

const goldens = new URL('../golden/data/', import.meta.url);

test('every op and golden has its exact bits on WebGPU, computed by kernels', async ({ page }) => {
  test.setTimeout(300_000);
  const files = new Map<string, Buffer>();
  for (const folder of ['binary', 'unary'])
    for (const name of readdirSync(new URL(`${folder}/`, goldens)))
      if (name.endsWith('.gz')) files.set(`${folder}/${name}`, readFileSync(new URL(`${folder}/${name}`, goldens)));
  await openGpuPage(page, 'tests/browser-gpu/page.ts', files);
  await page.waitForFunction(() => 'runGpuTests' in globalThis);
  const report = await page.evaluate(() =>
    (globalThis as unknown as { runGpuTests: () => Promise<GpuReport> }).runGpuTests(),
  );

  console.log(
    `adapter: ${report.adapter}; ${report.dispatches} dispatches; ${report.goldens.length} goldens, ${report.opTable.length} table rows`,
  );
  await test.step('the self-test passes in every family', () => {
    expect(report.selfTest.filter((r) => r.fault !== '')).toEqual([]);
    expect(report.notices).toEqual([]);
  });
  await test.step("PyTorch's goldens agree to the bit, by kernels", () => {
    expect(report.goldens.length).toBe(34);
    expect(report.goldens.filter((r) => r.difference !== '' || r.kernels === 0)).toEqual([]);
  });
  await test.step('the op table agrees with the reference', () => {
    expect(report.opTable.filter((r) => r.difference !== '')).toEqual([]);
  });
  await test.step('ops that claim a kernel dispatched one', () => {
    const dispatched = new Map<string, number>();
    for (const row of report.opTable.filter((r) => r.claimed)) {
      const op = row.name.split(' ')[0];
      dispatched.set(op, (dispatched.get(op) ?? 0) + row.kernels);
    }
    expect([...dispatched].filter(([, kernels]) => kernels === 0)).toEqual([]);
    expect(dispatched.size).toBeGreaterThan(50);
  });
});
