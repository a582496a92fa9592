/** Helping and working: hints, attempts, the solution, resets, two tabs. Storage is faked nowhere; grading is by the reference where WebGPU is slow. */
import type { Page } from '@playwright/test';
import { loadExercise } from '../../exercises/kit/discover';
import { expect, test, withoutRuntime } from './site';

const slug = 'stable-softmax';
const { exercise, starter, solution, mistakes } = await loadExercise(slug);
const [wrong, other, third] = Object.values(mistakes);
const wrongLines = wrong.trimEnd().split('\n');

const runner = (page: Page) => page.locator(`[data-runner="${slug}"]`);
const button = (page: Page, name: string) => runner(page).getByRole('button', { name, exact: true });
const code = (page: Page) => runner(page).getByRole('textbox', { name: 'Code' });
/** The lines that the editor shows. */
const shown = async (page: Page) => (await code(page).locator('.cm-line').allTextContents()).join('\n');

async function open(page: Page) {
  await page.goto(`/exercises/${slug}/`);
  await code(page).waitFor();
}

async function submit(page: Page, text: string) {
  await code(page).fill(text);
  const before = Number(await runner(page).getAttribute('data-runs'));
  await button(page, 'Submit').click();
  await expect(runner(page)).toHaveAttribute('data-runs', String(before + 1), { timeout: 90_000 });
}

test('three different attempts that ran open the solution; each is kept, comparable and restorable', async ({
  page,
}) => {
  await open(page);
  const locked = runner(page).locator('[data-solution-locked]');
  await expect(locked).toContainText('(0 so far)');
  await submit(page, wrong);
  await expect(locked).toContainText('(1 so far)');
  await submit(page, `# again, with a comment\n${wrong}`);
  await expect(locked).toContainText('(1 so far)');
  await submit(page, 'def softmax(:');
  await expect(locked).toContainText('(1 so far)');
  await submit(page, other);
  await expect(locked).toContainText('(2 so far)');
  await expect(runner(page).locator('[data-solution]')).toHaveCount(0);
  await submit(page, third);
  await expect(locked).toHaveCount(0);

  await test.step('the solution comes in stages, then whole, then beside mine', async () => {
    const fold = runner(page).locator('[data-solution]');
    await fold.getByText('The solution, step by step').click();
    for (const [index, stage] of exercise.stages.entries()) {
      await expect(fold.getByText(stage.why)).toBeVisible();
      const next = exercise.stages[index + 1];
      if (next) {
        await expect(fold.getByText(next.why)).toHaveCount(0);
        await fold.getByRole('button', { name: 'Next step' }).click();
      }
    }
    await fold.getByRole('button', { name: 'The whole solution' }).click();
    await fold.getByRole('button', { name: 'Compare with mine' }).click();
    const mine = third.split('\n').find((line) => line.trim() !== '' && !solution.includes(line)) ?? '';
    await expect(fold.locator('[data-diff] tr[data-kind="removed"]').filter({ hasText: mine.trim() })).toHaveCount(1);
    await expect(fold.locator('[data-diff] tr[data-kind="added"]').first()).toBeVisible();
  });

  await test.step('what an interviewer asks next is folded over its answer', async () => {
    const next = runner(page).getByRole('region', { name: 'What an interviewer asks next' });
    const [first] = exercise.followUps;
    await expect(next.getByText(first.answer)).toBeHidden();
    await next.getByText(first.question).click();
    await expect(next.getByText(first.answer)).toBeVisible();
  });

  await test.step('an attempt is restored, and that is undone', async () => {
    await runner(page).getByText('Attempts and earlier versions (5 submitted)').click();
    const attempts = runner(page).getByRole('region', { name: 'Submitted attempts' }).getByRole('listitem');
    await expect(attempts).toHaveCount(5);
    await expect(attempts.nth(2)).toContainText('did not run');
    await expect(attempts.last()).toContainText(/\d+ of \d+ checks; first failed: /);
    await attempts.last().getByRole('button', { name: 'Compare' }).click();
    await expect(attempts.last().locator('[data-diff] tr[data-kind="removed"]').first()).toBeVisible();
    await attempts.last().getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => shown(page)).toContain(wrongLines.at(-1));
    await button(page, 'Undo restore').click();
    await expect.poll(() => shown(page)).toContain(third.trimEnd().split('\n').at(-1));
  });

  await test.step('all of it is there after a reload', async () => {
    await page.reload();
    await expect(runner(page).locator('[data-solution]')).toBeVisible();
    await expect(runner(page).getByText('(5 submitted)')).toBeVisible();
  });
});

