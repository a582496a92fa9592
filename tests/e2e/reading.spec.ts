import { expect, lessonRoutes, routes, test, withoutRuntime } from './site';

for (const route of lessonRoutes) {
  test(`${route} can be read before Python has arrived`, async ({ page }) => {
    await withoutRuntime(page);
    await page.goto(route);
    const cells = page.locator('[data-runner]');
    for (let index = 0; index < (await cells.count()); index++) {
      await cells.nth(index).scrollIntoViewIfNeeded();
      await expect(cells.nth(index)).toContainText(/\w/);
    }
    await expect(page.locator('main p').first()).toBeVisible();
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  for (const route of lessonRoutes) {
    test(`${route} shows its code and its answers`, async ({ page }) => {
      await page.goto(route);
      await expect(page.locator('h1')).toBeVisible();
      for (const code of await page.locator('[data-runner] pre:not(:empty)').all()) await expect(code).toBeVisible();
      for (const answer of await page.locator('[data-open="false"]').all()) await expect(answer).toBeVisible();
    });
  }

  for (const route of routes.filter((path) => /^\/exercises\/.+/.test(path))) {
    test(`${route} shows its prompt, its code and what is checked`, async ({ page }) => {
      await page.goto(route);
      await expect(page.locator('h1')).toBeVisible();
      await expect(page.getByRole('region', { name: 'Prompt' }).locator('p').first()).toBeVisible();
      await expect(page.locator('[data-runner] pre').first()).toContainText('def ');
      const checks = page.getByRole('region', { name: 'Checks' }).getByRole('listitem');
      expect(await checks.count()).toBeGreaterThan(3);
      for (const check of await checks.all()) await expect(check).toBeVisible();
      // Nothing that looks as if it could be pressed.
      await expect(page.locator('main button:visible')).toHaveCount(0);
    });
  }

  test('/exercises/ lists all of them, without filters that could not filter', async ({ page }) => {
    await page.goto('/exercises/');
    for (const route of routes.filter((path) => /^\/exercises\/.+/.test(path)))
      await expect(page.locator(`main a[href="${route}"]`).first()).toBeVisible();
    await expect(page.getByRole('form', { name: 'Filter exercises' })).toBeHidden();
  });
});
