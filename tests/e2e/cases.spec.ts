/** The real cases in the browser: each script, run in the lab, prints what PyTorch printed. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { LabPage } from './lab-page';

const FOLDER = 'tests/cases/data';
const scripts = readdirSync(FOLDER)
  .filter((f) => f.endsWith('.py'))
  .sort();

test.describe('cases in the lab', () => {
  test.describe.configure({ mode: 'serial' });
  let lab: LabPage;
  test.beforeAll(async ({ browser }) => {
    lab = await LabPage.open(await browser.newPage());
  });
  test.afterAll(() => lab.page.close());

  for (const script of scripts) {
    test(`${script} prints what PyTorch prints`, async () => {
      const code = readFileSync(`${FOLDER}/${script}`, 'utf8');
      await lab.run(code);
      const printed = await lab.output.locator('[data-stream="stdout"]').allTextContents();
      expect(printed.join('')).toBe(readFileSync(`${FOLDER}/${script.replace(/\.py$/, '.out')}`, 'utf8'));
    });
  }
});
