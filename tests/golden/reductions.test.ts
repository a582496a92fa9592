/** Ops that aren't elementwise against PyTorch: exact bits of 16-bit and float32 results, and exact error texts (data/reductions.json). */
import { afterAll, describe, expect, test } from 'vitest';
import type { HostTensor } from '@/engine/formats/dtype';
import type { Attrs, AttrValue } from '@/engine/ops/record';
import { bitsOf, compareBits } from './compare';
import { type GoldenFloat, type GoldenTensor, goldenFloat, goldenJson, goldenTensor } from './load';
import { type GoldenResult, recordGolden } from './results';
import { runOp } from './run-op';

interface Case {
  readonly op: string;
  readonly inputs: readonly GoldenTensor[];
  readonly attrs: Readonly<Record<string, AttrValue | GoldenFloat>>;
  readonly code: string;
  readonly ulp?: number;
  readonly out?: readonly GoldenTensor[];
  readonly error?: readonly [string, string];
}

const isFloat = (v: AttrValue | GoldenFloat): v is GoldenFloat => typeof v === 'object' && v !== null && 'f' in v;
const attrsOf = (c: Case): Attrs =>
  Object.fromEntries(Object.entries(c.attrs).map(([k, v]) => [k, isFloat(v) ? goldenFloat(v) : v]));

const describeCase = (c: Case): string => `${c.code} of ${c.inputs.map((i) => `${i.t}[${i.s.join()}]`).join(', ')}`;

/** What differs, or ''. */
function difference(c: Case): string {
  let outputs: HostTensor[];
  try {
    outputs = runOp(c.op, c.inputs.map(goldenTensor), attrsOf(c));
  } catch (error) {
    const { name, message } = error as Error;
    const got = `${name}: ${message}`;
    const expected = c.error ? `${c.error[0]}: ${c.error[1]}` : 'a result';
    return got === expected ? '' : `${got}, expected ${expected}`;
  }
  if (!c.out) return `a result, expected ${c.error?.join(': ')}`;
  for (const [i, expected] of c.out.map(goldenTensor).entries()) {
    const got = outputs[i];
    if (got.dtype !== expected.dtype || got.shape.join() !== expected.shape.join()) {
      return `output ${i} is ${got.dtype}[${got.shape}], expected ${expected.dtype}[${expected.shape}]`;
    }
    const ulp = expected.dtype === 'float32' ? c.ulp : 0;
    const { examples } = compareBits(bitsOf(got), bitsOf(expected), expected.dtype, ulp);
    if (examples.length > 0) return `output ${i}, ${examples.join('; ')}`;
  }
  return '';
}

const cases = goldenJson<readonly Case[]>('reductions.json');
const results: GoldenResult[] = [];
afterAll(() => recordGolden('reductions', results));

describe('reductions.json', () => {
  for (const op of new Set(cases.map((c) => c.op))) {
    test(op, () => {
      const own = cases.filter((c) => c.op === op);
      const wrong = own.flatMap((c) => {
        const text = difference(c);
        return text === '' ? [] : [`${describeCase(c)}: ${text}`];
      });
      const ulp = Math.max(...own.map((c) => c.ulp ?? 0));
      const compared = ulp === 0 ? 'exact bits and error texts' : `exact; float32 ${ulp} ulp (vendor exp, log or pow)`;
      results.push({
        file: `reductions.json: ${op}`,
        entries: own.length,
        passed: own.length - wrong.length,
        compared,
      });
      expect(wrong).toEqual([]);
    });
  }
});
