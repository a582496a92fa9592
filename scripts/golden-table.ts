/**
 * npm run goldens: runs the golden tests and writes docs/goldens.md from the counts that they record
 * (tests/golden/results.ts). `--no-run` only rewrites the table from the counts of the last run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GoldenResult } from '../tests/golden/results';

const root = new URL('../', import.meta.url);
const folder = new URL('.cache/golden-results/', root);

let failed = false;
if (!process.argv.includes('--no-run')) {
  rmSync(folder, { recursive: true, force: true }); // a renamed test must not leave its old counts behind
  const tests = readdirSync(new URL('tests/', root), { recursive: true, encoding: 'utf8' })
    .map((file) => `tests/${file}`)
    .filter((file) => file.endsWith('.test.ts') && readFileSync(new URL(file, root), 'utf8').includes('recordGolden('));
  const run = spawnSync('npx', ['vitest', 'run', ...tests], { cwd: fileURLToPath(root), stdio: 'inherit' });
  failed = run.status !== 0;
}

mkdirSync(folder, { recursive: true });
const groups = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({
    name: name.replace('.json', ''),
    rows: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as GoldenResult[],
  }));

/** Parts of one golden file ("scalar_ops.json: f16 a*0.9") as one row for each way of comparing. */
function folded(rows: readonly GoldenResult[]): GoldenResult[] {
  const groups = new Map<string, GoldenResult & { parts: number }>();
  for (const row of rows) {
    const [file, part] = row.file.split(/: (.*)/s);
    const key = part === undefined ? row.file : `${file} ${row.compared}`;
    const group = groups.get(key) ?? { file, entries: 0, passed: 0, compared: row.compared, parts: 0 };
    groups.set(key, {
      ...group,
      entries: group.entries + row.entries,
      passed: group.passed + row.passed,
      parts: group.parts + (part === undefined ? 0 : 1),
    });
  }
  return [...groups.values()].map((g) => (g.parts > 1 ? { ...g, file: `${g.file} (${g.parts} parts)` } : g));
}

const count = (n: number): string => n.toLocaleString('en-US');
const lines: string[] = [];
let entries = 0;
let passed = 0;
for (const { name, rows } of groups) {
  const total = rows.reduce((n, row) => n + row.entries, 0);
  const good = rows.reduce((n, row) => n + row.passed, 0);
  entries += total;
  passed += good;
  lines.push(`## ${name}: ${count(good)} of ${count(total)}`, '');
  lines.push('| golden | entries | passed | compared |', '|---|---:|---:|---|');
  for (const row of folded(rows))
    lines.push(`| ${row.file} | ${count(row.entries)} | ${count(row.passed)} | ${row.compared} |`);
  const exceptions = rows.flatMap((row) => (row.exceptions ?? []).map((text) => `- ${row.file}: ${text}`));
  if (exceptions.length > 0) lines.push('', 'Known differences:', ...exceptions);
  lines.push('');
}
const summary = `${count(passed)} of ${count(entries)} entries agree with PyTorch 2.13.0 (CPU).`;
writeFileSync(
  new URL('docs/goldens.md', root),
  [
    '# Comparison with real PyTorch',
    '',
    'Written by `npm run goldens` from what the golden tests counted; the vectors are in tests/golden/data, made by PyTorch 2.13.0.',
    '',
    summary,
    '',
    ...lines,
  ].join('\n'),
);
console.log(`${lines.join('\n')}\n${summary}`);
process.exit(failed ? 1 : 0);
