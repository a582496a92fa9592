/**
 * Reductions, the softmax family, losses and norms on ordinary and extreme inputs, forward and gradient: every expression of
 * functional.json is evaluated by our Python on the reference backend and compared with what PyTorch 2.13 recorded.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeSession } from '@/engine/session/node';
import { bitsOf, compareBits } from '../golden/compare';
import { type GoldenTensor, goldenJson, goldenTensor } from '../golden/load';
import { type GoldenResult, recordGolden } from '../golden/results';
import { type FunctionalCase as Case, functionalScript } from './functional-script';
import { recordPython, startSession } from './golden-python';

const golden = goldenJson<{ readonly op_code: Readonly<Record<string, string>>; readonly cases: readonly Case[] }>(
  'functional.json',
);

/** float32 forwards whose order of additions is defined (engine/ops/summation-order.ts), or that don't round: exact. */
const exactFloat32 = new Set([
  'sum',
  'mean',
  'mean_fp32',
  'sum_dtype32',
  'sumsq',
  'prod',
  'cumsum',
  'max',
  'amax',
  'norm',
  'norm1',
  'norminf',
  'std',
  'var_unbiased',
  'var_biased',
  'layer_norm',
  'layer_norm_affine',
  'layer_norm_eps',
]);

/** Where a result differs, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'f gelu f16 rand64':
    "64 contiguous elements take PyTorch's vectorised kernel, whose erf differs; ours is the scalar one",
  'g ce_prob f32 len3': 'p - t cancels, so that 1 ulp between two exp functions becomes 8',
  'g kl f32 len3': 'p - t cancels, so that 1 ulp between two exp functions becomes 8',
};

/** Units in the last place of the largest finite entry that a float32 result may be off where exp or log is involved. */
const ULP = 4;

/** "" if the tensors agree. */
function difference(got: GoldenTensor | null, expected: GoldenTensor | null, exact: boolean): string {
  if (got === null || expected === null)
    return got === expected ? '' : `got ${got && 'a tensor'}, expected ${expected && 'a tensor'}`;
  if (got.t !== expected.t || got.s.join() !== expected.s.join())
    return `${got.t}[${got.s}], expected ${expected.t}[${expected.s}]`;
  const [a, b] = [goldenTensor(got), goldenTensor(expected)];
  if (exact || expected.t !== 'f32') return compareBits(bitsOf(a), bitsOf(b), b.dtype).examples.join('; ');
  const largest = Array.from(b.data).reduce((m, v) => (Number.isFinite(v) ? Math.max(m, Math.abs(v)) : m), 0);
  const ulp = largest === 0 ? 0 : 2 ** (Math.max(Math.floor(Math.log2(largest)), -126) - 23);
  const bad = b.data.findIndex((v, i) => !Object.is(a.data[i], v) && !(Math.abs(a.data[i] - v) <= ULP * ulp));
  return bad < 0 ? '' : `index ${bad}: got ${a.data[bad]}, expected ${b.data[bad]}`;
}

describe('functional.json', () => {
  let session: NodeSession;
  const results: GoldenResult[] = [];
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => {
    session.close();
    recordGolden('functional', results);
  });

  for (const dtype of ['f16', 'bf16', 'f32'] as const) {
    it(`every expression and its gradient in ${dtype}`, async () => {
      const cases = golden.cases.filter((c) => c.dtype === dtype);
      const { trace, error } = await recordPython(session, functionalScript(golden.op_code, cases, 'cpu'));
      expect(error).toBeUndefined();
      const wrong: string[] = [];
      const known: string[] = [];
      const counts = { exact: [0, 0], near: [0, 0] };
      const check = (where: string, got: GoldenTensor | null, expected: GoldenTensor | null, exact: boolean): void => {
        const text = difference(got, expected, exact);
        const count = exact || dtype !== 'f32' ? counts.exact : counts.near;
        count[0]++;
        if (text === '') count[1]++;
        else if (where in exceptions) known.push(`${where}: ${exceptions[where]}`);
        else wrong.push(`${where}: ${text}`);
      };
      cases.forEach((c, i) => {
        const [values, grads] = trace[i] as [Record<string, GoldenTensor>, Record<string, GoldenTensor | null>];
        for (const label of Object.keys(c.f)) {
          check(`f ${label} ${dtype} ${c.name}`, values[label], c.f[label], exactFloat32.has(label));
        }
        for (const label of Object.keys(c.g)) check(`g ${label} ${dtype} ${c.name}`, grads[label], c.g[label], false);
      });
      const file = `functional.json: ${dtype}`;
      results.push({
        file,
        entries: counts.exact[0],
        passed: counts.exact[1],
        compared: 'exact bits, NaN as a class',
        exceptions: dtype === 'f32' ? [] : known,
      });
      if (dtype === 'f32') {
        const compared = `${ULP} ulp of the largest entry (exp and log of the vendor library)`;
        results.push({
          file: `${file} with exp or log`,
          entries: counts.near[0],
          passed: counts.near[1],
          compared,
          exceptions: known,
        });
      }
      expect(wrong).toEqual([]);
    });
  }
});