test('Reset is undone, also from the list of versions after a reload', async ({ page }) => {
  await withoutRuntime(page);
  await open(page);
  await code(page).fill('mine = 1');
  await button(page, 'Reset').click();
  await expect.poll(() => shown(page)).toContain(starter.split('\n')[0]);
  await button(page, 'Undo reset').click();
  await expect.poll(() => shown(page)).toBe('mine = 1');
  await button(page, 'Reset').click();
  await expect(button(page, 'Undo reset')).toBeVisible();
  await page.waitForTimeout(300);
  await page.reload();
  await runner(page).getByText('Attempts and earlier versions').click();
  const versions = runner(page).getByRole('region', { name: 'Earlier versions' });
  await versions.getByRole('button', { name: 'Restore' }).first().click();
  await expect.poll(() => shown(page)).toBe('mine = 1');
});

test('hints come one at a time, by the key too, and are there after a reload', async ({ page }) => {
  await withoutRuntime(page);
  await open(page);
  await expect(runner(page).getByText(exercise.hints[0])).toHaveCount(0);
  await button(page, 'Hint').click();
  await expect(runner(page).getByText(exercise.hints[0])).toBeVisible();
  await expect(runner(page).getByText(exercise.hints[1])).toHaveCount(0);
  await page.keyboard.press('Control+Shift+Comma');
  await expect(runner(page).getByText(exercise.hints[1])).toBeVisible();
  await page.reload();
  await expect(runner(page).getByText(exercise.hints[1])).toBeVisible();
});

test('a draft of an older starter is kept, and the course’s new code is one click away', async ({ page }) => {
  await withoutRuntime(page);
  await open(page);
  await code(page).fill('mine = 2');
  await page.waitForTimeout(500);
  await page.evaluate(
    (id) =>
      new Promise<void>((done, fail) => {
        const request = indexedDB.open('subnormal-drafts');
        request.onsuccess = () => {
          const store = request.result.transaction('drafts', 'readwrite').objectStore('drafts');
          const get = store.get(id);
          get.onsuccess = () => {
            store.put({ ...get.result, baseHash: 'another' }).onsuccess = () => {
              request.result.close();
              done();
            };
          };
        };
        request.onerror = () => fail(request.error);
      }),
    `exercise:${slug}`,
  );
  await page.reload();
  await expect(runner(page)).toContainText('The course has changed this code since you edited it. Yours is kept.');
  await expect.poll(() => shown(page)).toBe('mine = 2');
  await button(page, 'Take the new code').click();
  await expect.poll(() => shown(page)).toContain(starter.split('\n')[0]);
  await button(page, 'Undo reset').click();
  await expect.poll(() => shown(page)).toBe('mine = 2');
});

