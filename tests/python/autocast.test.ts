/** The dtype of every op under autocast: on "cpu" as PyTorch showed it, on "cuda" as PyTorch's policy lists say (autocast_mode.h). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeSession } from '@/engine/session/node';
import { goldenJson } from '../golden/load';
import { type GoldenResult, recordGolden } from '../golden/results';
import { recordPython, startSession } from './golden-python';

interface Autocast {
  readonly cpu_observed: Readonly<
    Record<string, { readonly code: string; readonly f16: string[]; readonly bf16: string[] }>
  >;
  readonly cuda_policy: Readonly<Record<string, readonly string[]>>;
  readonly cuda_bce_message: string;
}

/** Ops that this engine doesn't have; using one raises an error that says so. */
const unsupported = ['conv1d', 'conv2d', 'max_pool2d', 'avg_pool2d'];

/** Evaluates every code under autocast with a and b float32 or lower, and records the dtype of the result or the error. */
const evaluate = (device: string, codes: readonly (readonly [string, string])[]): string => `
torch.manual_seed(0)
x, y, t = torch.rand(4, 4), torch.rand(4, 4), torch.tensor([0, 1, 2, 3])
for name, code in json.loads(${JSON.stringify(JSON.stringify(codes))}):
    rows = {}
    for low in (torch.float16, torch.bfloat16):
        row = []
        for da, db in ((torch.float32, torch.float32), (low, low), (low, torch.float32), (torch.float32, low)):
            scope = dict(torch=torch, F=F, a=x.to("${device}", da), b=y.to("${device}", db), t=t.to("${device}"))
            try:
                with torch.autocast("${device}", dtype=low):
                    row.append(_SHORT[eval(code, scope).dtype])
            except Exception as e:
                row.append(type(e).__name__ + ": " + str(e))
        rows[_SHORT[low]] = row
    rec(name, rows)
`;

type Rows = { f16: string[]; bf16: string[] };

describe('autocast chooses the dtypes that PyTorch chooses', () => {
  const golden = goldenJson<Autocast>('autocast.json');
  let session: NodeSession;
  const results: GoldenResult[] = [];
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => recordGolden('autocast', results));

  it('on cpu, as observed', async () => {
    const codes = Object.entries(golden.cpu_observed).map(([name, { code }]) => [name, code] as const);
    const { trace, error } = await recordPython(session, evaluate('cpu', codes));
    expect(error).toBeUndefined();
    const failures: string[] = [];
    for (const [name, got] of trace as [string, Rows][]) {
      const { code, f16, bf16 } = golden.cpu_observed[name];
      const expected = unsupported.includes(name) ? /^NotImplementedError: .*not supported/ : { f16, bf16 };
      const ok =
        expected instanceof RegExp
          ? [...got.f16, ...got.bf16].every((cell) => expected.test(cell))
          : JSON.stringify(got) === JSON.stringify(expected);
      if (!ok) failures.push(`${code}: got ${JSON.stringify(got)}, expected ${JSON.stringify({ f16, bf16 })}`);
    }
    results.push({
      file: 'autocast (cpu)',
      entries: codes.length,
      passed: codes.length - failures.length - unsupported.length,
      compared: 'dtype of the result, or type and text of the error',
      exceptions: [`${unsupported.join(', ')}: not in this engine; using one raises NotImplementedError`],
    });
    expect(failures).toEqual([]);
  });

  it('on cuda, as the policy lists say', async () => {
    const policyOf = new Map(
      Object.entries(golden.cuda_policy).flatMap(([policy, ops]) => ops.map((op) => [op, policy] as const)),
    );
    // Names of the golden's codes that stand for an op under another name.
    const alias: Readonly<Record<string, string>> = {
      pow_scalar: 'pow',
      pow_tensor: 'pow',
      sum_dim: 'sum',
      vector_norm: 'linalg_vector_norm',
      vecdot: 'linalg_vecdot',
      sdpa: 'scaled_dot_product_attention',
      layer_norm_noaffine: 'layer_norm',
      rms_norm_noaffine: 'rms_norm',
      bce_with_logits: 'binary_cross_entropy_with_logits',
      bce: 'binary_cross_entropy',
      cross_entropy: 'nll_loss',
      norm: 'norm.Scalar',
      linear: 'linear',
    };
    const codes = Object.entries(golden.cpu_observed)
      .filter(([name]) => !unsupported.includes(name) && policyOf.has(alias[name] ?? name))
      .map(([name, { code }]) => [name, code] as const);
    const { trace, error } = await recordPython(session, evaluate('cuda', codes));
    expect(error).toBeUndefined();
    const failures: string[] = [];
    for (const [name, got] of trace as [string, Rows][]) {
      const policy = policyOf.get(alias[name] ?? name) ?? '';
      for (const low of ['f16', 'bf16'] as const) {
        const expected = policy.startsWith('lower')
          ? Array(4).fill(low)
          : policy.startsWith('fp32')
            ? Array(4).fill('f32')
            : policy.startsWith('promote')
              ? ['f32', low, 'f32', 'f32']
              : Array(4).fill(`RuntimeError: ${golden.cuda_bce_message}`);
        if (JSON.stringify(got[low]) !== JSON.stringify(expected)) {
          failures.push(`${golden.cpu_observed[name].code} (${policy}), ${low}: got ${got[low]}, expected ${expected}`);
        }
      }
    }
    results.push({
      file: 'autocast (cuda policies)',
      entries: codes.length,
      passed: codes.length - new Set(failures.map((f) => f.split(' (')[0])).size,
      compared: "dtype of the result by the policy lists of PyTorch's headers",
    });
    expect(failures).toEqual([]);
    expect(codes.length).toBeGreaterThan(40);
  });
});
