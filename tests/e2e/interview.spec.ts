/**
 * Interviews as candidates sit them, in Chromium on WebGPU. The time is the browser's Date, which the tests set: a minute passes when a test says
 * so. Each scenario is sat by a scripted expert, a novice and a lucky guesser; clocks are tried with the first scenario.
 */
import { expect, type Page, test } from '@playwright/test';
import { interviewSlugs, loadInterview } from '../../content/interviews/kit/discover';
import { novicePlayer } from '../../content/interviews/kit/gate';
import { questionsOf } from '../../content/interviews/kit/machine';
import { type DiagnoseQuestion, requestKey } from '../../content/interviews/kit/schema';
import { InterviewPage } from './interview-page';

const folders = await Promise.all(interviewSlugs().map((slug) => loadInterview(slug)));

/** Milliseconds: a whole sitting on a software adapter, its evidence computed. */
const SITTING = 400_000;
const START = new Date('2026-11-30T10:00:00Z').getTime();
const MINUTE = 60_000;

const rightOf = (q: DiagnoseQuestion) => ({
  diagnosis: q.diagnoses.find((d) => !d.wrong)?.id ?? '',
  repair: q.repairs.find((r) => r.worth === 1)?.id ?? '',
});

/** Parries an interruption, if there is one, rightly or wrongly. */
async function parry(room: InterviewPage, right: boolean): Promise<void> {
  const cut = room.page.locator('[data-interruption]');
  if ((await cut.count()) === 0) return;
  const id = await cut.getAttribute('data-interruption');
  const said = room.interview.interruptions.find((i) => i.id === id)?.choices.find((c) => (c.right === true) === right);
  await room.reply(cut, said?.text ?? '');
  await expect(room.page.locator(`[data-interruption="${id}"]`)).toHaveCount(0);
}

async function complaintsOf(page: Page): Promise<string[]> {
  const problems: string[] = [];
  page.on('console', (m) => m.type() === 'error' && problems.push(m.text()));
  page.on('pageerror', (e) => problems.push(String(e)));
  return problems;
}

