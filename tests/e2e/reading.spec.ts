import { expect, lessonRoutes, test, withoutRuntime } from './site';

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
});
