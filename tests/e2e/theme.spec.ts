import { expect, test, withoutRuntime } from './site';

const background = (page: import('@playwright/test').Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

test('the theme follows the system until the reader chooses, and the choice is remembered', async ({ page }) => {
  await withoutRuntime(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  const light = await background(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background(page);
  expect(dark).not.toBe(light);

  await page.emulateMedia({ colorScheme: 'light' });
  const toggle = page.getByRole('button', { name: 'Dark theme' });
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
  await toggle.click();
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  expect(await background(page)).toBe(dark);

  await page.goto('/lessons/');
  expect(await background(page)).toBe(dark);
});

test('a remembered theme is there before the first paint', async ({ page }) => {
  await withoutRuntime(page);
  await page.goto('/');
  await page.evaluate(() => localStorage.setItem('subnormal.theme', 'dark'));
  // Scripts from files are held back: only what is inline in the head can have run.
  await page.route(/\/_next\/static\/.*\.js/, () => {});
  await page.goto('/lessons/', { waitUntil: 'commit' });
  await expect(page.locator('h1')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
});

test('a dark page prints as ink on paper, without buttons', async ({ page }) => {
  await withoutRuntime(page);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await page.goto('/lab/');
  await page.evaluate(() => {
    document.documentElement.dataset.theme = 'dark';
  });
  const [red, green, blue] = await page.evaluate(() =>
    [...getComputedStyle(document.documentElement).backgroundColor.matchAll(/[\d.]+/g)].map(Number),
  );
  expect(Math.min(red, green, blue)).toBeGreaterThan(240);
  await expect(page.getByRole('button')).toHaveCount(0);
});
