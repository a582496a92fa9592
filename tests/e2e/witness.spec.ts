/** A number in a lesson, clicked: WebGPU's value, the reference's and PyTorch's. */
import { test as base } from '@playwright/test';
import { expect, lessonRoutes, test } from './site';

const EXP_11 = 'torch.tensor(11.0, dtype=torch.float16).exp()';

test('a click on a number shows what WebGPU, the reference and PyTorch give, with bits', async ({ page }) => {
  await page.goto('/lessons/stable-softmax/');
  const number = page.locator(`button[data-witness="${EXP_11}"]`);
  await expect(number).toHaveText('59872');
  await number.click();
  const panel = page.getByRole('dialog', { name: EXP_11 });
  await expect(panel).toBeVisible();
  // exp(11) = 59874.14; 59872 is the float16 beside it: 0x7b4f
  for (const row of ['webgpu', 'reference', 'torch']) {
    await expect(panel.locator(`[data-row="${row}"]`)).toContainText('59872.0', { timeout: 90_000 });
    await expect(panel.locator(`[data-row="${row}"]`)).toContainText('0x7b4f');
  }
  await expect(panel.locator('[data-row="webgpu"]')).toContainText('1 op on the GPU');
  await expect(panel.locator('[data-row="webgpu"]')).toContainText('equal to the bit');
  await expect(panel.locator('[data-row="torch"]')).toContainText('PyTorch 2.13.0');
  await expect(panel.getByRole('link', { name: 'beside the other formats' })).toHaveAttribute(
    'href',
    '/formats/#v=0x7b4f&f=float16',
  );
  await expect(panel.getByRole('img')).toHaveAttribute('aria-label', /exponent 11110, significand 1101001111/);
});

test('the keyboard opens and closes it, and keeps its place', async ({ page }) => {
  await page.goto('/lessons/stable-softmax/');
  const number = page.locator('button[data-witness="math.log(65520)"]');
  await number.focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'math.log(65520)' });
  await expect(panel).toBeVisible();
  await expect(number).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(number).toBeFocused();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(panel).toHaveCount(0);
  await expect(number).toBeFocused();
});

test('on a phone it fits the screen, and a tap beside it closes it', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/lessons/stable-softmax/');
  const number = page.locator(`button[data-witness="${EXP_11}"]`);
  await number.click();
  const panel = page.getByRole('dialog', { name: EXP_11 });
  await expect(panel.locator('[data-row="webgpu"]')).toContainText('59872.0', { timeout: 90_000 });
  const box = await panel.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 360 && box.y >= 0 && box.y + box.height <= 740).toBe(true);
  await page.mouse.click(180, 20);
  await expect(panel).toHaveCount(0);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('a number is plain text', async ({ page }) => {
    await page.goto('/lessons/stable-softmax/');
    const number = page.locator(`[data-witness="${EXP_11}"]`);
    await expect(number).toHaveText('59872');
    await expect(page.locator('button[data-witness]')).toHaveCount(0);
  });
});

// Not the site's own test: the browser writes failed requests to the console.
base('where Python can’t be had the panel says so, and its other witnesses stand', async ({ page }) => {
  await page.route(/\/pyodide\//, (route) => route.abort());
  await page.goto('/lessons/stable-softmax/');
  await page.locator(`button[data-witness="${EXP_11}"]`).click();
  const panel = page.getByRole('dialog', { name: EXP_11 });
  await expect(panel.getByRole('alert')).toContainText('Python could not be started', { timeout: 90_000 });
  await expect(panel.locator('[data-row="torch"]')).toContainText('59872.0');
  await page.unroute(/\/pyodide\//);
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect(panel.locator('[data-row="webgpu"]')).toContainText('59872.0', { timeout: 90_000 });
});

test.describe('without WebGPU', () => {
  test('the reference engine answers, and the panel says so', async ({ page }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'gpu', { value: undefined }));
    await page.goto('/lessons/stable-softmax/');
    await page.locator(`button[data-witness="${EXP_11}"]`).click();
    const panel = page.getByRole('dialog', { name: EXP_11 });
    await expect(panel.locator('[data-row="webgpu"]')).toContainText('59872.0', { timeout: 90_000 });
    await expect(panel.locator('[data-row="webgpu"]')).toContainText('Your browser, without WebGPU');
    await expect(panel.locator('[data-notice="reference"]')).toContainText('no WebGPU');
  });
});

for (const route of lessonRoutes) {
  test(`${route}: every number, run on WebGPU, is what the reference gives`, async ({ page }) => {
    await page.goto(route);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    const buttons = page.locator('button[data-witness]');
    // The buttons come with hydration; a lesson may have no numbers.
    await page.waitForFunction(
      () => document.querySelector('button[data-witness]') || !document.querySelector('[data-witness]'),
    );
    const seen = new Set<string>();
    const wrong: string[] = [];
    for (const button of await buttons.all()) {
      const expression = (await button.getAttribute('data-witness')) ?? '';
      if (seen.has(expression)) continue;
      seen.add(expression);
      // Some stand in answers that are not open yet.
      await button.evaluate((element: HTMLElement) => element.click());
      const panel = page.locator('[data-witness-panel]');
      const live = panel.locator('[data-row="webgpu"]');
      await expect(live.locator('[data-verdict], [role="alert"]').first()).toBeVisible({ timeout: 90_000 });
      const verdict = (await live.locator('[data-verdict]').allTextContents()).join();
      // float32 exp, log and the like: the op's record allows a few ulp (docs/goldens.md).
      if (!/^equal to the bit$|^[1-4] ulp/.test(verdict)) wrong.push(`${expression}: ${await live.textContent()}`);
      await page.keyboard.press('Escape');
      await expect(panel).toHaveCount(0);
    }
    expect(wrong).toEqual([]);
  });
}
