/** The widget of the softmax lesson, moved by keyboard and read: its numbers are PyTorch's. */
import { expect, test } from '@playwright/test';

test('softmax stages: each dtype and preset shows the values that PyTorch gives', async ({ page }) => {
  await page.goto('/lessons/stable-softmax/');
  const widget = page.locator('[data-widget="softmax-stages"]');
  await page.getByText('Loading the figure').first().scrollIntoViewIfNeeded();
  await expect(widget).toBeVisible();
  const naive = widget.getByRole('region', { name: 'As written' });
  const shifted = widget.getByRole('region', { name: 'Maximum subtracted' });
  const cell = (pane: typeof naive, stage: string, i: number) => pane.locator(`[data-stage="${stage}"] td`).nth(i);

  // [20, 19, 0] in float16: exp(20) and exp(19) are inf (0x7c00), inf / inf is NaN
  await expect(cell(naive, 'exp', 0)).toContainText('inf');
  await expect(cell(naive, 'exp', 0)).toContainText('0x7c00');
  await expect(cell(naive, 'probabilities', 0)).toContainText('nan');
  // exp(0) = 1 (0x3c00), exp(-1) = 0.36792 (0x35e3); the probabilities as torch's own steps round them
  await expect(cell(shifted, 'exp', 0)).toContainText('0x3c00');
  await expect(cell(shifted, 'exp', 1)).toContainText('0x35e3');
  await expect(cell(shifted, 'probabilities', 0)).toContainText('0.73096');
  await expect(cell(shifted, 'probabilities', 1)).toContainText('0.2688');

  // bfloat16 survives 20 and 19 without the shift
  await widget.getByRole('radio', { name: 'bfloat16' }).focus();
  await page.keyboard.press('Space');
  await expect(cell(naive, 'probabilities', 0)).toContainText('0.73047');
  await expect(cell(naive, 'probabilities', 1)).toContainText('0.26953');

  // and doesn't survive 100 and 99
  await widget.getByRole('button', { name: 'Past bfloat16' }).press('Enter');
  await expect(cell(naive, 'exp', 0)).toContainText('0x7f80');
  await expect(cell(shifted, 'probabilities', 0)).toContainText('0.73047');

  // very negative: the sum is 0, and 0 / 0 is NaN
  await widget.getByRole('radio', { name: 'float16', exact: true }).check();
  await widget.getByRole('button', { name: 'Very negative' }).press('Enter');
  await expect(cell(naive, 'sum', 0)).toContainText('0x0000');
  await expect(cell(naive, 'probabilities', 0)).toContainText('nan');

  // the sliders answer to the keyboard: three steps of 0.5 up from -20
  const slider = widget.getByRole('slider', { name: 'logit 0' });
  await slider.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await expect(slider).toHaveValue('-18.5');
});
