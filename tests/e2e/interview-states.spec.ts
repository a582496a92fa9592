/** Every state of an interview: axe in both themes, no sideways scrolling on a phone, and a sitting by keyboard alone. */
import { AxeBuilder } from '@axe-core/playwright';
import { interviewSlugs, loadInterview } from '../../content/interviews/kit/discover';
import { questionsOf } from '../../content/interviews/kit/machine';
import type { DiagnoseQuestion } from '../../content/interviews/kit/schema';
import { InterviewPage } from './interview-page';
import { expect, test } from './site';

const { slug, interview } = await loadInterview(interviewSlugs().at(-1) ?? '');

for (const theme of ['light', 'dark'] as const) {
  test(`axe finds nothing in any state, ${theme}, on a phone`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: theme });
    const found: string[] = [];
    const look = async (state: string) => {
      const { violations } = await new AxeBuilder({ page }).disableRules(['landmark-unique']).analyze();
      for (const { id, nodes } of violations) found.push(`${state}: ${id}: ${nodes.map((n) => n.html).join(' | ')}`);
      const excess = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (excess > 0) found.push(`${state}: ${excess} px too wide`);
    };
    const room = new InterviewPage(page, slug, interview);
    await room.open();
    await look('lobby');
    await room.begin(30, 'practice');
    await look('warm-up');
    await room.warmUp('right');
    await room.opened();
    for (const request of room.expertRequests(await room.facts()).slice(0, 5)) await room.ask(request);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) {
        details.removeAttribute('name');
        details.open = true;
      }
    });
    await look('room with evidence, menu open');
    const q = interview.questions[0] as DiagnoseQuestion;
    const wrong = q.diagnoses.find((d) => d.wrong);
    await room.diagnose(q, wrong?.id ?? '', q.repairs[0].id, []);
    await look('asked back');
    for (const { id, kind } of questionsOf(interview, 30)) {
      if (kind === 'diagnose') continue;
      await room.goTo(id);
      await look(`question ${id}`);
    }
    await page.getByRole('button', { name: 'Pause' }).click();
    await look('paused');
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByRole('button', { name: 'Finish' }).click();
    await look('finish');
    await page.getByRole('button', { name: 'End the interview' }).click();
    await expect(page.locator('[data-verdict]')).toBeVisible();
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await look('report');
    expect(found).toEqual([]);
  });
}

test('an interview is sat by keyboard alone', async ({ page }) => {
  test.setTimeout(200_000);
  const room = new InterviewPage(page, slug, interview);
  await room.open();
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  // Format and mode are radio groups: arrows choose, Enter begins.
  await page.getByRole('radio', { name: /^30 minutes/ }).focus();
  await press('ArrowUp');
  await expect(page.getByRole('radio', { name: /^15 minutes/ })).toBeChecked();
  await press('Enter');
  await expect(room.stage).toHaveAttribute('data-stage', 'warm-up');
  while ((await page.locator('section[data-warm-up]').count()) > 0) {
    const before = await page.locator('section[data-warm-up] h2').textContent();
    await page.locator('section[data-warm-up] button').first().focus();
    await press('Enter');
    await expect(page.locator('section[data-warm-up] h2').filter({ hasText: before ?? '' })).toHaveCount(0);
  }
  await room.opened();
  // A request: open the entry, ask; the focus goes to the result.
  await page.locator('[data-evidence="loss-curve"] summary').focus();
  await press('Enter', 'Tab', 'Enter');
  await expect(page.locator('[data-result="loss-curve"]')).toBeFocused();
  await expect(page.locator('[data-result="loss-curve"] svg[role="img"]')).toBeVisible({ timeout: 60_000 });
  const q = interview.questions[0];
  await page.locator(`[data-question="${q.id}"] input[type="radio"]`).first().focus();
  await press('Space');
  await page.locator(`[data-question="${q.id}"] fieldset`).nth(2).locator('input').first().focus();
  await press('Space', 'Enter');
  await expect(page.locator(`[data-question="${q.id}"]`)).not.toHaveAttribute('data-standing', 'open');
  await page.getByRole('button', { name: 'Finish' }).focus();
  await press('Enter', 'Enter');
  await expect(page.locator('[data-verdict]')).toBeVisible();
});
