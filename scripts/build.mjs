// The static export in out/: runtime files (prepare.mjs), pages (next build), policies (csp.mjs), and a stamp of what went in.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { addPolicies } from './csp.mjs';
import { prepare } from './prepare.mjs';

/** Everything that the site is made of. */
const SOURCES = [
  'app',
  'content',
  'engine',
  'exercises',
  'public',
  'scripts',
  'next.config.mjs',
  'package-lock.json',
  'tsconfig.json',
];
/** Made by the build from the others. */
const MADE = /^(public\/(pyodide|torch|workers)|app\/generated)(\/|$)/;
/** Inside out/, so that it goes when out/ goes. */
const STAMP = 'out/.stamp';

function* files(path) {
  if (!existsSync(path) || MADE.test(path)) return;
  if (!statSync(path).isDirectory()) return yield path;
  for (const name of readdirSync(path).sort()) if (name !== '__pycache__') yield* files(join(path, name));
}

/** A hash over every source: the same sources need no second build. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES)
    for (const file of files(source)) hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

/** True if out/ was built from exactly these sources. */
export const isFresh = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();

/** Builds; throws an Error if a step fails (its own output says why). */
export async function build() {
  const before = fingerprint();
  await prepare();
  console.log('build: pages (next build; the first one takes about a minute)');
  rmSync('out', { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error('next build failed (see above)');
  console.log(`build: content security policies for ${addPolicies()} pages`);
  writeFileSync(STAMP, before);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await build();
    console.log('build: done, the site is in out/');
  } catch (error) {
    console.error(`build: ${error.message}`);
    process.exitCode = 1;
  }
}
