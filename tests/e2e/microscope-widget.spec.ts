/**
 * The microscope of the first lesson: the scale is moved by keyboard, gradients are measured and a network trained on WebGPU. Counts and scales
 * are those that PyTorch 2.13 gives for the same scripts (tests/python/widgets/loss_scaling.json); what becomes of 1e-8 is the lesson's.
 */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { test, withoutRuntime } from './site';

/** Python's start, the GPU's self-test, and 36 backward passes: 20 s here, more where the machine is busy. Milliseconds. */
const COLD_START = 150_000;
test.describe.configure({ timeout: 300_000 });

async function open(page: Page): Promise<Locator> {
  await page.goto('/lessons/three-failures/');
  await page.getByText('Loading the figure').first().scrollIntoViewIfNeeded();
  const widget = page.locator('[data-widget="loss-scaling-microscope"]');
  await expect(widget).toBeVisible();
  return widget;
}

const count = (widget: Locator, zone: string) => widget.locator(`[data-zone="${zone}"]`);

test('the scale moves gradients through float16’s window, by keyboard, before Python has arrived', async ({ page }) => {
  await withoutRuntime(page);
  const widget = await open(page);
  const slider = widget.getByRole('slider', { name: 'loss scale S' });
  const probe = widget.locator('[data-probe]');

  // No scaling: PyTorch rounds 1221 of 1300 to 0, and a float16 backward gives 1232 zeros. 1e-8 is gone.
  await expect(count(widget, 'zero')).toHaveAttribute('data-count', '1221');
  await expect(count(widget, 'subnormal')).toHaveAttribute('data-count', '75');
  await expect(widget.locator('[data-told]')).toContainText('1232 of 1300 gradients are 0');
  await expect(probe).toContainText('0x0000');

  // 1024: 1e-8 is kept as 1.0252e-5 (0x00ac), and comes back as 1.0012e-8.
  await slider.focus();
  for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight');
  await expect(slider).toHaveValue('10');
  await expect(widget.locator('output')).toContainText('1,024');
  await expect(probe).toContainText('1.0252e-5');
  await expect(probe).toContainText('0x00ac');
  await expect(probe).toContainText('1.0012e-8');
  await expect(count(widget, 'zero')).toHaveAttribute('data-count', '7');

  // 65536: nothing is lost. 2^31: 15 round to inf, and 1287 of the real backward's are nonfinite.
  await widget.getByRole('button', { name: 'GradScaler’s first' }).press('Enter');
  await expect(slider).toHaveValue('16');
  await expect(widget.locator('[data-told]')).toContainText('loses nothing');
  await slider.focus();
  await page.keyboard.press('End');
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  await expect(count(widget, 'inf')).toHaveAttribute('data-count', '15');
  await expect(widget.locator('[data-told]')).toContainText('1287 of 1300 gradients are nonfinite');
  await expect(widget.locator('[data-live]')).toHaveAttribute('data-live', 'false');

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).include('[data-widget]').analyze();
    expect(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map((node) => node.html)}`)).toEqual([]);
  }
});

test('gradients are measured on WebGPU, count for count PyTorch’s, and a run from 2^34 skips until the scale fits', async ({
  page,
}) => {
  const widget = await open(page);
  await widget.getByRole('button', { name: 'Measure it here' }).click();
  const provenance = widget.locator('[data-live]');
  await expect(provenance).toHaveAttribute('data-live', 'true', { timeout: COLD_START });
  await expect(provenance).toContainText('GPU kernels on WebGPU');
  expect(Number(await provenance.getAttribute('data-kernels'))).toBeGreaterThan(500);
  await expect(provenance).toHaveAttribute('data-agrees', 'true');
  await expect(count(widget, 'zero')).toHaveAttribute('data-count', '1221');

  const slider = widget.getByRole('slider', { name: 'loss scale S' });
  await slider.focus();
  await page.keyboard.press('End');
  await widget.getByRole('button', { name: 'Train from 2³⁴' }).click();
  await expect(widget.getByRole('heading', { name: 'Training: run here' })).toBeVisible();
  await expect(widget.getByRole('button', { name: 'Stop' })).toBeVisible();
  await expect(widget.getByRole('button', { name: 'Stop' })).toBeHidden({ timeout: COLD_START });
  const tally = widget.locator('[data-updates]');
  await expect(tally).toHaveAttribute('data-updates', String(UPDATES));
  await expect(tally).toContainText('From 2³⁴');
});

/** Steps that PyTorch took of 80, from a first scale of 2^34. */
const UPDATES = 59;

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the stored run is a table', async ({ page }) => {
    await page.goto('/lessons/three-failures/');
    const table = page.getByRole('table').filter({ hasText: 'gradients that are 0' });
    await expect(table).toContainText('1232 (94.8 %)');
    await expect(page.getByText('Loading the figure').first()).toBeHidden();
  });
});
