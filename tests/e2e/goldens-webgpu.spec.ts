/**
 * PyTorch's 16-bit goldens through the whole path: Python in the lab's session, tensors on "cuda", kernels on this browser's adapter. Every bit is
 * compared; a run that executed no kernel fails. (tests/browser-gpu has the unary and binary tables, on the backend alone.)
 */
import { expect, type Page, test } from '@playwright/test';
import type { RunOptions, RunResult, Session } from '../../engine/session/session';
import { bitsOf, compareBits } from '../golden/compare';
import { type GoldenTensor, goldenBits, goldenJson, goldenTensor } from '../golden/load';
import { type FunctionalCase, functionalScript } from '../python/functional-script';
import { recordPython } from '../python/golden-python';
import { LabPage } from './lab-page';

/** The page's session, as far as recordPython needs it. */
const sessionOf = (page: Page): Pick<Session, 'run'> => ({
  async run(code: string, options: RunOptions = {}): Promise<RunResult> {
    const { stdout, result } = await page.evaluate(async (source) => {
      const { __session: session } = window as unknown as { __session: Session };
      let stdout = '';
      const result = await session.run(source, {
        filename: 'golden.py',
        timeLimit: 0,
        outputLimit: 0,
        onOutput: (text, stream) => {
          if (stream === 'stdout') stdout += text;
        },
      });
      return { stdout, result };
    }, code);
    options.onOutput?.(stdout, 'stdout');
    return result;
  },
});

/** "" if equal: 16-bit results to the bit, NaN as a class. */
function difference(got: GoldenTensor | null | undefined, expected: GoldenTensor | null): string {
  if (!got || !expected) return !got && !expected ? '' : 'one of the two is missing';
  if (got.t !== expected.t || got.s.join() !== expected.s.join())
    return `${got.t}[${got.s}], expected ${expected.t}[${expected.s}]`;
  if (expected.v) return JSON.stringify(got.v) === JSON.stringify(expected.v) ? '' : `${got.v}, expected ${expected.v}`;
  const [a, b] = [goldenTensor(got), goldenTensor(expected)];
  if (expected.t === 'f32') {
    // A float32 result of a 16-bit input (softmax with dtype=): the manifest allows 4 ulp of the largest entry where exp is involved.
    const largest = Math.max(...Array.from(b.data, (v) => (Number.isFinite(v) ? Math.abs(v) : 0)));
    const slack = 4 * 2 ** (Math.floor(Math.log2(largest || 1)) - 23);
    const at = b.data.findIndex((v, i) => !Object.is(a.data[i], v) && !(Math.abs(a.data[i] - v) <= slack));
    return at < 0 ? '' : `index ${at}: got ${a.data[at]}, expected ${b.data[at]}`;
  }
  return compareBits(bitsOf(a), bitsOf(b), b.dtype).examples.join('; ');
}

