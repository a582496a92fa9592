/**
 * The session's benchmarks, on the built site (out/) as it is served: what a learner waits for. Peers are measured in the same run:
 * bare loadPyodide from the same files in a fresh browser context, and the first visit for the second.
 */
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { ensureChromium } from '../chromium.mjs';
import { serve } from '../serve.mjs';

const REPEAT = 3;

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

function report(name: string, value: number, peer?: number): void {
  const rounded = (x: number) => Math.round(x * 10) / 10;
  console.log(
    JSON.stringify({ name, value: rounded(value), unit: 'ms', ...(peer !== undefined && { peer: rounded(peer) }) }),
  );
}

export async function benchSession(): Promise<void> {
  if (!existsSync('out/lab/index.html')) throw new Error('bench: out/ has no site; run `npm run build` first');
  const server: Server = await serve({ port: 0 });
  const site = `http://localhost:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [
      '--no-sandbox',
      '--enable-unsafe-webgpu',
      ...(process.env.BENCH_GPU ? [] : ['--use-webgpu-adapter=swiftshader']),
    ],
  });
  try {
    const bare: number[] = [];
    const first: number[] = [];
    const second: number[] = [];
    const warm: number[] = [];
    const stop: number[] = [];
    for (let i = 0; i < REPEAT; i++) {
      bare.push(await inContext(browser, (context) => bareStart(context, site)));
      await inContext(browser, async (context) => {
        const page = await context.newPage();
        first.push(await coldRun(page, site));
        for (let k = 0; k < 3; k++) warm.push(await runToOutput(page, `print("warm ${k}")`, `warm ${k}`));
        await page.waitForFunction(() => (window as unknown as SessionWindow).__session?.spareReady, null, {
          timeout: 60_000,
        });
        await page.waitForFunction(() => performance.getEntriesByName('python-snapshot-stored').length > 0);
        stop.push(await stopToUsable(page));
        await page.close();
        second.push(await coldRun(await context.newPage(), site));
        return 0;
      });
    }
    report('warm Run click to first output', median(warm));
    report('stop of a stubborn loop to the next output', median(stop));
    report('cold start: Run click to first output, first visit', median(first), median(bare));
    report('second visit: Run click to first output', median(second), median(first));
  } finally {
    await browser.close();
    server.close();
  }
}

interface SessionWindow {
  readonly __session?: { readonly spareReady: boolean };
}

async function inContext(browser: Browser, body: (context: BrowserContext) => Promise<number>): Promise<number> {
  const context = await browser.newContext({ serviceWorkers: 'block' });
  try {
    return await body(context);
  } finally {
    await context.close();
  }
}

/** loadPyodide as its documentation has it, in a module worker of the site's origin, to the first print: no torch, no engine. */
async function bareStart(context: BrowserContext, site: string): Promise<number> {
  const page = await context.newPage();
  // A page without a policy of its own, so that the worker may be a blob.
  await page.route(`${site}/bare/`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(`${site}/bare/`);
  const { assets } = await import('../../app/generated/assets');
  return page.evaluate(
    async ({ folder, lock }) => {
      const source = `
      import { loadPyodide } from '${folder}pyodide.mjs';
      const python = await loadPyodide({ lockFileContents: ${JSON.stringify(lock)}, stdout: (text) => postMessage(text) });
      python.runPython('print("hello")');`;
      const start = performance.now();
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), {
        type: 'module',
      });
      await new Promise<void>((done, fail) => {
        worker.onmessage = () => done();
        worker.onerror = (event) => fail(new Error(event.message));
      });
      const time = performance.now() - start;
      worker.terminate();
      return time;
    },
    { folder: site + assets.pyodide, lock: assets.lock },
  );
}

/** Run is clicked as soon as the page can hear it: Python is downloaded and started by the click. */
async function coldRun(page: Page, site: string): Promise<number> {
  // Nothing is prepared at idle: what is measured is the click.
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
  });
  await page.goto(`${site}/lab/#example=3-float16-limits`);
  // The lab opens the example after hydration, with a new runner: a click on the first one would be lost.
  await page.locator('[data-runner="example-3-float16-limits"]').waitFor();
  return runToOutput(page, undefined, '');
}

/** Milliseconds from the click on Run to `expected` (or anything) in the output, by the page's own clock. */
async function runToOutput(page: Page, code: string | undefined, expected: string): Promise<number> {
  if (code !== undefined) await type(page, code);
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  return page.evaluate(async (text) => {
    const output = document.querySelector('[data-runner] section[aria-label="Output"] pre')!;
    const button = [...document.querySelectorAll<HTMLButtonElement>('[data-runner] button')].find(
      (b) => b.textContent === 'Run',
    )!;
    // React has to own the button before a click counts.
    while (!Object.keys(button).some((key) => key.startsWith('__reactProps')))
      await new Promise((r) => setTimeout(r, 1));
    const shown = new Promise<number>((done) => {
      const observer = new MutationObserver(() => {
        const now = output.textContent ?? '';
        if (now !== '' && now.includes(text)) {
          observer.disconnect();
          done(performance.now());
        }
      });
      observer.observe(output, { childList: true, characterData: true, subtree: true });
    });
    const start = performance.now();
    button.click();
    const late = new Promise<never>((_, fail) => {
      setTimeout(() => {
        const state = document.querySelector('[data-runner]')?.getAttribute('data-state');
        fail(new Error(`nothing printed within a minute: ${state}, "${output.textContent}"`));
      }, 60_000);
    });
    return (await Promise.race([shown, late])) - start;
  }, expected);
}

async function type(page: Page, code: string): Promise<void> {
  await page.locator('[data-runner]').hover(); // loads the editor
  await page.getByRole('textbox', { name: 'Code' }).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(code);
}

/** A loop that catches KeyboardInterrupt: its worker has to be ended, and the spare takes over. */
async function stopToUsable(page: Page): Promise<number> {
  const loop =
    'print("on")\nwhile True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n';
  await runToOutput(page, loop, 'on');
  await type(page, 'print("again")');
  const start = Date.now();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('[data-runner]')?.getAttribute('data-state') === 'stopped');
  await runToOutput(page, undefined, 'again');
  return Date.now() - start;
}
