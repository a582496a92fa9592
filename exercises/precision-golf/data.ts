/** The block that is golfed, its hidden batches, and what it gives in exact arithmetic. */
import { float32, roundToFormat } from '../../engine/formats/float-format';

/** In the order in which they run. */
export const OPS = ['power', 'mean', 'normalize', 'scores', 'exp', 'sum', 'loss'] as const;

/** As in the starter: `dtype[op]` is what an operation computes in and gives. */
export const BLOCK = `
def block(x, keys, dtype):
    a = x.to(dtype["power"])
    power = a * a
    mean = power.to(dtype["mean"]).mean(dim=-1, keepdim=True)
    h = x.to(dtype["normalize"]) / torch.sqrt(mean.to(dtype["normalize"]))
    scores = (h.to(dtype["scores"]) @ keys.to(dtype["scores"]).T) / 4
    z = scores.to(dtype["exp"])
    e = torch.exp(z - z.amax(dim=-1, keepdim=True))
    total = e.to(dtype["sum"]).sum(dim=-1)
    s = scores.to(dtype["loss"])
    return s.amax(dim=-1) + torch.log(total.to(dtype["loss"])) - s[:, 0]
`;

export const ROWS = 24;
export const FEATURES = 16;
export const KEYS = 32;

export interface Batch {
  /** [ROWS, FEATURES], float32 values */
  readonly x: readonly number[];
  /** [KEYS, FEATURES] */
  readonly keys: readonly number[];
}

/** mulberry32 (Tommy Ettinger, public domain): the same batches on every machine. Gives multiples of 2^-32 in [0, 1). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Activations of a size of 40 with one outlier feature, as transformers have them, and keys of size 1. */
function batch(seed: number): Batch {
  const next = uniform(seed);
  // The sum of twelve uniform numbers less 6 has mean 0 and variance 1, and needs no library function whose last bit may differ.
  const normal = () => Array.from({ length: 12 }, next).reduce((a, b) => a + b, -6);
  const single = (v: number) => roundToFormat(v, float32);
  const x = Array.from({ length: ROWS * FEATURES }, (_, i) => single(normal() * (i % FEATURES === 3 ? 320 : 40)));
  return { x, keys: Array.from({ length: KEYS * FEATURES }, () => single(normal())) };
}

export const BATCHES: readonly Batch[] = [1, 2, 3].map(batch);

/** log sum exp of the row's scores, less the score of key 0, in doubles. */
export function exactLoss({ x, keys }: Batch): number[] {
  return Array.from({ length: ROWS }, (_, r) => {
    const row = x.slice(r * FEATURES, (r + 1) * FEATURES);
    const rms = Math.sqrt(row.reduce((a, v) => a + v * v, 0) / FEATURES);
    const scores = Array.from(
      { length: KEYS },
      (_, k) => row.reduce((a, v, i) => a + (v / rms) * (keys[k * FEATURES + i] as number), 0) / 4,
    );
    const m = Math.max(...scores);
    return m + Math.log(scores.reduce((a, s) => a + Math.exp(s - m), 0)) - (scores[0] as number);
  });
}

/** How far the loss of a row may be from the exact one. */
export const TARGET = 0.003;
