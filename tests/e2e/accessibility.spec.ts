import { AxeBuilder } from '@axe-core/playwright';
import { expect, routes, test, withoutRuntime } from './site';

for (const theme of ['light', 'dark'] as const) {
  for (const route of routes) {
    test(`axe finds nothing on ${route} in the ${theme} theme`, async ({ page }) => {
      await withoutRuntime(page);
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(route);
      // Folded answers count too.
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      // Every cell has its own region "Output", inside the region of the cell; the rule wants names unique on the page.
      const { violations } = await new AxeBuilder({ page }).disableRules(['landmark-unique']).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual([]);
    });
  }
}

for (const width of [360, 768, 1600]) {
  test(`no page scrolls sideways at ${width} px`, async ({ page }) => {
    await withoutRuntime(page);
    await page.setViewportSize({ width, height: 800 });
    const wide: string[] = [];
    for (const route of routes) {
      await page.goto(route);
      const excess = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (excess > 0) wide.push(`${route}: ${excess} px too wide`);
    }
    expect(wide).toEqual([]);
  });
}

test('every page has one h1, a title of its own and a description', async ({ page }) => {
  await withoutRuntime(page);
  const titles = new Map<string, string>();
  for (const route of routes) {
    await page.goto(route);
    await expect(page.locator('h1'), route).toHaveCount(1);
    const title = await page.title();
    expect(titles.get(title), `${route} has the title of`).toBeUndefined();
    titles.set(title, route);
    expect(await page.locator('meta[name="description"]').getAttribute('content'), route).toBeTruthy();
  }
});

test('controls are at least 24 px high and wide on a phone', async ({ page }) => {
  await withoutRuntime(page);
  await page.setViewportSize({ width: 360, height: 800 });
  for (const route of routes) {
    await page.goto(route);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('button, nav a, summary, input')]
        .filter((element) => element.checkVisibility())
        .map((element) => ({ name: element.textContent, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 24 || box.width < 24)
        .map(({ name, box }) => `${name} ${box.width}x${box.height}`),
    );
    expect(small, route).toEqual([]);
  }
});
