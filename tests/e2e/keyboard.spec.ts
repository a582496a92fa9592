import { expect, lessonRoutes, routes, test, withoutRuntime } from './site';

test('the skip link is the first stop and leads to the content', async ({ page }) => {
  await withoutRuntime(page);
  await page.goto('/lessons/');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
});

/** Tab order as accessible snippets, until it leaves the page or has taken `limit` steps. */
const walk = async (page: import('@playwright/test').Page, limit: number) => {
  const stops: string[] = [];
  for (let step = 0; step < limit; step++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return '';
      const all = [...document.querySelectorAll('*')];
      return `${all.indexOf(element)} <${element.tagName.toLowerCase()}> ${element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40)}`;
    });
    if (stop === '' || stop === stops[0]) break;
    stops.push(stop);
  }
  return stops;
};

for (const route of ['/', lessonRoutes[0], ...routes.filter((route) => /^\/exercises\/.+/.test(route)).slice(0, 1)]) {
  test(`Tab goes through ${route} from the header to the footer and is never trapped`, async ({ page }) => {
    await withoutRuntime(page);
    await page.goto(route);
    const stops = await walk(page, 250);
    expect(stops[0]).toContain('Skip to the content');
    // A trap would show the same element again before the last link of the footer.
    expect(new Set(stops).size).toBe(stops.length);
    expect(stops.at(-1)).toContain('Lab');
  });
}

test('the focused element is always marked', async ({ page }) => {
  await withoutRuntime(page);
  await page.goto('/');
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press('Tab');
    // The editor's frame is marked for the text inside it, a moment after the focus has come.
    const marked = () =>
      page.evaluate(() =>
        [document.activeElement, document.activeElement?.closest('.cm-editor')].some((element) => {
          if (!element) return false;
          const style = getComputedStyle(element);
          return style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2;
        }),
      );
    await expect.poll(marked, { message: `stop ${step + 1}`, timeout: 5_000 }).toBe(true);
  }
});

test('the page says where the reader is', async ({ page }) => {
  await withoutRuntime(page);
  await page.goto(lessonRoutes[0]);
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Lessons' })).toHaveAttribute(
    'aria-current',
    'true',
  );
  await page.goto('/exercises/');
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Exercises' })).toHaveAttribute(
    'aria-current',
    'page',
  );
});
