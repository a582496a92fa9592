// npm test: every check of the project, one after another; `--quick` (npm run check) leaves out the build and the browser.
// A stage that fails doesn't stop the others. The last line is `N passed, N failed`: test cases and gates together. A skipped test
// counts as failed, since it proves nothing.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import http from 'node:http';
import { dirname, join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { prepare } from './prepare.mjs';

const quick = process.argv.includes('--quick');
const VITEST_REPORT = '.cache/vitest.json';
const PLAYWRIGHT_REPORT = '.cache/playwright.json';
const node = process.execPath;

/** Runs a command with its output passed through; resolves to its exit status. */
function run(command, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    });
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      done(1);
    });
    child.on('exit', (status) => done(status ?? 1));
  });
}

/** A script that ends with a verdict of its own, "3 passed, 0 failed": its cases are counted, not the script. */
async function counted(command, args) {
  let text = '';
  const status = await new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (chunk) => {
      process.stdout.write(chunk);
      text += chunk;
    });
    child.on('close', (code) => done(code ?? 1));
  });
  const verdict = /(\d+) passed, (\d+) failed\s*$/.exec(text);
  const passed = Number(verdict?.[1] ?? 0);
  const failed = Number(verdict?.[2] ?? 0);
  return { passed, failed: status !== 0 || !verdict ? Math.max(failed, 1) : failed };
}

/** A gate passes or fails as a whole. */
const gate = async (command, args, env) => {
  const status = await run(command, args, env);
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 };
};

const report = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);

/** Vitest projects by name (vitest.config.ts). */
async function vitest(projects, env = {}) {
  rmSync(VITEST_REPORT, { force: true });
  const chosen = projects.flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`];
  const status = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...chosen, ...reporters], env);
  const result = report(VITEST_REPORT);
  const passed = result?.numPassedTests ?? 0;
  const skipped = (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0);
  const failed = (result?.numFailedTests ?? 0) + skipped;
  // A file that can't be loaded, or an error outside of any test.
  return { passed, failed: status !== 0 ? Math.max(failed, 1) : failed, skipped };
}

const freePort = () =>
  new Promise((done) => {
    const server = http.createServer().listen(0, 'localhost', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** Kernels on Dawn, with the software Vulkan driver that lies beside Chromium. */
async function kernels() {
  const manifest = join(dirname(realpathSync(await ensureChromium())), 'vk_swiftshader_icd.json');
  return vitest(['gpu'], existsSync(manifest) ? { SWIFTSHADER_ICD: manifest } : {});
}

async function browser() {
  rmSync(PLAYWRIGHT_REPORT, { force: true });
  const chromium = await ensureChromium();
  console.log(`browser: ${chromium}`);
  const status = await run(node, ['node_modules/@playwright/test/cli.js', 'test'], {
    CHROMIUM_PATH: chromium,
    PORT: String(await freePort()),
    SUBNORMAL_REPORT: PLAYWRIGHT_REPORT,
    CI: 'true',
  });
  const stats = report(PLAYWRIGHT_REPORT)?.stats;
  const passed = (stats?.expected ?? 0) + (stats?.flaky ?? 0);
  const skipped = stats?.skipped ?? 0;
  const failed = (stats?.unexpected ?? 0) + skipped;
  return { passed, failed: status !== 0 ? Math.max(failed, 1) : failed, skipped };
}

const stages = [
  ['runtime files', async () => prepare().then(() => ({ passed: 1, failed: 0 }))],
  ['lint', () => gate(node, ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'])],
  ['types', () => gate(node, ['scripts/types.mjs'])],
  ['dependency rules', () => gate(node, ['scripts/imports.mjs'])],
  ['unit, golden, Python', () => vitest(['unit', 'python'])],
  ['exercise gate', () => counted(node, ['node_modules/tsx/dist/cli.mjs', 'exercises/kit/cli.ts', 'check'])],
  ...(quick
    ? []
    : [
        ['kernels in Node', kernels],
        ['build', () => gate(node, ['scripts/build.mjs'])],
        ['browser', browser],
        ['lighthouse', () => counted(node, ['scripts/lighthouse.mjs'])],
      ]),
];

mkdirSync('.cache', { recursive: true });
const rows = [];
for (const [index, [name, stage]] of stages.entries()) {
  console.log(`\n=== ${index + 1} of ${stages.length}: ${name}`);
  const began = Date.now();
  let result;
  try {
    result = await stage();
  } catch (error) {
    console.error(error.message);
    result = { passed: 0, failed: 1 };
  }
  rows.push({ name, ...result, seconds: (Date.now() - began) / 1000 });
}

const total = { passed: 0, failed: 0 };
console.log('\n=== summary');
for (const { name, passed, failed, skipped, seconds } of rows) {
  total.passed += passed;
  total.failed += failed;
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  const note = skipped ? ` (${skipped} of them skipped)` : '';
  console.log(
    `${verdict} ${name.padEnd(22)} ${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed${note}  ${seconds.toFixed(1)} s`,
  );
}
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
