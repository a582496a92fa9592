/** GradScaler against PyTorch: every scenario of tests/golden/data/grad_scaler, run as Python, entry by entry. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeSession } from '@/engine/session/node';
import { goldenJson } from '../golden/load';
import { type GoldenResult, recordGolden } from '../golden/results';
import { canonical, recordPython, same, startSession } from './golden-python';

interface Scenario {
  readonly name: string;
  readonly code: string;
  readonly trace: readonly (readonly [string, unknown])[];
}

const scenarios = readdirSync(new URL('../golden/data/grad_scaler/', import.meta.url))
  .filter((f) => f.endsWith('.json'))
  .map((f) => goldenJson<Scenario>(`grad_scaler/${f}`));

/** Entries that must differ: there PyTorch ran without CUDA, while here "cuda" is always served. */
const differs: Readonly<Record<string, readonly string[]>> = {
  s18_errors: ['cuda scaler without CUDA', 'warnings'],
};
const unsupported: Readonly<Record<string, RegExp>> = {
  s22_sparse: /NotImplementedError: torch\.nn\.Embedding\(sparse=True\) is not supported by this engine/,
};

describe('GradScaler does what PyTorch does', () => {
  let session: NodeSession;
  const results: GoldenResult[] = [];
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => recordGolden('grad-scaler', results));

  it.each(scenarios.map((s) => [s.name, s] as const))('%s', async (name, { code, trace: expected }) => {
    const { trace, error } = await recordPython(session, `${code}\n${name}(rec)`);
    const file = `grad_scaler/${name}`;
    if (unsupported[name] !== undefined) {
      expect(error).toMatch(unsupported[name]);
      const exceptions = ['sparse gradients are not supported; the constructor says so'];
      results.push({ file, entries: expected.length, passed: 0, compared: 'exact bits and texts', exceptions });
      return;
    }
    expect(error).toBeUndefined();
    const skipped = differs[name] ?? [];
    const passed = expected.filter((entry, i) => same(trace[i], entry)).length;
    const exceptions = skipped.map((label) => `"${label}": PyTorch ran without CUDA; here "cuda" is always served`);
    results.push({
      file,
      entries: expected.length,
      passed,
      compared: 'exact bits and texts, NaN as a class',
      exceptions,
    });
    const compared = (entries: readonly unknown[]) =>
      entries.filter((e) => !skipped.includes((e as [string])[0])).map(canonical);
    expect(compared(trace)).toEqual(compared(expected));
  });
});
