// Finds a Chromium for the tests: CHROMIUM_PATH, Playwright's own, the system's. `ensureChromium` also installs one with the
// system's package manager when run as root on Debian or Ubuntu; otherwise it says in one line what to do.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a browser, or undefined (Playwright then looks for its own). Throws if CHROMIUM_PATH names no file. */
export function findChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH is ${chosen}, which does not exist`);
    return chosen;
  }
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((dir) => NAMES.map((name) => join(dir, name)));
  return [...onPath, ...MAC].find((file) => existsSync(file));
}

async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test');
  const file = chromium.executablePath();
  return file && existsSync(file) ? file : undefined;
}

/** Like `findChromium`, but installs one if it can. Resolves to a path or throws an Error whose message says what to install. */
export async function ensureChromium(log = console.log) {
  const found = process.env.CHROMIUM_PATH ? findChromium() : ((await playwrightsOwn()) ?? findChromium());
  if (found) return found;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    log('No Chromium found: installing the system package (apt-get install chromium). This takes a minute or two.');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...args) => spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
    apt('-qq', 'update');
    if (!apt('-qq', '-y', 'install', '--no-install-recommends', 'chromium')) {
      apt('-qq', '-y', 'install', '--no-install-recommends', 'chromium-browser');
    }
    const installed = findChromium();
    if (installed) return installed;
  }
  throw new Error(
    'No Chromium found. Install one (Debian: apt-get install chromium; anywhere: npx playwright install chromium) or set CHROMIUM_PATH.',
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    console.log(await ensureChromium(console.error));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