for (const { slug, interview, sources, fix } of folders) {
  test.describe(slug, () => {
    const diagnoses = questionsOf(interview, 15).filter((q): q is DiagnoseQuestion => q.kind === 'diagnose');

    test('an expert reaches the top verdict', async ({ page }) => {
      test.setTimeout(SITTING);
      const problems = await complaintsOf(page);
      const room = new InterviewPage(page, slug, interview);
      await page.clock.setFixedTime(START);
      await room.open();
      await room.begin(15, 'strict');
      await room.warmUp('right');
      await room.opened();
      await expect(room.stage.first()).toHaveAttribute('data-backend', 'webgpu');
      const facts = await room.facts();
      const keys: string[] = [];
      for (const request of room.expertRequests(facts)) {
        await room.ask(request);
        await parry(room, true);
        keys.push(requestKey(request));
      }
      for (const q of diagnoses) {
        const { diagnosis, repair } = rightOf(q);
        const section = await room.diagnose(q, diagnosis, repair, await room.bearing(q, keys));
        await parry(room, true);
        const deeper = q.deeper?.choices.find((c) => c.right);
        if (deeper) await room.reply(section.getByRole('region', { name: 'The interviewer asks back' }), deeper.text);
        await expect(section).toHaveAttribute('data-standing', 'closed');
      }
      for (const q of questionsOf(interview, 15)) {
        if (q.kind === 'predict') {
          const section = await room.goTo(q.id);
          await section.getByRole('textbox').fill(String(await room.truthOf(q.truth, sources)));
          await section.getByRole('button', { name: 'Answer' }).click();
          await expect(section).toHaveAttribute('data-standing', 'closed', { timeout: 60_000 });
        } else if (q.kind === 'fix') {
          const section = await room.goTo(q.id);
          await section.getByRole('textbox', { name: 'Code' }).fill(fix.solution);
          await section.getByRole('button', { name: 'Submit' }).click();
          await expect(section).toHaveAttribute('data-standing', 'closed', { timeout: 90_000 });
        }
      }
      await room.finish();
      expect(await room.verdict(), await page.locator('[data-held]').allInnerTexts().then(String)).toBe('strong yes');
      await expect(page.locator('[data-group="missed"]')).toHaveCount(0);
      expect(problems).toEqual([]);
    });

    test('a novice, wrong and with irrelevant evidence, gets no yes, and the report says where to read', async ({
      page,
    }) => {
      test.setTimeout(SITTING);
      const room = new InterviewPage(page, slug, interview);
      await page.clock.setFixedTime(START);
      await room.open();
      await room.begin(15, 'practice');
      await room.warmUp('wrong');
      await room.opened();
      for (const request of novicePlayer(interview).requests.slice(0, 3)) {
        await room.ask(request);
        await parry(room, false);
      }
      for (const q of diagnoses) {
        const wrong = q.diagnoses.find((d) => d.wrong);
        const worst = q.repairs.find((r) => r.worth === 0);
        const section = await room.diagnose(q, wrong?.id ?? '', worst?.id ?? '', []);
        await parry(room, false);
        const said = wrong?.wrong?.followUp.choices.find((c) => !c.right)?.text ?? '';
        await room.reply(section.getByRole('region', { name: 'The interviewer asks back' }), said);
        await section.getByRole('button', { name: 'Stand by the first answer' }).click();
        await expect(section).toHaveAttribute('data-standing', 'closed');
      }
      await room.finish();
      expect(['no', 'not yet']).toContain(await room.verdict());
      expect(await page.locator('[data-misconception]').count()).toBeGreaterThan(0);
      await expect(page.locator('[data-misconception] a').first()).toHaveAttribute('href', /^\/lessons\//);
    });

    test('a lucky guesser, right without evidence, is held back, and told why', async ({ page }) => {
      test.setTimeout(SITTING);
      const room = new InterviewPage(page, slug, interview);
      await page.clock.setFixedTime(START);
      await room.open();
      await room.begin(15, 'practice');
      await room.warmUp('right');
      await room.opened();
      for (const q of diagnoses) {
        const { diagnosis, repair } = rightOf(q);
        const section = await room.diagnose(q, diagnosis, repair, []);
        await expect(section).toContainText('How do you know?');
        await parry(room, true);
        await section.getByRole('button', { name: 'Stand by the first answer' }).click();
      }
      await room.finish();
      expect(['no', 'not yet']).toContain(await room.verdict());
      await expect(page.locator('[data-held]')).toContainText('without evidence');
    });
  });
}

test.describe('the clock', () => {
  const { slug, interview } = folders[0];

  test('practice: paid minutes count, a reload resumes at the same second, a pause stands still, a closed tab loses nothing', async ({
    page,
    context,
  }) => {
    test.setTimeout(SITTING);
    const room = new InterviewPage(page, slug, interview);
    await page.clock.setFixedTime(START);
    await room.open();
    await room.begin(30, 'practice');
    await room.warmUp('right');
    await room.opened();
    expect(await room.left()).toBe(30 * 60);
    await page.clock.setFixedTime(START + 2 * MINUTE);
    await expect.poll(() => room.left()).toBe(28 * 60);
    const code = interview.evidence.find((e) => e.instrument.kind === 'code');
    const place = code?.parameters[0];
    const request = {
      evidence: code?.id ?? '',
      parameters: { place: place?.kind === 'choice' ? place.options[0].id : '' },
    };
    await room.ask(request);
    await expect.poll(() => room.left()).toBe((28 - (code?.cost ?? 0)) * 60);
    // Again is free.
    await room.ask(request);
    const before = await room.left();
    expect(before).toBe((28 - (code?.cost ?? 0)) * 60);

    // Half-filled forms are kept, and time doesn't pass while the page is away.
    const first = interview.questions[0] as DiagnoseQuestion;
    const section = await room.goTo(first.id);
    await section.locator(`[data-option="${first.diagnoses[1].id}"] input`).first().check();
    await expect.poll(async () => (await room.events()).at(-1)?.kind).toBe('drafted');
    await page.reload();
    await page.clock.setFixedTime(START + 2 * MINUTE);
    await expect.poll(() => room.left()).toBe(before);
    await expect(page.locator(`[data-option="${first.diagnoses[1].id}"] input`).first()).toBeChecked();
    await expect(page.locator(`[data-result=${JSON.stringify(requestKey(request))}]`)).toBeVisible();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.clock.setFixedTime(START + 50 * MINUTE);
    await expect(page.locator('[data-question]')).toHaveCount(0);
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await expect.poll(() => room.left()).toBe(before);

    // Another tab, a day later.
    const address = `/interview/${slug}/`;
    await page.close();
    const later = await context.newPage();
    const back = new InterviewPage(later, slug, interview);
    await later.clock.setFixedTime(START + 26 * 60 * MINUTE);
    await later.goto(address);
    await later.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => back.left()).toBe(before);
    await expect(later.locator(`[data-option="${first.diagnoses[1].id}"] input`).first()).toBeChecked();
  });

  test('strict: there is no pause, a reload doesn’t stop it, and time running out ends in a report', async ({
    page,
  }) => {
    test.setTimeout(SITTING);
    const room = new InterviewPage(page, slug, interview);
    await page.clock.setFixedTime(START);
    await room.open();
    await room.begin(15, 'strict');
    await room.warmUp('right');
    await expect(page.getByRole('button', { name: 'Pause' })).toHaveCount(0);
    await page.clock.setFixedTime(START + 3 * MINUTE);
    await expect.poll(() => room.left()).toBe(12 * 60);
    // Away for five minutes: they count.
    await page.goto('/lessons/');
    await page.clock.setFixedTime(START + 8 * MINUTE);
    await page.goto(`/interview/${slug}/`);
    await expect(page.getByText('Its clock has gone on running.')).toBeVisible();
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(() => room.left()).toBe(7 * 60);
    await page.clock.setFixedTime(START + 15 * MINUTE);
    await expect(room.stage).toHaveAttribute('data-stage', 'ended');
    await expect(page.getByText('the time ran out').first()).toBeVisible();
    expect(await room.verdict()).toBe('no');
  });
});
