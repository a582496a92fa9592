/**
 * Goldens whose entries are Python code: a prelude that encodes values as the golden files do, the run in the Node session, and the
 * comparison (exact bits and texts; NaN as a class).
 */
import { NodeSession } from '@/engine/session/node';
import type { Session } from '@/engine/session/session';

/** `enc` writes a value, `dec` reads a tensor, `dv` a float, in the format of tests/golden/data/README.md. */
const prelude = `
import copy, json, math, pickle, struct, warnings
import torch
import torch.nn as nn
import torch.nn.functional as F

INF = float("inf")
NAN = float("nan")
_SHORT = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64", torch.int64: "i64",
          torch.int32: "i32", torch.bool: "bool"}
_DTYPE = {v: k for k, v in _SHORT.items()}

def enc(v):
    if isinstance(v, torch.Tensor):
        v = v.detach()
        d = {"t": _SHORT[v.dtype], "s": list(v.shape)}
        if v.is_floating_point():
            d["b"] = torch._C.call("bits", v._h)
        else:
            d["v"] = v.flatten().tolist()
        return d
    if isinstance(v, float):
        return {"f": repr(v), "x": struct.pack(">d", v).hex()} if math.isfinite(v) else {"f": repr(v)}
    if isinstance(v, (list, tuple)):
        return [enc(x) for x in v]
    if isinstance(v, dict):
        return {str(k): enc(x) for k, x in v.items()}
    return v

def dec(d, device="cpu"):
    dtype = _DTYPE[d["t"]]
    if "b" in d:
        return torch._C.wrap(torch._C.call("from_bits", d["b"], dtype._name, device, *d["s"]))
    return torch.tensor(d["v"], dtype=dtype, device=device).reshape(d["s"])

def dv(v):
    if isinstance(v, dict) and "f" in v:
        return float(v["f"])
    return [dv(x) for x in v] if isinstance(v, list) else v

def _p(*v, dtype=torch.float32):
    return nn.Parameter(torch.tensor(v, dtype=dtype))

def _try(rec, label, fn):
    try:
        r = fn()
        rec(label, ["ok", r])
    except Exception as e:
        rec(label, ["raised", type(e).__name__, str(e)])

trace = []
def rec(label, value):
    trace.append([label, enc(value)])
`;

/** Runs code after the prelude; what it recorded with rec(), or the error. */
export async function recordPython(
  session: Pick<Session, 'run'>,
  code: string,
): Promise<{ trace: unknown[]; error: string | undefined; kernels: number }> {
  let stdout = '';
  const marker = '\u0001trace ';
  const result = await session.run(`${prelude}\n${code}\nprint(${JSON.stringify(marker)} + json.dumps(trace))`, {
    filename: 'golden.py',
    timeLimit: 0,
    outputLimit: 0,
    onOutput: (text, stream) => {
      if (stream === 'stdout') stdout += text;
    },
  });
  const at = stdout.indexOf(marker);
  return {
    trace: at < 0 ? [] : (JSON.parse(stdout.slice(at + marker.length)) as unknown[]),
    error: result.error === undefined ? undefined : result.error.traceback,
    kernels: result.kernels,
  };
}

export const startSession = async (): Promise<NodeSession> => {
  const session = new NodeSession();
  await session.start();
  return session;
};

const nanOf: Readonly<Record<string, (word: string) => boolean>> = {
  f16: (w) => (Number.parseInt(w, 16) & 0x7fff) > 0x7c00,
  bf16: (w) => (Number.parseInt(w, 16) & 0x7fff) > 0x7f80,
  f32: (w) => (Number.parseInt(w, 16) & 0x7fffffff) > 0x7f800000,
};

/** The same value with every NaN pattern replaced by the word "nan": sign and payload are not defined. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  const entry = value as Record<string, unknown>;
  if (typeof entry.t === 'string' && typeof entry.b === 'string' && nanOf[entry.t] !== undefined) {
    const words = entry.b.split(' ').map((w) => (w !== '' && nanOf[entry.t as string](w) ? 'nan' : w));
    return { ...entry, b: words.join(' ') };
  }
  return Object.fromEntries(Object.entries(entry).map(([k, v]) => [k, canonical(v)]));
}

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
