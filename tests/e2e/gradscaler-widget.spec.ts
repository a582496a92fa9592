/**
 * The permutation lab of the GradScaler lesson, moved by keyboard, mouse and finger, and really run on WebGPU. Numbers and messages are those
 * of PyTorch 2.13 for the same script (tests/python/widgets/gradscaler_orders.json).
 */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { test } from './site';

/** Python's start and the GPU's self-test, before the first kernel: 15 s here, a minute and more where the machine is busy. Milliseconds. */
const COLD_START = 120_000;
test.describe.configure({ timeout: 240_000 });

async function open(page: Page): Promise<Locator> {
  await page.goto('/lessons/gradscaler-ordering/');
  const widget = page.locator('[data-widget="gradscaler-order"]');
  await page.getByText('Loading the figure').first().scrollIntoViewIfNeeded();
  await expect(widget).toBeVisible();
  return widget;
}

const steps = (widget: Locator) =>
  widget.locator('[data-step]').evaluateAll((cards) => cards.map((card) => card.getAttribute('data-step')));

/** Runs, and checks that it was the GPU that did. */
async function run(widget: Locator): Promise<void> {
  await widget.getByRole('button', { name: 'Run this order' }).click();
  const status = widget.locator('[data-kernels]');
  await expect(status).toContainText('GPU kernels on WebGPU', { timeout: COLD_START });
  expect(Number(await status.getAttribute('data-kernels'))).toBeGreaterThan(50);
}

test('an order runs on WebGPU, and says what it did: silently wrong, then right, then raising', async ({ page }) => {
  const widget = await open(page);
  const lab = widget.locator('[data-verdict]').first();
  const rows = widget.getByRole('region', { name: 'What each iteration did' }).locator('tbody tr');

  // It opens with clip before unscale_: the norm is a norm times 65536, and the parameters stay where they are.
  await run(widget);
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(0).locator('td').first()).toHaveText('91161');
  await expect(rows.nth(1).locator('td').first()).toHaveText('inf');
  await expect(rows.nth(1)).toContainText('32768');
  await expect(widget).toContainText('100 % of the way');
  // Two orders share these bits: this one, and the one without unscale_.
  await expect(lab).toContainText('Your bits equal those of “no unscale_”', { timeout: COLD_START });

  // By keyboard: pick clip up, one later, drop. That is the right order.
  const clip = widget.locator('[data-step="clip"]');
  await clip.focus();
  await page.keyboard.press('Space');
  await expect(clip).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(clip).toBeFocused();
  await expect(widget.getByText('clip is now 5 of 7, after unscale_.')).toBeAttached();
  await page.keyboard.press('Space');
  expect(await steps(widget)).toEqual(['zero_grad', 'forward', 'backward', 'unscale_', 'clip', 'step', 'update']);
  await expect(widget).toContainText('The cards have changed since');
  await run(widget);
  await expect(lab).toHaveAttribute('data-verdict', 'right');
  // 1.3909995555877686 in PyTorch
  await expect(rows.nth(0).locator('td').first()).toHaveText('1.391');
  await expect(widget.locator('[data-error]')).toHaveText('0, bit for bit');

  // Escape puts a card back; Delete takes it out; without update the second unscale_ raises PyTorch's message.
  const update = widget.locator('[data-step="update"]');
  await update.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Home');
  expect((await steps(widget))[0]).toBe('update');
  await page.keyboard.press('Escape');
  expect((await steps(widget)).at(-1)).toBe('update');
  await page.keyboard.press('Delete');
  expect(await steps(widget)).toHaveLength(6);
  await run(widget);
  await expect(lab).toHaveAttribute('data-verdict', 'raised');
  await expect(lab).toContainText('Raises in iteration 2, at unscale_.');
  await expect(widget.locator('samp').first()).toHaveText('RuntimeError: unscale_() is being called after step().');
  await expect(widget.locator('[data-step="unscale_"]')).toContainText('raised here');
  await expect(widget.getByRole('region', { name: 'The Python that runs' }).locator('[data-raised="true"]')).toHaveText(
    /scaler\.unscale_\(optimizer\)/,
  );

  // Undo brings update back; another one may be added, and raises.
  await widget.getByRole('button', { name: 'Undo' }).click();
  await widget.getByRole('button', { name: 'Add update' }).click();
  expect(await steps(widget)).toHaveLength(8);
  await run(widget);
  await expect(widget.locator('samp').first()).toHaveText(
    'AssertionError: No inf checks were recorded prior to update.',
  );
});