test.describe('two tabs on one exercise', () => {
  test('the idle tab follows the one that is written in', async ({ page, context }) => {
    const second = await context.newPage();
    for (const tab of [page, second]) {
      await withoutRuntime(tab);
      await open(tab);
    }
    await code(second).fill('from_the_second = 1');
    await expect.poll(() => shown(page)).toBe('from_the_second = 1');
    await expect(runner(page).locator('[data-notice="followed"]')).toBeVisible();
    await code(page).fill('from_the_first = 2');
    await expect.poll(() => shown(second)).toBe('from_the_first = 2');
    await expect(runner(page).locator('[data-notice="followed"]')).toHaveCount(0);
  });

  test('what two tabs wrote at the same time is both kept, and the learner chooses', async ({ page, context }) => {
    const second = await context.newPage();
    for (const tab of [page, second]) {
      // Without messages between tabs, as after a tab was frozen: only the storage knows.
      await tab.addInitScript(() => Reflect.deleteProperty(window, 'BroadcastChannel'));
      await withoutRuntime(tab);
      await open(tab);
    }
    await code(second).fill('from_the_second = 1');
    await second.waitForTimeout(600);
    await code(page).fill('from_the_first = 2');
    const notice = runner(page).locator('[data-notice="other-tab"]');
    await expect(notice).toBeVisible();
    await expect.poll(() => shown(page)).toBe('from_the_first = 2');
    await notice.getByRole('button', { name: 'Take the other tab’s' }).click();
    await expect.poll(() => shown(page)).toBe('from_the_second = 1');
    await expect(notice).toHaveCount(0);
    await button(page, 'Undo restore').click();
    await expect.poll(() => shown(page)).toBe('from_the_first = 2');
  });
});

test('the error’s line is marked with its message and one key away', async ({ page }) => {
  await open(page);
  await code(page).fill('x = 1\ny = 2\nx / 0\n');
  await button(page, 'Run').click();
  await expect(runner(page)).toHaveAttribute('data-state', 'error', { timeout: 90_000 });
  await expect(runner(page).getByText('ZeroDivisionError on line 3')).toHaveRole('status');
  await expect(code(page).locator('.cm-error-message')).toHaveText('ZeroDivisionError: division by zero');
  await button(page, 'Run').focus();
  await page.keyboard.press('F8');
  await expect(code(page)).toBeFocused();
  await page.keyboard.type('#');
  await expect.poll(() => shown(page)).toContain('\n#x / 0');
});

test('typing a call shows its parameters, the one at hand marked; the key shows and reads them', async ({ page }) => {
  await withoutRuntime(page);
  await open(page);
  await code(page).fill('import torch\n');
  await code(page).press('Control+End');
  await page.keyboard.type('torch.softmax(', { delay: 20 });
  const tip = page.locator('.cm-signature');
  await expect(tip).toContainText('torch.softmax(input, dim=None, dtype=None)');
  await expect(tip.locator('b')).toHaveText('input');
  await page.keyboard.type('x, ');
  await expect(tip.locator('b')).toHaveText('dim=None');
  // An Escape right after a letter closes the list of completions that is about to open.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await expect(tip).toHaveCount(0, { timeout: 500 });
  }).toPass();
  await page.keyboard.press('Control+Shift+Space');
  await expect(tip).toBeVisible();
  await expect(page.locator('.cm-announced')).toContainText('Now: dim=None');
});

test('“?” lists the keys, and Escape closes the list', async ({ page }) => {
  await withoutRuntime(page);
  await page.goto(`/exercises/${slug}/`);
  await page.locator('h1').click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard' });
  await expect(dialog).toContainText('Submit the exercise');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await code(page).click();
  await page.keyboard.type('?');
  await expect(dialog).toBeHidden();
});

test('where nothing can be stored, hints still come, and the page says that they will not be remembered', async ({
  page,
}) => {
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await withoutRuntime(page);
  await open(page);
  await button(page, 'Hint').click();
  await button(page, 'Hint').click();
  await expect(runner(page).getByText(exercise.hints[1])).toBeVisible();
  await expect(runner(page).getByText('is remembered only as long as this page is open')).toContainText(
    'this browser has no space left for it',
  );
});

test('a solved exercise says what to do next, and does not send the learner to itself', async ({ page }) => {
  await open(page);
  const next = runner(page).getByRole('region', { name: 'What to do next' });
  await expect(next).toHaveCount(0);
  await submit(page, solution);
  await expect(runner(page)).toHaveAttribute('data-solved', 'true');
  // Nothing has been read: the course begins with its first lesson.
  await expect(next).toContainText('The course begins here.');
  await expect(next.getByRole('link')).not.toHaveAttribute('href', `/exercises/${slug}/`);
});
