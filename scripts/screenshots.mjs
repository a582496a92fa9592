// Pictures of every page in the light and dark theme and on a phone, into .cache/screenshots/. Needs a build (npm run build).
// usage: node scripts/screenshots.mjs [path …]
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { ensureChromium } from './chromium.mjs';
import { serve } from './serve.mjs';

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 } },
];

/** Routes of the export: every folder with an index.html. */
function routes(dir = 'out', route = '/') {
  const here = existsSync(join(dir, 'index.html')) ? [route] : [];
  const folders = readdirSync(dir, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !/^[_.]|^404$/.test(entry.name),
  );
  return [...here, ...folders.flatMap((entry) => routes(join(dir, entry.name), `${route}${entry.name}/`))];
}

const into = '.cache/screenshots';
mkdirSync(into, { recursive: true });
const server = await serve({ port: 0 });
const base = `http://localhost:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: ['--no-sandbox', '--font-render-hinting=none'],
});
const wanted = process.argv.slice(2);
for (const look of LOOKS) {
  const context = await browser.newContext({ ...look, serviceWorkers: 'block' });
  const page = await context.newPage();
  for (const route of wanted.length > 0 ? wanted : [...routes(), '/no-such-page/']) {
    await page.goto(base + route, { waitUntil: 'load' });
    await page.waitForTimeout(300);
    const name = route === '/' ? 'home' : route.replace(/^\/|\/$/g, '').replaceAll('/', '-');
    const file = join(into, `${name}.${look.name}.png`);
    await page.screenshot({ path: file, fullPage: true });
    console.log(file);
  }
  await context.close();
}
await browser.close();
server.close();
