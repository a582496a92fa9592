/** The page's session as Node sees it: gates and graders run in the test, Python and the engine in the browser. */
import type { Page } from '@playwright/test';
import type { EvaluateResult, RunOptions, RunResult, Session } from '../../engine/session/session';

type PyBindings = Parameters<Session['evaluate']>[1];

/** `page` shows a runner. Output of a run doesn't cross; that of an evaluation is in its result. */
export class PageSession implements Session {
  state: Session['state'] = 'new';

  constructor(private readonly page: Page) {}

  async start() {
    await this.page.locator('[data-runner]').first().focus();
    await this.page.waitForFunction(() => (window as unknown as { __session?: Session }).__session !== undefined);
    const info = await this.page.evaluate(() => (window as unknown as { __session: Session }).__session.start());
    this.state = 'ready';
    return info;
  }

  run(code: string, { onOutput: _, ...options }: RunOptions = {}): Promise<RunResult> {
    return this.page.evaluate(
      ({ code, options }) => (window as unknown as { __session: Session }).__session.run(code, options),
      { code, options },
    );
  }

  evaluate(
    expression: string,
    bindings: PyBindings = {},
    { onOutput: _, ...options }: RunOptions = {},
  ): Promise<EvaluateResult> {
    return this.page.evaluate(
      ({ expression, bindings, options }) =>
        (window as unknown as { __session: Session }).__session.evaluate(expression, bindings, options),
      { expression, bindings, options },
    );
  }

  stop(): void {
    // A test that hangs is stopped by its own time limit.
  }

  close(): void {
    this.state = 'new';
  }
}