test('cards are dragged by mouse, and the trace puzzles are answered by running the choices', async ({ page }) => {
  const widget = await open(page);
  const clip = widget.locator('[data-step="clip"]');
  const unscale = widget.locator('[data-step="unscale_"]');
  await clip.scrollIntoViewIfNeeded();
  const from = (await clip.boundingBox())!;
  const to = (await unscale.boundingBox())!;
  await page.mouse.move(from.x + 80, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + 80, to.y + to.height / 2 + 4, { steps: 6 });
  await page.mouse.up();
  await expect(widget.locator('[data-step][aria-pressed="true"]')).toHaveCount(0);
  expect(await steps(widget)).toEqual(['zero_grad', 'forward', 'backward', 'unscale_', 'clip', 'step', 'update']);

  const inverse = widget.locator('[data-part="inverse"]');
  await inverse.getByRole('button', { name: 'Show a trace' }).click();
  const trace = inverse.getByRole('region', { name: 'The trace' });
  await expect(trace.locator('tbody tr').first()).toContainText('91161', { timeout: COLD_START });
  const choice = (id: string) => inverse.locator(`[data-choice="${id}"]`);
  await choice('right').click();
  await expect(choice('right')).toHaveAttribute('data-verdict', 'wrong', { timeout: COLD_START });
  await expect(inverse).toContainText('In iteration 1 this order’s norm is 1.391; the trace has 91161.');
  await choice('clip-before-unscale').click();
  await expect(choice('clip-before-unscale')).toHaveAttribute('data-verdict', 'right');
  await expect(inverse).toContainText('bit for bit');

  // The second trace: NaN for good, and a scale that falls without end.
  await inverse.getByRole('button', { name: 'Next trace' }).click();
  await expect(trace.locator('tbody tr').nth(3)).toContainText('8192', { timeout: COLD_START });
  await expect(trace.locator('tbody tr').nth(3)).toContainText('nan');
  await choice('no-update').click();
  await expect(choice('no-update')).toHaveAttribute('data-verdict', 'wrong');
  await choice('no-zero-grad').click();
  await expect(choice('no-zero-grad')).toHaveAttribute('data-verdict', 'right');

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).include('[data-widget]').analyze();
    expect(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map((node) => node.html)}`)).toEqual([]);
  }
});

test('without WebGPU the lab runs on the reference engine, says so, and gives the same numbers', async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'gpu', { value: undefined }));
  const widget = await open(page);
  await widget.locator('select').selectOption('right');
  await widget.getByRole('button', { name: 'Run this order' }).click();
  await expect(widget.locator('[data-notice="reference"]')).toContainText('no WebGPU', { timeout: COLD_START });
  const rows = widget.getByRole('region', { name: 'What each iteration did' }).locator('tbody tr');
  await expect(rows.nth(0).locator('td').first()).toHaveText('1.391', { timeout: COLD_START });
  await expect(rows.nth(3)).toContainText('1.3745');
  await expect(widget).toContainText('on the reference engine');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a finger on the grip drags a card; a tap and the buttons move one too', async ({ page }) => {
    const widget = await open(page);
    const unscale = widget.locator('[data-step="unscale_"]');
    await unscale.scrollIntoViewIfNeeded();
    const grip = (await unscale.locator('[data-grip]').boundingBox())!;
    const target = (await widget.locator('[data-step="clip"]').boundingBox())!;
    const client = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: grip.x + grip.width / 2, y }],
      });
    const start = grip.y + grip.height / 2;
    const end = target.y + target.height / 2 - 4;
    const before = await page.evaluate(() => scrollY);
    await touch('touchStart', start);
    for (let i = 1; i <= 5; i++) await touch('touchMove', start + ((end - start) * i) / 5);
    await touch('touchEnd', end);
    await expect
      .poll(() => steps(widget))
      .toEqual(['zero_grad', 'forward', 'backward', 'unscale_', 'clip', 'step', 'update']);
    expect(await page.evaluate(() => scrollY)).toBe(before);

    await expect(widget.locator('[data-step][aria-pressed="true"]')).toHaveCount(0);

    await widget.locator('[data-step="clip"]').tap();
    await widget.getByRole('button', { name: 'Later' }).tap();
    expect((await steps(widget)).slice(4)).toEqual(['step', 'clip', 'update']);
    const box = (await widget.boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
  });
});
