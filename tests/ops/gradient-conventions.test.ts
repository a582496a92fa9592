/**
 * Gradients where calculus doesn't decide, or dividing would give NaN: ties, zeros, infinities, one element. Every expected value is
 * PyTorch 2.13's own (`code` run there on float32). And second derivatives, which create_graph needs.
 */
import { describe, expect, test } from 'vitest';
import { BackwardRun } from '@/engine/core/autograd';
import { fromValues } from '@/engine/core/creation';
import type { Tensor } from '@/engine/core/tensor';
import '@/engine/ops';
import type { Attrs } from '@/engine/ops/record';
import { createBridge } from '@/engine/session/bridge';

const { engine } = createBridge();
const vector = (values: readonly number[], dtype: 'float32' | 'int64' = 'float32', shape = [values.length]): Tensor =>
  fromValues(engine, [...values], dtype, 'cpu', shape);

function grad(y: Tensor, x: Tensor, createGraph = false): Tensor | null {
  const run = new BackwardRun(engine, {
    outputs: [y],
    grads: [fromValues(engine, new Array(y.shape.reduce((n, d) => n * d, 1)).fill(1), y.dtype, 'cpu', [...y.shape])],
    inputs: [x],
    retainGraph: createGraph,
    createGraph,
    accumulate: false,
    allowUnused: true,
  });
  run.resume();
  return run.results[0];
}

const INF = Infinity;
const NAN = Number.NaN;
const full = { dim: null, keepdim: false };
const along = { dim: [0], keepdim: false };

interface Convention {
  readonly code: string;
  readonly op: string;
  readonly x: readonly number[];
  readonly attrs?: Attrs;
  /** A further input, made when it is needed. */
  readonly others?: () => Tensor;
  readonly gradient: readonly number[] | null;
}

const conventions: readonly Convention[] = [
  { code: 'x.max()', op: 'max', x: [1, 3, 3, 2], gradient: [0, 0.5, 0.5, 0] },
  { code: 'x.min()', op: 'min', x: [2, 1, 1, 1], gradient: [0, 1 / 3, 1 / 3, 1 / 3] },
  { code: 'x.max() with NaN', op: 'max', x: [NAN, 3, NAN], gradient: [0.5, 0, 0.5] },
  {
    code: 'x.max(0).values',
    op: 'max_dim',
    x: [1, 3, 3, 2],
    attrs: { dim: 0, keepdim: false },
    gradient: [0, 1, 0, 0],
  },
  { code: 'x.amax(0)', op: 'amax', x: [1, 3, 3, 2], attrs: along, gradient: [0, 0.5, 0.5, 0] },
  { code: 'x.amax() with NaN', op: 'amax', x: [NAN, 3], attrs: full, gradient: [NAN, NAN] },
  {
    code: 'x.norm() of zeros',
    op: 'linalg_vector_norm',
    x: [0, 0],
    attrs: { ord: 2, dtype: null, ...full },
    gradient: [0, 0],
  },
  {
    code: 'x.norm(1)',
    op: 'linalg_vector_norm',
    x: [0, -2],
    attrs: { ord: 1, dtype: null, ...full },
    gradient: [0, -1],
  },
  {
    code: 'x.norm(inf)',
    op: 'linalg_vector_norm',
    x: [2, -2, 1],
    attrs: { ord: INF, dtype: null, ...full },
    gradient: [0.5, -0.5, 0],
  },
  {
    code: 'x.norm(3) of zeros',
    op: 'linalg_vector_norm',
    x: [0, 0],
    attrs: { ord: 3, dtype: null, ...full },
    gradient: [0, 0],
  },
  {
    code: 'x.norm(3)',
    op: 'linalg_vector_norm',
    x: [1, -2],
    attrs: { ord: 3, dtype: null, ...full },
    gradient: [0.23112042248249054, -0.9244816899299622],
  },
  {
    code: 'x.norm(.5)',
    op: 'linalg_vector_norm',
    x: [4, 0],
    attrs: { ord: 0.5, dtype: null, ...full },
    gradient: [1, 0],
  },
  {
    code: 'x.norm(1.5)',
    op: 'linalg_vector_norm',
    x: [0, 4],
    attrs: { ord: 1.5, dtype: null, ...full },
    gradient: [0, 1],
  },
  { code: 'x.norm(0)', op: 'linalg_vector_norm', x: [1, 0], attrs: { ord: 0, dtype: null, ...full }, gradient: null },
  { code: 'x.prod() with a zero', op: 'prod', x: [2, 0, 3], attrs: { dtype: null, ...full }, gradient: [0, 6, 0] },
  { code: 'x.prod() with two zeros', op: 'prod', x: [0, 0, 3], attrs: { dtype: null, ...full }, gradient: [0, 0, 0] },
  { code: 'x.prod()', op: 'prod', x: [2, 5, 3], attrs: { dtype: null, ...full }, gradient: [15, 6, 10] },
  {
    code: 'x.cumprod(0) with a zero',
    op: 'cumprod',
    x: [2, 0, 3, 4],
    attrs: { dim: 0, dtype: null },
    gradient: [1, 32, 0, 0],
  },
  { code: 'x.cumprod(0)', op: 'cumprod', x: [2, 1, 3, 4], attrs: { dim: 0, dtype: null }, gradient: [17, 32, 10, 6] },
  { code: 'x.std() of one', op: 'std', x: [5], attrs: { correction: 1, ...full }, gradient: [NAN] },
  { code: 'x.var() of one', op: 'var', x: [5], attrs: { correction: 1, ...full }, gradient: [NAN] },
  { code: 'x.var(unbiased=False) of one', op: 'var', x: [5], attrs: { correction: 0, ...full }, gradient: [0] },
  { code: 'x.std() of equals', op: 'std', x: [2, 2], attrs: { correction: 1, ...full }, gradient: [0, 0] },
  { code: 'x.logsumexp(0) of -inf', op: 'logsumexp', x: [-INF, -INF], attrs: along, gradient: [NAN, NAN] },
  { code: 'x.logsumexp(0) with inf', op: 'logsumexp', x: [INF, 1], attrs: along, gradient: [NAN, 0] },
  {
    code: 'F.l1_loss(x, zeros)',
    op: 'l1_loss',
    x: [0, -1, 2],
    others: () => vector([0, 0, 0]),
    attrs: { reduction: 1 },
    gradient: [0, -1 / 3, 1 / 3],
  },
  {
    code: "F.huber_loss(x, zeros, 'sum')",
    op: 'huber_loss',
    x: [1, -1, 0.5],
    others: () => vector([0, 0, 0]),
    attrs: { reduction: 2, delta: 1 },
    gradient: [1, -1, 0.5],
  },
  {
    code: "F.binary_cross_entropy(x, [0, 1], 'sum')",
    op: 'binary_cross_entropy',
    x: [1, 0],
    others: () => vector([0, 1]),
    attrs: { reduction: 2, has_weight: false },
    gradient: [999999995904, -999999995904],
  },
  {
    code: 'F.cosine_similarity(zeros, ones, 0)',
    op: 'cosine_similarity',
    x: [0, 0],
    others: () => vector([1, 1]),
    attrs: { dim: 0, eps: 1e-8 },
    gradient: [70710680, 70710680],
  },
  {
    code: 'x[[0, 0, 1]]',
    op: 'index',
    x: [1, 2],
    others: () => vector([0, 0, 1], 'int64'),
    attrs: { dims: [0] },
    gradient: [2, 1],
  },
  {
    code: 'x.gather(0, [1, 1, 1])',
    op: 'gather',
    x: [1, 2],
    others: () => vector([1, 1, 1], 'int64'),
    attrs: { dim: 0 },
    gradient: [0, 3],
  },
];

