import { expect, type Page, test } from '@playwright/test';
import { exerciseSlugs, loadExercise } from '../../exercises/kit/discover';

const folders = await Promise.all(exerciseSlugs().map((slug) => loadExercise(slug)));

/** Puts `code` into the editor, submits, and waits for the verdict. */
async function submit(page: Page, slug: string, code: string) {
  const root = page.locator(`[data-runner="${slug}"]`);
  await root.getByRole('textbox', { name: 'Code' }).fill(code);
  // every verdict has a seed of its own
  const before = (await root.getAttribute('data-seed')) ?? 'none';
  await root.getByRole('button', { name: 'Submit' }).click();
  await expect
    .poll(() => root.getAttribute('data-seed').then((seed) => seed !== null && seed !== before), { timeout: 90_000 })
    .toBe(true);
  return root;
}

for (const { slug, exercise, starter, solution, mistakes } of folders) {
  // An exercise of pure Python uses no tensors; every other must have executed kernels for its verdict.
  const usesGpu = starter.includes('cuda');

  test.describe(`${slug} on WebGPU`, () => {
    test.describe.configure({ mode: 'serial' });
    let page: Page;
    const problems: string[] = [];
    test.beforeAll(async ({ browser }) => {
      page = await browser.newPage();
      page.on('console', (m) => m.type() === 'error' && problems.push(m.text()));
      page.on('pageerror', (e) => problems.push(String(e)));
      await page.goto(`/exercises/${slug}/`);
    });
    test.afterAll(() => page.close());

    test('the starter runs, and is not solved', async () => {
      const root = await submit(page, slug, starter);
      await expect(root).toHaveAttribute('data-backend', 'webgpu');
      await expect(root).not.toHaveAttribute('data-solved', 'true');
      await expect(root.locator('[data-check="runs"]')).toHaveAttribute('data-status', 'pass');
      if (usesGpu) expect(Number(await root.getAttribute('data-kernels'))).toBeGreaterThan(0);
    });

    for (const [name, mistake] of Object.entries(exercise.mistakes)) {
      test(`mistake ${name} fails "${mistake.fails}" with its own message`, async () => {
        const root = await submit(page, slug, mistakes[name]);
        const check = root.locator(`[data-check="${mistake.fails}"]`);
        await expect(check).toHaveAttribute('data-status', 'fail');
        await expect(root).not.toHaveAttribute('data-solved', 'true');
        if (mistake.fails === 'own-work') {
          await expect(check).toContainText(exercise.forbidden?.message ?? '');
          return;
        }
        await expect(check.locator('[data-fingerprint]')).toHaveAttribute('data-fingerprint', name);
        await expect(check).toContainText(mistake.message);
        await expect(root.locator('[data-fingerprint]')).toHaveCount(1);
      });
    }

    test('the solution is graded solved', async () => {
      const root = await submit(page, slug, solution);
      await expect(root.locator('[data-check][data-status="fail"]')).toHaveCount(0);
      await expect(root).toHaveAttribute('data-solved', 'true');
      await expect(root).toHaveAttribute('data-backend', 'webgpu');
      if (usesGpu) expect(Number(await root.getAttribute('data-kernels'))).toBeGreaterThan(0);
    });

    test('hints come one at a time', async () => {
      const root = page.locator(`[data-runner="${slug}"]`);
      await expect(root.getByText(exercise.hints[0])).toHaveCount(0);
      await root.getByRole('button', { name: 'Hint' }).click();
      await expect(root.getByText(exercise.hints[0])).toBeVisible();
      await expect(root.getByText(exercise.hints[1])).toHaveCount(0);
    });

    test('the draft and the solved state survive a reload', async () => {
      await page.reload();
      const root = page.locator(`[data-runner="${slug}"]`);
      await expect(root).toHaveAttribute('data-solved', 'true');
      // Lines that the starter doesn't have; the editor holds only those in the page that it shows.
      const own = solution.split('\n').filter((line) => line.trim() !== '' && !starter.includes(line));
      const shown = root.getByRole('textbox', { name: 'Code' });
      await shown.focus();
      await page.keyboard.press('ControlOrMeta+Home'); // where it was left may be the end
      await expect
        .poll(async () => {
          const text = (await shown.textContent()) ?? '';
          return own.some((line) => text.includes(line.trim()));
        })
        .toBe(true);
    });

    test('nothing was written to the console as an error', () => {
      expect(problems).toEqual([]);
    });
  });
}