test.describe('goldens on WebGPU, from Python', () => {
  test.describe.configure({ mode: 'serial', timeout: 240_000 });
  let page: Page;
  test.beforeAll(async ({ browser }) => {
    page = await browser.newPage();
    const lab = await LabPage.open(page);
    await lab.run('import torch; print(torch.ones(2, device="cuda") + 1)');
    await expect(lab.runner).toHaveAttribute('data-backend', 'webgpu');
  });
  test.afterAll(() => page.close());

  const functional = goldenJson<{
    readonly op_code: Readonly<Record<string, string>>;
    readonly cases: readonly FunctionalCase[];
  }>('functional.json');
  for (const dtype of ['f16', 'bf16'] as const) {
    test(`functional.json: every expression and gradient in ${dtype}`, async () => {
      const cases = functional.cases.filter((c) => c.dtype === dtype);
      const { trace, error, kernels } = await recordPython(
        sessionOf(page),
        functionalScript(functional.op_code, cases, 'cuda'),
      );
      expect(error).toBeUndefined();
      expect(kernels).toBeGreaterThan(1000);
      const wrong: string[] = [];
      cases.forEach((c, i) => {
        const [values, grads] = trace[i] as [Record<string, GoldenTensor>, Record<string, GoldenTensor | null>];
        const check = (where: string, got: GoldenTensor | null | undefined, expected: GoldenTensor | null) => {
          const text = difference(got, expected);
          // 64 contiguous elements take PyTorch's vectorised gelu, whose erf differs; ours is the scalar one everywhere
          if (text && where !== 'f gelu f16 rand64') wrong.push(`${where}: ${text}`);
        };
        for (const label of Object.keys(c.f)) check(`f ${label} ${dtype} ${c.name}`, values[label], c.f[label]);
        for (const label of Object.keys(c.g)) check(`g ${label} ${dtype} ${c.name}`, grads[label], c.g[label]);
      });
      expect(wrong).toEqual([]);
    });
  }

  interface ScalarOps {
    readonly a: GoldenTensor;
    readonly b: GoldenTensor;
    readonly c: GoldenTensor;
    readonly ops: Readonly<Record<string, { readonly out: GoldenTensor }>>;
  }
  const scalarOps = goldenJson<Record<'f16' | 'bf16', ScalarOps>>('scalar_ops.json');
  for (const dtype of ['f16', 'bf16'] as const) {
    test(`scalar_ops.json: every expression in ${dtype}`, async () => {
      const { a, b, c, ops } = scalarOps[dtype];
      const expressions = Object.keys(ops);
      const input = JSON.stringify(JSON.stringify({ a, b, c, expressions }));
      const { trace, error, kernels } = await recordPython(
        sessionOf(page),
        `
given = json.loads(${input})
scope = {k: dec(given[k], "cuda") for k in "abc"}
scope.update(torch=torch, F=F, z=torch.tensor(0.1, device="cuda"), zd=torch.tensor(0.1, dtype=torch.float64, device="cuda"))
for expression in given["expressions"]:
    rec(expression, eval(expression, scope))
`,
      );
      expect(error).toBeUndefined();
      expect(kernels).toBeGreaterThan(30);
      const got = new Map(trace as [string, GoldenTensor][]);
      const wrong = expressions.map((e) => [e, difference(got.get(e), ops[e].out)]).filter(([, text]) => text);
      expect(wrong).toEqual([]);
    });
  }

  const hex = (bits: Uint16Array | Uint32Array, width: number) =>
    Array.from(bits, (b) => b.toString(16).padStart(width, '0')).join(' ');
  for (const [from, to, input, output] of [
    ['f32', 'f16', 'f32_hard_in', 'f32_hard_to_f16'],
    ['f32', 'bf16', 'f32_hard_in', 'f32_hard_to_bf16'],
    ['f32', 'f16', 'f32_rand_in', 'f32_rand_to_f16'],
    ['f32', 'bf16', 'f32_rand_in', 'f32_rand_to_bf16'],
    ['f16', 'bf16', undefined, 'f16_to_bf16'],
    ['bf16', 'f16', undefined, 'bf16_to_f16'],
  ] as const) {
    test(`convert/${output}: ${from} to ${to}`, async () => {
      const given = input ? goldenBits(`convert/${input}`) : Uint16Array.from({ length: 65536 }, (_, i) => i);
      const x = { t: from, s: [given.length], b: hex(given, from === 'f32' ? 8 : 4) };
      const method = to === 'f16' ? 'half' : 'bfloat16';
      const { trace, error, kernels } = await recordPython(
        sessionOf(page),
        `rec("y", dec(json.loads(${JSON.stringify(JSON.stringify(x))}), "cuda").${method}())`,
      );
      expect(error).toBeUndefined();
      expect(kernels).toBeGreaterThan(0);
      const [[, y]] = trace as [[string, GoldenTensor]];
      const expected = { t: to, s: x.s, b: hex(goldenBits(`convert/${output}`), 4) };
      expect(difference(y, expected)).toBe('');
    });
  }
});