describe('the gradient that PyTorch has chosen', () => {
  for (const { code, op, x, attrs, others, gradient } of conventions) {
    test(`${code} at ${x.join(', ')}`, () => {
      const leaf = vector(x);
      leaf.requiresGradFlag = true;
      const [y] = engine.op(op, [leaf, ...(others ? [others()] : [])], attrs);
      const result = grad(y, leaf);
      const got = result && Array.from(engine.readNow(result));
      expect(got).toEqual(gradient?.map(Math.fround) ?? null);
    });
  }
});

const second: readonly (Omit<Convention, 'gradient'> & {
  readonly secondGradient: readonly number[];
  readonly shape?: number[];
})[] = [
  {
    code: 'F.mse_loss(x, zeros)',
    op: 'mse_loss',
    x: [1, 2, 4],
    others: () => vector([0, 0, 0]),
    attrs: { reduction: 1 },
    secondGradient: [0.8888888955116272, 1.7777777910232544, 3.555555582046509],
  },
  {
    code: 'F.smooth_l1_loss(x, …)',
    op: 'smooth_l1_loss',
    x: [1, 2, 4],
    others: () => vector([0.5, 5, 3.5]),
    attrs: { reduction: 1, beta: 1 },
    secondGradient: [0.1111111119389534, 0, 0.1111111119389534],
  },
  { code: 'x.prod()', op: 'prod', x: [1, 2, 4], attrs: { dtype: null, ...full }, secondGradient: [40, 68, 40] },
  {
    code: 'x.logsumexp(0)',
    op: 'logsumexp',
    x: [1, 2, 4],
    attrs: along,
    secondGradient: [-0.05753571167588234, -0.13991189002990723, 0.19744765758514404],
  },
];

describe('the derivative of the squared gradient is PyTorch’s too', () => {
  for (const { code, op, x, attrs, others, secondGradient } of second) {
    test(code, () => {
      const leaf = vector(x);
      leaf.requiresGradFlag = true;
      const [y] = engine.op(op, [leaf, ...(others ? [others()] : [])], attrs);
      const first = grad(y, leaf, true) as Tensor;
      const [square] = engine.op('mul', [first, first]);
      const result = grad(engine.op('sum', [square], { ...full, dtype: null })[0], leaf) as Tensor;
      Array.from(engine.readNow(result)).forEach((v, i) => {
        expect(Math.abs(v - secondGradient[i])).toBeLessThanOrEqual(2e-6 * Math.max(1, Math.abs(secondGradient[i])));
      });
    });
  }
});
