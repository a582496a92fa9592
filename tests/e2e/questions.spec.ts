/** Prediction questions: answered by keyboard, explained by misconception, recorded, and run on WebGPU. */
import { expect, test } from './site';

test('a wrong answer names its misconception, and the list remembers it', async ({ page }) => {
  // Seed 2: 4120 + 3 in float16, where values are 4 apart: PyTorch prints 4124.0 (tests/golden/data/questions/round-a-sum.json).
  await page.goto('/questions/round-a-sum/#seed=2');
  const question = page.locator('[data-question="round-a-sum"]');
  await expect(question).toHaveAttribute('data-seed', '2');
  const option = (text: string) => question.getByRole('button', { name: text });
  await expect(option('4123.0')).toBeVisible();
  await option('4124.0').focus();
  const digit = await question
    .getByRole('list')
    .getByRole('button')
    .evaluateAll((buttons) => 1 + buttons.findIndex((b) => b.textContent?.includes('4123.0')));
  await page.keyboard.press(String(digit));
  await expect(question).toHaveAttribute('data-answered', 'wrong');
  await expect(question.locator('[data-misconception="sums-are-exact"]')).toContainText(
    'The sum of two representable numbers is representable.',
  );
  await expect(question).toContainText('It prints 4124.0');
  await expect(question.getByRole('status').first()).toHaveText('0 of 1 right');

  await page.goto('/questions/');
  const met = page.getByRole('region', { name: 'What your wrong answers had in common' });
  await expect(met.locator('[data-misconception="sums-are-exact"]')).toContainText('chosen once');
  await expect(met.getByRole('link', { name: 'Round a sum' })).toHaveAttribute('href', '/questions/round-a-sum/');
});

test('another question comes by key, with the focus on it, and its link brings it back', async ({ page }) => {
  await page.goto('/questions/next-loss-scale/');
  const question = page.locator('[data-question="next-loss-scale"]');
  await question.getByRole('list').getByRole('button').first().press('2');
  await expect(question).toHaveAttribute('data-answered', /right|wrong/);
  await page.keyboard.press('n');
  await expect(question).not.toHaveAttribute('data-answered', /./);
  await expect(question).not.toHaveAttribute('data-seed', '0');
  await expect(question.locator('p:focus')).toHaveCount(1);
  const options = await question.getByRole('list').getByRole('button').allTextContents();
  await page.reload();
  await expect.poll(() => question.getByRole('list').getByRole('button').allTextContents()).toEqual(options);
});

test('the code of a question runs on WebGPU, and prints the option that is right', async ({ page }) => {
  await page.goto('/lessons/gradscaler-ordering/');
  const question = page.locator('[data-question="clip-and-unscale"]');
  // Seed 5: gradient (30, 40), scale 256, unscaled, then clipped to 20: PyTorch prints 20.
  await question
    .getByRole('button', { name: '20', exact: false })
    .filter({ hasText: /^\d20$/ })
    .click();
  await expect(question).toHaveAttribute('data-answered', 'right');
  await question.getByRole('button', { name: 'Run it here' }).click();
  const runner = question.locator('[data-runner]');
  await runner.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(runner).toHaveAttribute('data-state', 'done', { timeout: 60_000 });
  await expect(runner).toHaveAttribute('data-backend', 'webgpu');
  await expect(runner.getByRole('region', { name: 'Output' }).locator('pre')).toHaveText('20\n');
  await expect(runner.getByRole('status')).toContainText(/[1-9]\d* GPU kernel/);
});
