import { expect, test } from './site';

test('the first cell of the front page runs: ten thousand squared is inf in float16', async ({ page }) => {
  await page.goto('/');
  const cell = page.locator('[data-runner]').first();
  await expect(cell.getByRole('button', { name: 'Run' })).toBeInViewport();
  await cell.getByRole('button', { name: 'Run' }).click();
  await expect(cell).toHaveAttribute('data-state', 'done', { timeout: 90_000 });
  await expect(cell.getByRole('region', { name: 'Output' }).locator('pre')).toHaveText(
    "tensor(inf, device='cuda:0', dtype=torch.float16)\n",
  );
});

test('a prediction opens its explanation only after the reader has committed', async ({ page }) => {
  await page.goto('/');
  const question = page.getByRole('region', { name: 'Which one would a larger loss scale repair?' });
  const explanation = question.getByText('Only the gradient.');
  await expect(explanation).toBeHidden();
  await question.getByRole('button', { name: 'the product' }).click();
  await expect(explanation).toBeVisible();
  await expect(question.getByRole('button', { name: /the gradient/ })).toHaveAttribute('data-verdict', 'right');
  await expect(question.getByRole('button', { name: /the product/ })).toHaveAttribute('data-verdict', 'wrong');
  // The first answer stands.
  await question.getByRole('button', { name: /the gradient/ }).click();
  await expect(question.getByRole('button', { name: /the product/ })).toHaveAttribute('aria-pressed', 'true');
});
