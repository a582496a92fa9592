/** The first-nonfinite tracer: runs on WebGPU, finds what PyTorch finds, and tries one change at a time by running it. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { LabPage } from './lab-page';
import { expect, test } from './site';

async function open(page: Page) {
  await page.goto('/lessons/three-failures/');
  // Figures load when they come near.
  await page.getByRole('figure').filter({ hasText: 'Five small runs' }).scrollIntoViewIfNeeded();
  const widget = page.locator('[data-widget="first-nonfinite-tracer"]');
  await expect(widget).toBeVisible();
  const run = async () => {
    await widget.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(widget.locator('[data-runner]')).toHaveAttribute('data-state', 'done', { timeout: 60_000 });
    await expect(widget.locator('[data-runner]')).toHaveAttribute('data-backend', 'webgpu');
    // Kernels ran: the count that the session gives, shown by the runner.
    await expect(widget.locator('[data-runner]').getByRole('status')).toContainText(/[1-9]\d* GPU kernel/);
  };
  const card = (change: string) => widget.locator(`[data-change="${change}"]`);
  const verdict = widget.getByRole('region', { name: 'Trace' }).locator('[data-verdict]');
  return { widget, run, card, verdict };
}

test('the first nonfinite op of a run, and three changes that really run', async ({ page }) => {
  const { widget, run, card, verdict } = await open(page);
  await run();
  // PyTorch 2.13: (h * h).isinf().sum() is 6 of 256, its largest finite value 65024.
  await expect(verdict).toHaveText(
    /First nonfinite value: mul on line 10, where 6 of 256 values are inf\. \d+ later ops inherit it\./,
  );
  const first = widget.locator('[data-first]');
  await expect(first).toHaveCount(1);
  await expect(first).toContainText('0 … 65024');
  await expect(first).toContainText('6 inf');
  // The editor says so at its line, and the line of code beside the op leads there.
  await expect(widget.locator('[data-error-line="10"]')).toBeVisible();
  await first.getByRole('button', { name: /line 10/ }).click();
  await expect(widget.getByRole('textbox', { name: 'Code' })).toBeFocused();

  await card('float32').click();
  await expect(card('float32')).toContainText('finite throughout', { timeout: 30_000 });
  await expect(verdict).toContainText('That op in float32: Every value of');
  const changed = widget.locator('li[data-line="10"][data-op="mul"]');
  await expect(changed).toContainText('float32 [8, 32]');
  expect(Number(await card('float32').getAttribute('data-kernels'))).toBeGreaterThan(0);

  await card('bfloat16').press('Enter');
  await expect(card('bfloat16')).toContainText('finite throughout', { timeout: 30_000 });
  // The largest square in bfloat16, by PyTorch: 103936.
  await expect(widget.locator('li[data-line="10"][data-op="mul"]')).toContainText('103940');
  expect(Number(await card('bfloat16').getAttribute('data-kernels'))).toBeGreaterThan(0);

  await card('scaled').click();
  await expect(card('scaled')).toContainText('finite throughout', { timeout: 30_000 });
  await card('none').click();
  await expect(verdict).toContainText('6 of 256');
});

test('a gradient that underflows is finite, and gone; an edit makes the trace stale', async ({ page }) => {
  const { widget, run, verdict } = await open(page);
  await widget.getByLabel('Scenario').selectOption('vanishing-gradient');
  await run();
  await expect(verdict).toContainText('Every value of');
  await expect(verdict).toContainText('nothing is left of matmul in the backward of line 6');
  await widget.getByRole('textbox', { name: 'Code' }).click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('print("edited")');
  await expect(widget).toContainText('The code has changed since this trace');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a trace has no accessibility faults on a phone, ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme });
    const { widget, run } = await open(page);
    await widget.getByLabel('Scenario').selectOption('softmax-by-hand');
    await run();
    await widget.locator('[data-first]').getByRole('button', { name: /^exp/ }).click();
    const { violations } = await new AxeBuilder({ page }).include('[data-widget="first-nonfinite-tracer"]').analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' | ')}`)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    );
  });
}

test('the lab traces a run when asked to, and folds a long one around its first nonfinite value', async ({ page }) => {
  const lab = await LabPage.open(page);
  await page.getByRole('checkbox', { name: 'Trace ops' }).check();
  await lab.run(
    'import torch\nx = torch.tensor([1.5], dtype=torch.float16, device="cuda")\nfor _ in range(60):\n    x = x * 1.5\nprint(x.item())',
  );
  const trace = page.getByRole('region', { name: 'Trace' });
  // 1.5 ** 28 is the first power beyond 65504. By PyTorch 34 of the 60 products are inf: the first, and 33 that inherit it.
  await expect(trace.locator('[data-verdict]')).toContainText('First nonfinite value: mul on line 4');
  await expect(trace.locator('[data-verdict]')).toContainText('33 later ops inherit it');
  await expect(trace.locator('[data-fold]').first()).toContainText('more ops, all finite');
  await trace.locator('[data-fold]').first().getByRole('button').click();
  await expect(trace.getByText('all finite')).toHaveCount(0);
  await expect(lab.runner).toHaveAttribute('data-backend', 'webgpu');
});
