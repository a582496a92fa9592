/**
 * Pass counts of golden comparisons, for the table in docs/goldens.md. A test calls `recordGolden` once per golden file with what it
 * counted; `npm run goldens` runs the golden tests and prints the table.
 */
import { mkdirSync, writeFileSync } from 'node:fs';

export interface GoldenResult {
  /** What was compared: a golden file or a group of them, e.g. "unary/f16_exp". Unique. */
  readonly file: string;
  readonly entries: number;
  readonly passed: number;
  /** "exact bits, NaN as a class", "1 ulp (vendor exp)", … */
  readonly compared: string;
  /** Known differences, with the reason for each; every entry that doesn't pass must be explained here. */
  readonly exceptions?: readonly string[];
}

const folder = new URL('../../.cache/golden-results/', import.meta.url);

/** Writes the results of one test file (`name`: "unary", "autocast", …); a second call with the same name replaces the first. */
export function recordGolden(name: string, results: readonly GoldenResult[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(results, null, 1)}\n`);
}
