/** The lists with their filters and states, and what the site suggests to do next. */
import type { Page } from '@playwright/test';
import { exerciseSlugs, loadExercise } from '../../exercises/kit/discover';
import { expect, lessonRoutes, test, withoutRuntime } from './site';

const folders = await Promise.all(exerciseSlugs().map((slug) => loadExercise(slug)));
const [one] = folders;
const ofKind = folders.filter(({ exercise }) => exercise.kind === one.exercise.kind);

/** The place that is kept for a lesson: what a reader waits for without knowing. */
const placeIn = (page: Page, slug: string) =>
  page.evaluate(
    (lesson) =>
      new Promise<{ heading?: { id: string }; finished: boolean } | undefined>((done, fail) => {
        const request = indexedDB.open('subnormal-progress');
        request.onerror = () => fail(request.error);
        request.onsuccess = () => {
          const get = request.result.transaction('lessons').objectStore('lessons').get(lesson);
          get.onsuccess = () => {
            request.result.close();
            done(get.result);
          };
        };
      }),
    slug,
  );

test.beforeEach(({ page }) => withoutRuntime(page));

test('the list of exercises is filtered by kind, the address keeps the filter, and all are one click away', async ({
  page,
}) => {
  await page.goto('/exercises/');
  const items = page.locator('[data-exercise]');
  await expect(items).toHaveCount(folders.length);
  await page.getByLabel('Kind').selectOption(one.exercise.kind);
  await expect(items).toHaveCount(ofKind.length);
  await expect(page.getByText(`${ofKind.length} of ${folders.length} exercises`)).toBeVisible();
  expect(new URL(page.url()).search).toBe(`?kind=${one.exercise.kind}`);
  await page.reload();
  await expect(items).toHaveCount(ofKind.length);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(items).toHaveCount(folders.length);
  expect(new URL(page.url()).search).toBe('');
});

test('by lesson: only what that lesson prepares', async ({ page }) => {
  const [lesson] = one.exercise.prerequisites;
  const prepared = folders.filter(({ exercise }) => exercise.prerequisites.includes(lesson)).map(({ slug }) => slug);
  await page.goto(`/exercises/?lesson=${lesson}`);
  await expect(page.locator('[data-exercise]')).toHaveCount(prepared.length);
  for (const slug of prepared) await expect(page.locator(`[data-exercise="${slug}"]`)).toBeVisible();
});

test('where nothing has the state that is asked for, the list says what to do', async ({ page }) => {
  await page.goto('/exercises/?state=solved');
  await expect(page.locator('[data-exercise]')).toHaveCount(0);
  await expect(page.getByText('Nothing solved here yet.')).toBeVisible();
});

test('an exercise that was begun is listed as in progress, and is what comes next', async ({ page }) => {
  await page.goto(`/exercises/${one.slug}/`);
  await page.getByRole('textbox', { name: 'Code' }).fill('x = 1');
  await page.waitForTimeout(600);
  await page.goto('/exercises/');
  await expect(page.locator(`[data-exercise="${one.slug}"]`)).toContainText('In progress');
  const next = page.getByRole('region', { name: 'What to do next' });
  await expect(next).toContainText('Continue');
  await expect(next).toContainText('You have begun it and not submitted it yet.');
  await expect(next.getByRole('link')).toHaveAttribute('href', `/exercises/${one.slug}/`);
});

test('a newcomer is sent to the first lesson; a reader back to the section; after the lesson to its exercise', async ({
  page,
}) => {
  await page.goto('/');
  const next = page.getByRole('region', { name: 'What to do next' });
  await page.goto('/lessons/');
  await expect(next).toContainText('The course begins here.');
  await next.getByRole('link').click();
  await expect(page).toHaveURL(/\/lessons\/.+/);
  const lesson = new URL(page.url()).pathname;
  expect(lessonRoutes).toContain(lesson);

  const headings = page.locator('article h2[id]:not(#teaches)');
  const second = headings.nth(1);
  const text = (await second.textContent()) ?? '';
  const id = await second.getAttribute('id');
  await second.evaluate((element) => scrollTo({ top: element.getBoundingClientRect().top + scrollY - 100 }));
  const slug = lesson.split('/')[2];
  await expect.poll(async () => (await placeIn(page, slug))?.heading?.id).toBe(id);
  await page.goto('/');
  await expect(next).toContainText(`You stopped at “${text}”.`);
  await expect(next.getByRole('link')).toHaveAttribute('href', `${lesson}#${id}`);
  await next.getByRole('link').click();
  await expect(page.locator('article h2[id]:not(#teaches)').nth(1)).toBeInViewport();

  await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight }));
  await expect.poll(async () => (await placeIn(page, slug))?.finished).toBe(true);
  await page.goto('/lessons/');
  await expect(page.locator('main li').first()).toContainText('Read');
  await expect(next).not.toContainText('You stopped at');
});
