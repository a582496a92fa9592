/** The real cases in the browser: each script, run in the lab, prints what PyTorch printed. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';

const FOLDER = 'tests/cases/data';
const scripts = readdirSync(FOLDER)
  .filter((f) => f.endsWith('.py'))
  .sort();

test.describe('cases in the lab', () => {
  test.describe.configure({ mode: 'serial' });
  let page: Page;
  test.beforeAll(async ({ browser }) => {
    page = await browser.newPage();
    await page.goto('/lab/');
  });
  test.afterAll(() => page.close());

  for (const script of scripts) {
    test(`${script} prints what PyTorch prints`, async () => {
      const runner = page.locator('[data-runner]');
      await runner.getByRole('textbox', { name: 'Code' }).fill(readFileSync(`${FOLDER}/${script}`, 'utf8'));
      await runner.getByRole('button', { name: 'Run' }).click();
      await expect(runner.getByRole('button', { name: 'Stop' })).toBeDisabled({ timeout: 90_000 });
      const printed = await runner.locator('pre [data-stream="stdout"]').allTextContents();
      expect(printed.join('')).toBe(readFileSync(`${FOLDER}/${script.replace(/\.py$/, '.out')}`, 'utf8'));
      await expect(runner).toHaveAttribute('data-state', 'done');
    });
  }
});
