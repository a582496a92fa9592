/** An interview as tests sit it: ask for evidence, answer, read the clock and the verdict. */
import { expect, type Locator, type Page } from '@playwright/test';
import { EvidenceDesk, type RunSources } from '../../content/interviews/kit/evidence';
import { requestOf } from '../../content/interviews/kit/gate';
import { type InterviewState, metBy, replayLog } from '../../content/interviews/kit/machine';
import {
  type DiagnoseQuestion,
  type EvidenceRequest,
  type Facts,
  type Format,
  type Interview,
  type Mode,
  requestKey,
} from '../../content/interviews/kit/schema';
import { PageSession } from './page-session';

/** Computing one piece of evidence on a software adapter, Python's cold start included. Milliseconds. */
const COMPUTED = 150_000;

export class InterviewPage {
  constructor(
    readonly page: Page,
    readonly slug: string,
    readonly interview: Interview,
  ) {}

  get stage(): Locator {
    return this.page.locator('[data-stage]');
  }

  async open(): Promise<void> {
    await this.page.goto(`/interview/${this.slug}/`);
    await expect(this.stage).toHaveAttribute('data-stage', 'lobby');
  }

  async begin(format: Format, mode: Mode): Promise<void> {
    await this.page.getByRole('radio', { name: new RegExp(`^${format} minutes`) }).check();
    await this.page.getByRole('radio', { name: new RegExp(`^${mode}`, 'i') }).check();
    await this.page.getByRole('button', { name: /^Begin/ }).click();
    await expect(this.stage).toHaveAttribute('data-stage', 'warm-up');
  }

  /** Answers every rapid question, rightly or wrongly: the log says which option is which. */
  async warmUp(how: 'right' | 'wrong'): Promise<void> {
    const section = this.page.locator('section[data-warm-up]');
    const began = (await this.events()).findLast((e) => e.kind === 'began');
    for (const question of (began?.warmUp ?? []) as InterviewState['warmUp']) {
      const option = question.options.find((o) => (o.misconception === undefined) === (how === 'right'));
      await expect(section.getByRole('heading')).toHaveText(question.prompt);
      await section
        .getByRole('button')
        .getByText(option?.text ?? '', { exact: true })
        .click();
    }
    await expect(section).toHaveCount(0);
  }

  /** Waits until the run has shown its symptoms; gives what the page says of it. */
  async opened(): Promise<void> {
    await expect(this.stage).toHaveAttribute('data-opening', 'ready', { timeout: COMPUTED });
  }

  /** Asks for evidence through the menu and waits for the result. */
  async ask(request: EvidenceRequest): Promise<Locator> {
    const entry = this.page.locator(`[data-evidence="${request.evidence}"]`);
    if ((await entry.getAttribute('open')) === null) await entry.locator('summary').click();
    const evidence = this.interview.evidence.find((e) => e.id === request.evidence);
    for (const p of evidence?.parameters ?? []) {
      const field = entry.getByLabel(p.title, { exact: true });
      const value = request.parameters[p.name] ?? '';
      if (p.kind === 'choice') await field.selectOption(value);
      else await field.fill(value);
    }
    await entry.getByRole('button').click();
    const result = this.page.locator(`[data-result=${JSON.stringify(requestKey(request))}]`);
    await expect(result.locator('table, svg[role="img"], pre').first()).toBeVisible({ timeout: COMPUTED });
    return result;
  }

  async goTo(question: string): Promise<Locator> {
    await this.page.locator(`[data-tab="${question}"]`).click();
    const section = this.page.locator(`[data-question="${question}"]`);
    await expect(section).toBeVisible();
    return section;
  }

  /** Answers a diagnosis, citing these requests for both. */
  async diagnose(q: DiagnoseQuestion, diagnosis: string, repair: string, cites: readonly string[]): Promise<Locator> {
    const section = await this.goTo(q.id);
    await section.locator(`[data-option="${diagnosis}"] input`).first().check();
    await section.locator(`[data-option="${repair}"] input`).last().check();
    for (const key of cites) {
      for (const box of await section.locator(`[data-cite=${JSON.stringify(key)}] input`).all()) await box.check();
    }
    await section.getByRole('button', { name: /^Answer/ }).click();
    return section;
  }

  /** Replies to whatever the interviewer asks back or cuts in with. */
  async reply(section: Locator, text: string): Promise<void> {
    await section.getByRole('radio', { name: text, exact: true }).check();
    await section.getByRole('button', { name: 'Reply' }).click();
  }

  async finish(): Promise<void> {
    await this.page.getByRole('button', { name: 'Finish' }).click();
    await this.page.getByRole('button', { name: 'End the interview' }).click();
    await expect(this.stage).toHaveAttribute('data-stage', 'ended');
  }

  /** Seconds left, as the clock shows them. */
  async left(): Promise<number> {
    return Number(await this.page.locator('[data-clock]').getAttribute('data-clock'));
  }

  verdict(): Promise<string | null> {
    return this.page.locator('[data-verdict]').getAttribute('data-verdict');
  }

  async events(): Promise<readonly { readonly kind: string; readonly [key: string]: unknown }[]> {
    return this.page.evaluate(
      () =>
        new Promise((done, fail) => {
          const opening = indexedDB.open('subnormal-interviews');
          opening.onerror = () => fail(opening.error);
          opening.onsuccess = () => {
            const all = opening.result.transaction('events').objectStore('events').getAll();
            all.onsuccess = () => {
              opening.result.close();
              done(all.result.map((row: { event: never }) => row.event));
            };
          };
        }),
    );
  }

  /** The facts of the opening, as the page computed them. */
  async facts(): Promise<Facts> {
    const opened = (await this.events()).find((e) => e.kind === 'opened');
    return (opened?.result as InterviewState['opening'])?.facts ?? {};
  }

  /** Of these requests, those whose results bear on the diagnosis. */
  async bearing(q: DiagnoseQuestion, keys: readonly string[]): Promise<readonly string[]> {
    const state = replayLog((await this.events()) as never);
    if (!state) throw new Error('there is no log');
    return keys.filter((key) => [...q.needs, ...q.repairNeeds].some((group) => metBy(group, [key], state)));
  }

  /** What the page's own engine computes for a prediction. */
  async truthOf(expression: string, sources: RunSources): Promise<number> {
    const seed = Number(await this.page.locator('[data-seed]').getAttribute('data-seed'));
    return new EvidenceDesk(this.interview, sources, seed).truth(new PageSession(this.page), expression);
  }

  /** What the expert asks for, with this run's facts filled in. */
  expertRequests(facts: Facts): readonly EvidenceRequest[] {
    return this.interview.expert.map(
      (step) => requestOf({ evidence: step.ask.evidence, ask: step.ask.parameters ?? {} }, facts) as EvidenceRequest,
    );
  }
}
