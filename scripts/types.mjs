// Type-checks every project: the pages (with the DOM), the engine (without it), the session (worker globals only).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('.cache', { recursive: true });
// Next writes this file on its first run; a fresh clone needs it before that.
if (!existsSync('next-env.d.ts')) writeFileSync('next-env.d.ts', '/// <reference types="next" />\n');

let failed = false;
for (const project of ['.', 'engine', 'engine/session']) {
  // By path: two TypeScripts are installed (see typescript6.mjs), and which one owns the name `tsc` is up to npm.
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', project], {
    stdio: 'inherit',
  });
  console.log(
    `types: ${project === '.' ? 'app, exercises, scripts, tests' : project} ${status === 0 ? 'ok' : 'FAILED'}`,
  );
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
