/** The lab as tests drive it: put code into the editor, run it, read what it printed. */
import { expect, type Locator, type Page } from '@playwright/test';

export type State = 'idle' | 'loading' | 'running' | 'done' | 'error' | 'stopped';

/** Python's first start in a context: 6 to 10 s on a loaded two-core machine. Milliseconds. */
const COLD_START = 60_000;

export class LabPage {
  readonly runner: Locator;
  readonly code: Locator;
  readonly output: Locator;
  readonly status: Locator;

  constructor(readonly page: Page) {
    this.runner = page.locator('[data-runner]');
    this.code = this.runner.getByRole('textbox', { name: 'Code' });
    this.output = this.runner.getByRole('region', { name: 'Output' }).locator('pre');
    this.status = this.runner.getByRole('status');
  }

  static async open(page: Page, fragment = ''): Promise<LabPage> {
    await page.goto(`/lab/${fragment}`);
    const lab = new LabPage(page);
    await lab.code.waitFor();
    return lab;
  }

  button(name: string): Locator {
    return this.runner.getByRole('button', { name, exact: true });
  }

  async type(code: string): Promise<void> {
    await this.code.click();
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.insertText(code);
  }

  /** The code in the editor, line by line as it is shown. */
  async text(): Promise<string> {
    return (await this.code.locator('.cm-line').allTextContents()).join('\n');
  }

  async start(code: string): Promise<void> {
    await this.type(code);
    await this.button('Run').click();
    await this.expectState('running');
  }

  async expectState(state: State | RegExp, timeout = COLD_START): Promise<void> {
    await expect(this.runner).toHaveAttribute('data-state', state, { timeout });
  }

  /** Runs to the end and gives the output. */
  async run(code: string, state: State = 'done'): Promise<string> {
    await this.type(code);
    // The state alone may still be the last run's: a quick run ends before it can be seen running.
    const before = Number(await this.runner.getAttribute('data-runs'));
    await this.button('Run').click();
    await expect(this.runner).toHaveAttribute('data-runs', String(before + 1), { timeout: COLD_START });
    expect(await this.runner.getAttribute('data-state'), await this.printed()).toBe(state);
    return this.printed();
  }

  /** Waits for the warm spare: what a learner has who has been on the page for a few seconds. */
  async spare(): Promise<void> {
    await this.page.waitForFunction(
      () => (window as unknown as { __session?: { spareReady: boolean } }).__session?.spareReady,
      null,
      {
        timeout: COLD_START,
      },
    );
  }

  async printed(): Promise<string> {
    return (await this.output.textContent()) ?? '';
  }
}
