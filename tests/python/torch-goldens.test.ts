/**
 * torch from Python against PyTorch: how values print, what errors say, result dtypes, random numbers. Every entry of the golden files is
 * run; what differs on purpose is listed here by name with the reason, and the text that it must give instead.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeSession } from '@/engine/session/node';
import { goldenJson } from '../golden/load';
import { type GoldenResult, recordGolden } from '../golden/results';
import { recordPython, same, startSession } from './golden-python';

interface ReprEntry {
  readonly code: string;
  readonly repr: string;
  readonly str?: string;
  readonly item?: string;
  readonly format?: string;
  readonly 'fmt.4f'?: string | null;
  readonly printoptions?: Readonly<Record<string, unknown>>;
}
interface ErrorEntry {
  readonly code: string;
  readonly type: string | null;
  readonly message: string | null;
  readonly warnings?: readonly (readonly [string, string])[];
}
interface Promotion {
  readonly pairs: readonly (readonly [string, number, string, number | 'py', string, string])[];
  readonly inplace_add: readonly (readonly [string, string, string])[];
  readonly other: Readonly<Record<string, string>>;
}
interface Draw {
  readonly code: string;
  readonly value?: unknown;
  readonly first?: { readonly b?: string; readonly v?: readonly number[] };
  readonly last?: { readonly b?: string; readonly v?: readonly number[] };
}

/** What PyTorch has and we haven't: the snippet, and the error that it gives here. */
const unsupported: Readonly<Record<string, string>> = {
  'torch.tensor([1.+2j])':
    'NotImplementedError: complex tensors are not supported here; supported: floating point, integers and bool',
  'torch.svd(torch.ones(2,2,dtype=torch.float16))': 'AttributeError: torch.svd is not supported here.',
  'torch.linalg.inv(torch.ones(2,2,dtype=torch.float16))': 'AttributeError: torch.linalg.inv is not supported here.',
  'torch.linalg.inv(torch.zeros(2,2))': 'AttributeError: torch.linalg.inv is not supported here.',
  'torch.ones(2,dtype=torch.float16).numpy()': 'NotImplementedError: Tensor.numpy() is not supported here',
  'nn.Conv2d(1,1,3)(torch.ones(1,1,5,5,dtype=torch.float16))': 'NotImplementedError: torch.nn.Conv2d is not supported',
  'nn.Conv2d(1,2,3).weight': 'NotImplementedError: torch.nn.Conv2d is not supported',
  'nn.MultiheadAttention(4,2).in_proj_weight': 'NotImplementedError: torch.nn.MultiheadAttention is not supported',
};

/** Goldens were made by a PyTorch without CUDA; here "cuda" is always served. */
const withCuda: readonly string[] = [
  'torch.ones(3).cuda()',
  "torch.ones(3,device='cuda')",
  "with torch.autocast('cuda'): r=torch.is_autocast_enabled('cuda')",
  'torch.amp.GradScaler()',
  'torch.cuda.amp.GradScaler()',
  'torch.cuda.amp.autocast()',
];

const py = (value: unknown): string => `json.loads(${JSON.stringify(JSON.stringify(value))})`;

