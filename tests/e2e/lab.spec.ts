import { expect, test } from '@playwright/test';
import { LabPage } from './lab-page';

test('a shared link opens the code and does not run it', async ({ page, context }) => {
  const lab = await LabPage.open(page);
  await lab.type('print("shared")  # é');
  await lab.button('Share link').click();
  const link = await page.getByLabel(/The link/).inputValue();
  expect(link).toContain('/lab/#code=');

  const reader = await context.newPage();
  await reader.goto(link);
  const shared = new LabPage(reader);
  await shared.code.waitFor();
  await expect.poll(() => shared.text()).toBe('print("shared")  # é');
  // Long enough for a run to have begun.
  await reader.waitForTimeout(1000);
  await shared.expectState('idle');
  expect(await shared.printed()).toBe('');
  await shared.button('Run').click();
  await expect(shared.output).toHaveText('shared\n', { timeout: 60_000 });
});

test('a damaged link says so and leaves the lab usable', async ({ page }) => {
  const lab = await LabPage.open(page, '#code=%%%not-a-script');
  await expect(page.getByRole('alert').filter({ hasText: 'link' })).toContainText('This link can’t be opened');
  await expect(lab.button('Run')).toBeEnabled();
});

test('a link that would unpack to a huge script is refused', async ({ page }) => {
  await LabPage.open(page);
  const code = await page.evaluate(async () => {
    const stream = new Blob(['x'.repeat(5_000_000)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_');
  });
  await page.goto('/');
  await LabPage.open(page, `#code=${code}`);
  await expect(page.getByRole('alert').filter({ hasText: 'link' })).toContainText('longer than');
});

test('an example opens by its link', async ({ page }) => {
  const lab = await LabPage.open(page, '#example=3-float16-limits');
  await expect.poll(() => lab.text()).toContain('torch.finfo(torch.float16)');
});

test('without JavaScript the page shows highlighted code, no dead buttons, and says so', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/lab/');
  await expect(page.locator('[data-runner] pre.shiki')).toContainText('import torch');
  await expect(page.locator('.no-script')).toContainText('running code');
  await expect(page.getByRole('button')).toHaveCount(0);
  await context.close();
});

test('a script that no link would open is not shared, and the page says why', async ({ page }) => {
  const lab = await LabPage.open(page);
  await lab.type(`x = "${'a'.repeat(200_000)}"`);
  await lab.button('Share link').click();
  await expect(page.getByRole('alert').filter({ hasText: 'link' })).toContainText('a link carries at most 200,000');
});

test('Run after Stop counts, even while Python is still loading', async ({ page }) => {
  // Python’s files come late, as over a slow network.
  await page.route(/python_stdlib\.zip/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await route.continue();
  });
  const lab = await LabPage.open(page);
  await lab.type('print("second")');
  await lab.button('Run').click();
  await lab.button('Stop').click();
  await lab.expectState('stopped');
  await lab.button('Run').click();
  await lab.expectState('done');
  expect(await lab.printed()).toBe('second\n');
  await expect(lab.runner).toHaveAttribute('data-runs', '1');
});
