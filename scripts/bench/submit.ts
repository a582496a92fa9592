/**
 * What a learner waits for after Submit, on the built site: from the click to the complete verdict, with Python warm. The solution passes every
 * check; the starter fails some, so failing inputs are shrunk and known mistakes looked for. `own` is the part that the learner's script and
 * functions took: what is left is the price of being judged.
 */
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from '@playwright/test';
import { exerciseSlugs, exerciseSources } from '../../exercises/kit/discover';
import { ensureChromium } from '../chromium.mjs';
import { serve } from '../serve.mjs';

const REPEAT = 3;

interface Time {
  readonly total: number;
  readonly own: number;
}

/** The mean of the middle two, or the middle one. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (i: number) => sorted[i] as number;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
}

function report(name: string, { total, own }: Time): void {
  const rounded = (x: number) => Math.round(x * 10) / 10;
  console.log(
    JSON.stringify({ name, value: rounded(total), unit: 'ms', own: rounded(own), judging: rounded(total - own) }),
  );
}

/** The run whose price of being judged is the median. */
const middle = (times: readonly Time[]): Time =>
  [...times].sort((a, b) => a.total - a.own - (b.total - b.own))[Math.floor(times.length / 2)] as Time;

/** `only`: slugs; all exercises where empty. */
export async function benchSubmit(only: readonly string[] = []): Promise<void> {
  if (!existsSync('out/exercises/index.html')) throw new Error('bench: out/ has no site; run `npm run build` first');
  const server = await serve({ port: 0 });
  const site = `http://localhost:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [
      '--no-sandbox',
      '--enable-unsafe-webgpu',
      ...(process.env.BENCH_GPU ? [] : ['--use-webgpu-adapter=swiftshader']),
    ],
  });
  const all: { readonly solution: Time[]; readonly starter: Time[] } = { solution: [], starter: [] };
  try {
    for (const slug of only.length > 0 ? only : exerciseSlugs()) {
      const context = await browser.newContext({ serviceWorkers: 'block' });
      const page = await context.newPage();
      await page.goto(`${site}/exercises/${slug}/`);
      const sources = exerciseSources(slug);
      for (const which of ['solution', 'starter'] as const) {
        await submit(page, slug, sources[which]); // warm
        const times: Time[] = [];
        for (let i = 0; i < REPEAT; i++) times.push(await submit(page, slug, sources[which]));
        all[which].push(middle(times));
        report(`warm Submit to a complete verdict, ${slug}, ${which}`, middle(times));
      }
      await context.close();
    }
    for (const which of ['solution', 'starter'] as const) {
      const judging = median(all[which].map((t) => t.total - t.own));
      console.log(
        JSON.stringify({
          name: `warm Submit to a complete verdict over the learner's own compute, median exercise, ${which}`,
          value: Math.round(judging * 10) / 10,
          unit: 'ms',
        }),
      );
    }
  } finally {
    await browser.close();
    server.close();
  }
}

/** From the click on Submit to the verdict, by the page's own clock. */
async function submit(page: Page, slug: string, code: string): Promise<Time> {
  const root = page.locator(`[data-runner="${slug}"]`);
  await root.getByRole('textbox', { name: 'Code' }).fill(code);
  await root.getByRole('button', { name: 'Submit' }).waitFor();
  return page.evaluate(async (id) => {
    const runner = document.querySelector(`[data-runner="${id}"]`) as HTMLElement;
    const button = [...runner.querySelectorAll('button')].find((b) => b.textContent?.trim() === 'Submit');
    if (!button) throw new Error('there is no Submit');
    const before = runner.getAttribute('data-seed');
    const start = performance.now();
    button.click();
    return new Promise<Time>((done, fail) => {
      const late = setTimeout(() => fail(new Error('no verdict within two minutes')), 120_000);
      // No named function in here: esbuild's helper for names does not exist in the page.
      const observer = new MutationObserver(() => {
        const checks = runner.querySelector('section[aria-label="Checks"]');
        // every verdict has a seed of its own
        const seed = runner.getAttribute('data-seed');
        if (seed === null || seed === before || checks?.getAttribute('data-verdict') !== 'complete') return;
        observer.disconnect();
        clearTimeout(late);
        done({ total: performance.now() - start, own: Number(runner.getAttribute('data-own-milliseconds')) });
      });
      observer.observe(runner, { attributes: true, childList: true, subtree: true });
    });
  }, slug);
}