describe('torch in Python does what PyTorch does', () => {
  let session: NodeSession;
  const results: GoldenResult[] = [];
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => recordGolden('python-torch', results));

  const record = (
    file: string,
    entries: number,
    compared: string,
    wrong: readonly string[],
    exceptions: readonly string[],
  ): void => {
    results.push({ file, entries, passed: entries - wrong.length - exceptions.length, compared, exceptions });
    expect(wrong).toEqual([]);
  };

  it('prints every value of repr.json to the character', async () => {
    const entries = goldenJson<ReprEntry[]>('repr.json');
    const { trace, error } = await recordPython(
      session,
      `
for entry in ${py(entries)}:
    try:
        if "printoptions" in entry: torch.set_printoptions(**entry["printoptions"])
        v = eval(entry["code"])
        got = {"repr": repr(v)}
        if "str" in entry: got["str"] = str(v)
        if "item" in entry: got["item"], got["format"] = repr(v.item()), f"{v}"
        if entry.get("fmt.4f") is not None: got["fmt.4f"] = f"{v:.4f}"
    except Exception as e:
        got = {"error": f"{type(e).__name__}: {e}"}
    torch.set_printoptions(profile="default")
    trace.append(got)
`,
    );
    expect(error).toBeUndefined();
    const exceptions: string[] = [];
    const wrong: string[] = [];
    entries.forEach((entry, i) => {
      const got = trace[i] as Record<string, string>;
      const known = unsupported[entry.code];
      if (known !== undefined && got.error?.startsWith(known)) exceptions.push(`${entry.code}: ${known}`);
      else {
        const expected = entry as unknown as Record<string, string>;
        const differing = Object.keys(got).filter((k) => got[k] !== expected[k]);
        if (differing.length > 0) wrong.push(`${entry.code}: ${differing.map((k) => `${k} ${got[k]}`).join('; ')}`);
      }
    });
    record('repr.json', entries.length, 'exact text', wrong, exceptions);
  });

  it('raises every error of errors.json with its type and text', async () => {
    const entries = goldenJson<ErrorEntry[]>('errors.json');
    const { trace, error } = await recordPython(
      session,
      `
for code in ${py(entries.map((e) => e.code))}:
    scope = {"torch": torch, "nn": nn, "F": F}
    kind = text = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(code, scope)
        except Exception as e:
            kind, text = type(e).__name__, str(e)
    del scope
    trace.append([kind, text, [[w.category.__name__, str(w.message)] for w in caught]])
`,
    );
    expect(error).toBeUndefined();
    const exceptions: string[] = [];
    const wrong: string[] = [];
    entries.forEach(({ code, type, message, warnings }, i) => {
      const [gotType, gotMessage, gotWarnings] = trace[i] as [string | null, string | null, [string, string][]];
      const got = gotType === null ? 'no error' : `${gotType}: ${gotMessage}`;
      const known = unsupported[code];
      if (withCuda.includes(code)) {
        if (gotType === null) exceptions.push(`${code}: "cuda" is served here`);
        else wrong.push(`${code}: ${got}`);
      } else if (known !== undefined && got.startsWith(known)) exceptions.push(`${code}: ${known}`);
      else if (gotType !== type || gotMessage !== message) wrong.push(`${code}: ${got}`);
      else {
        // C++ warnings name the source file they come from; that isn't part of the text.
        const expected = (warnings ?? []).map(([category, text]) => [
          category,
          text.replace(/ \(Triggered internally at .*\)$/, ''),
        ]);
        const missing = expected.filter(([c, t]) => !gotWarnings.some((w) => w[0] === c && w[1] === t));
        if (missing.length > 0) wrong.push(`${code}: warnings ${JSON.stringify(gotWarnings)}`);
      }
    });
    record('errors.json', entries.length, 'exact type and text', wrong, exceptions);
  });

  it('promotes dtypes as promotion.json says', async () => {
    const { pairs, inplace_add, other } = goldenJson<Promotion>('promotion.json');
    const { trace, error } = await recordPython(
      session,
      `
def name(f):
    try:
        return str(f().dtype).removeprefix("torch.")
    except Exception as e:
        return f"{type(e).__name__}: {e}"
def make(dtype, dims):
    return torch.ones([2] if dims else [], dtype=getattr(torch, dtype))
for a, da, b, db, add, div in ${py(pairs)}:
    x = make(a, da)
    y = {"bool": True, "int": 1, "float": 1.0}[b] if db == "py" else make(b, db)
    trace.append([name(lambda: x + y), name(lambda: x / y)])
for a, b, result in ${py(inplace_add)}:
    x, y = make(a, 1), make(b, 1)
    trace.append(name(lambda: x.add_(y)))
h, f, b = (torch.ones(2, 2, dtype=d) for d in (torch.float16, torch.float32, torch.bfloat16))
i, m = torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.bool)
for code in ${py(Object.keys(other))}:
    try:
        r = eval(code)
        trace.append(f"dtype {r.dtype}" if isinstance(r, torch.Tensor) else repr(r))
    except Exception as e:
        trace.append(f"{type(e).__name__}: {e}")
`,
    );
    expect(error).toBeUndefined();
    const expected: { readonly what: string; readonly value: unknown }[] = [
      ...pairs.map(([a, da, b, db, add, div]) => ({ what: `${a}[${da}] with ${b}[${db}]`, value: [add, div] })),
      ...inplace_add.map(([a, b, result]) => ({ what: `${a} += ${b}`, value: result })),
      ...Object.entries(other).map(([what, value]) => ({ what, value })),
    ];
    const wrong = expected.flatMap(({ what, value }, i) =>
      same(trace[i], value) ? [] : [`${what}: ${JSON.stringify(trace[i])}, expected ${JSON.stringify(value)}`],
    );
    record('promotion.json', expected.length, 'exact text', wrong, []);
  });

  it('draws the random numbers of rng.json after torch.manual_seed', async () => {
    const seeds = goldenJson<(Readonly<Record<string, Draw>> & { readonly seed: string })[]>('rng.json');
    const draws = seeds.flatMap(({ seed, ...rest }) =>
      Object.entries(rest).map(([name, draw]) => ({ seed, name, draw })),
    );
    const { trace, error } = await recordPython(
      session,
      `
for seed, code in ${py(draws.map((d) => [Number.parseInt(d.seed, 10), d.draw.code]))}:
    try:
        torch.manual_seed(seed)
        trace.append(enc(eval(code)))
    except Exception as e:
        trace.append(f"{type(e).__name__}: {e}")
`,
    );
    expect(error).toBeUndefined();
    const exceptions: string[] = [];
    const wrong: string[] = [];
    draws.forEach(({ seed, name, draw }, i) => {
      const got = trace[i];
      const known = unsupported[draw.code];
      if (known !== undefined && typeof got === 'string' && got.startsWith(known))
        exceptions.push(`${seed} ${draw.code}: ${known}`);
      else if (draw.first !== undefined ? !hasEnds(got, draw) : !closeTo(got, draw.value)) {
        wrong.push(`seed ${seed} ${name}: ${JSON.stringify(got).slice(0, 200)}`);
      }
    });
    record(
      'rng.json (Python)',
      draws.length,
      'exact bits; float64 normals of 16 or more: 2 ulp (log, sin and cos of the C library)',
      wrong,
      exceptions,
    );
  });
});

/** A long result is stored as its first and last elements. */
function hasEnds(got: unknown, { first, last }: Draw): boolean {
  const t = got as { b?: string; v?: readonly number[] };
  const list = (x: { b?: string; v?: readonly number[] } | undefined): readonly unknown[] =>
    x?.v ?? x?.b?.split(' ') ?? [];
  const all = list(t);
  const head = list(first);
  const tail = list(last);
  return same(all.slice(0, head.length), head) && same(all.slice(all.length - tail.length), tail);
}

/** Exact, but for float64 tensors 2 ulp: their logarithm, sine and cosine are the C library's. */
function closeTo(got: unknown, expected: unknown): boolean {
  if (same(got, expected)) return true;
  const [a, b] = [got, expected] as { t?: string; b?: string }[];
  if (b?.t !== 'f64' || a?.t !== 'f64') return false;
  const x = (a.b ?? '').split(' ');
  const y = (b.b ?? '').split(' ');
  const distance = (p: string, q: string): bigint => {
    const d = BigInt(`0x${p}`) - BigInt(`0x${q}`);
    return d < 0n ? -d : d;
  };
  return x.length === y.length && x.every((p, i) => distance(p, y[i]) <= 2n);
}
