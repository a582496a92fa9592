/**
 * Losses between a prediction and a target of the same shape. `reduction` is PyTorch's number: 0 none, 1 mean, 2 sum. The loss of each
 * element is rounded to the dtype first; the mean and the sum of 16-bit losses then accumulate in float32.
 */
import { type DType, type HostData, type HostTensor, isFloating, isHalf, scalarTypeName } from '../formats/dtype';
import { type Elements, readElements } from '../formats/host-elements';
import { broadcastPair, elementCount, flatOperand } from './broadcast';
import { notImplementedFor, rounder, store } from './elementwise';
import {
  type Attrs,
  type Builder,
  defineOp,
  type OpRecord,
  opTable,
  type Sample,
  type TensorSpec,
  TorchError,
  type Value,
  type WgslSource,
} from './record';
import { exactTolerance, sumOver } from './reductions';

const NONE = 0;
const MEAN = 1;
const losses32 = {
  autocast: { cpu: 'fp32', cuda: 'fp32' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
} as const;

/** Applies the reduction to the losses of single elements, already rounded to the dtype. */
export function reduceLoss(elements: Float64Array, out: TensorSpec, reduction: number): HostData {
  const { dtype } = out;
  if (reduction === NONE) return store(dtype, elements);
  if (!isFloating(dtype)) return store(dtype, Float64Array.of(elements.reduce((total, v) => total + v, 0)));
  const single = dtype !== 'float64';
  // The mean of 16-bit losses is taken of float32 copies, in float32's order.
  const working: DType = isHalf(dtype) && reduction === MEAN ? 'float32' : dtype;
  const x = single ? Float32Array.from(elements) : elements;
  const total = sumOver(x, [x.length], [0], working);
  if (reduction === MEAN) total[0] = total[0] / elements.length;
  return store(dtype, total);
}

const lossShape = (shape: readonly number[], attrs: Attrs): readonly number[] =>
  attrs.reduction === NONE ? shape : [];

/** How a kernel rounds: `round` to the dtype, `step` to float32 (to nothing for float64). ATen's kernels differ in which they do. */
interface Rounding {
  readonly dtype: DType;
  readonly round: (v: number) => number;
  readonly step: (v: number) => number;
}

function roundingOf(dtype: DType): Rounding {
  const round = rounder(dtype);
  return { dtype, round, step: isHalf(dtype) ? Math.fround : round };
}

/** Elementwise loss of a and b. */
type PairLoss = (a: number, b: number, r: Rounding, attrs: Attrs) => number;

function pairLoss(input: HostTensor, target: HostTensor, attrs: Attrs, loss: PairLoss): Float64Array {
  const shape = broadcastPair(input.shape, target.shape);
  const n = elementCount(shape);
  const a = flatOperand(readElements(input), input.shape, shape);
  const b = flatOperand(readElements(target), target.shape, shape);
  const rounding = roundingOf(input.dtype);
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++)
    out[i] = rounding.round(loss(a.values[i * a.step], b.values[i * b.step], rounding, attrs));
  return out;
}

/** A loss with a backward kernel of its own, (grad, input, target) -> gradient of input. The target's gradient is its negative. */
function pairwise(options: {
  readonly name: string;
  readonly doc: string;
  readonly params?: string;
  readonly kernel: string;
  readonly gradName: string;
  readonly check?: (attrs: Attrs) => void;
  readonly loss: PairLoss;
  /** Gradient of one element's loss times norm * grad; `norm` is 1 / n for the mean. */
  readonly slope: (a: number, b: number, grad: number, norm: number, r: Rounding, attrs: Attrs) => number;
  /** Second derivative by a at a - b = d, for create_graph: a Value from the difference. */
  /** Derivative of the slope by a, for norm * grad = 1 and a - b = d: what create_graph needs. */
  readonly curvature: (b: Builder, d: Value, attrs: Attrs) => Value | number;
  readonly attrs?: Attrs;
  readonly wgsl?: { readonly forward: WgslSource; readonly backward: WgslSource };
}): void {
  const { name, loss, slope } = options;
  const extra = options.params ? `, ${options.params}` : '';
  const samples: readonly Sample[] = [0, 1, 2].map((reduction) => ({
    inputs: [
      { shape: [2, 2], values: [0.5, -3, 1, 200] },
      { shape: [2, 2], values: [0, 1, 1, 300] },
    ],
    attrs: { reduction, ...options.attrs },
  }));
  defineOp({
    name,
    doc: options.doc,
    params: `input: Tensor, target: Tensor, reduction: int${extra}`,
    promotion: 'promote',
    infer: ([input, target], attrs) => {
      options.check?.(attrs);
      const shape = broadcastPair(input.shape, target.shape);
      if (!isFloating(input.dtype)) throw notImplementedFor(options.kernel, input.dtype);
      return [{ dtype: input.dtype, shape: lossShape(shape, attrs) }];
    },
    reference: ([input, target], attrs, [out]) => [
      reduceLoss(pairLoss(input, target, attrs, loss), out, attrs.reduction as number),
    ],
    wgsl: options.wgsl?.forward ?? 'host',
    gradName: options.gradName,
    gradient: {
      saves: { inputs: [0, 1] },
      backward: ({ b, inputs: [input, target], attrs, gradOutput, needs }) => {
        const grad = b.op(`${name}_backward`, [gradOutput, input, target], attrs);
        return [needs[0] ? grad : null, needs[1] ? b.neg(grad) : null];
      },
    },
    ...losses32,
    samples,
  });
  defineOp({
    name: `${name}_backward`,
    doc: `Gradient of ${name} for its input.`,
    params: `grad_output: Tensor, input: Tensor, target: Tensor, reduction: int${extra}`,
    promotion: 'promote',
    infer: ([, input, target]) => [{ dtype: input.dtype, shape: broadcastPair(input.shape, target.shape) }],
    reference: ([grad, input, target], attrs, [out]) => {
      const n = elementCount(out.shape);
      const [g, a, t] = [grad, input, target].map((x) => flatOperand(readElements(x), x.shape, out.shape));
      const norm = attrs.reduction === MEAN ? 1 / n : 1;
      const rounding = roundingOf(input.dtype);
      const result = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        result[i] = slope(a.values[i * a.step], t.values[i * t.step], g.values[i * g.step], norm, rounding, attrs);
      }
      return [store(out.dtype, result)];
    },
    wgsl: options.wgsl?.backward ?? 'host',
    gradient: {
      saves: { inputs: [0, 1, 2] },
      backward: ({ b, inputs: [grad, input, target], attrs, gradOutput, needs }) => {
        // The kernel is linear in grad: its derivative there is the kernel with grad = 1.
        const unit = b.op(`${name}_backward`, [b.full(input, [], 1), input, target], attrs);
        const norm = attrs.reduction === MEAN ? 1 / elementCount(unit.shape) : 1;
        const bend = options.curvature(b, b.sub(input, target), attrs);
        const dInput = b.mul(b.mul(b.mul(gradOutput, grad), norm), bend);
        return [needs[0] ? b.mul(gradOutput, unit) : null, needs[1] ? dInput : null, needs[2] ? b.neg(dInput) : null];
      },
    },
    autocast: { cpu: 'none', cuda: 'none' },
    tolerance: losses32.tolerance,
    samples: samples.map((s) => ({
      ...s,
      inputs: [
        s.attrs?.reduction === 0 ? { shape: [2, 2], values: [1, 2, 3, 4] } : { shape: [], values: [1] },
        ...s.inputs,
      ],
    })),
  });
}

pairwise({
  name: 'mse_loss',
  wgsl: { forward: { kind: 'kernel', kernel: 'mse' }, backward: { kind: 'kernel', kernel: 'mse backward' } },
  doc: '(input - target)^2; the difference and its square are each rounded.',
  kernel: 'mse_cpu',
  gradName: 'MseLoss',
  loss: (a, b, { round }) => {
    const d = round(a - b);
    return d * d;
  },
  slope: (a, b, grad, norm, { round }) => round(round(round(2 * norm) * round(a - b)) * grad),
  curvature: () => 2,
});

const checkBeta = (attrs: Attrs): void => {
  if ((attrs.beta as number) < 0) {
    throw new TorchError('RuntimeError', 'smooth_l1_loss does not support negative values for beta.');
  }
};

pairwise({
  name: 'smooth_l1_loss',
  doc: 'd^2 / (2 beta) where |d| < beta, else |d| - beta / 2, for d = input - target.',
  params: 'beta: float',
  kernel: 'smooth_l1_cpu',
  gradName: 'SmoothL1Loss',
  check: checkBeta,
  attrs: { beta: 1 },
  loss: (a, b, { dtype, round, step }, attrs) => {
    const q = dtype === 'bfloat16' ? step : round; // ATen computes bfloat16 in float32, float16 step by step
    const beta = q(attrs.beta as number);
    const z = Math.abs(q(a - b));
    return z < beta ? q(q(q(0.5 * z) * z) / beta) : z - q(0.5 * beta);
  },
  slope: (a, b, grad, norm, { step }, attrs) => {
    const beta = attrs.beta as number;
    const n = step(norm);
    const x = step(a - b);
    if (x <= -beta) return -n * grad;
    if (x >= beta) return n * grad;
    return step(step(n * x) * grad) / beta;
  },
  curvature: (b, d, attrs) => {
    const beta = attrs.beta as number;
    return b.where(b.lt(b.op('abs', [d]), beta), b.full(d, [], 1 / beta), b.full(d, [], 0));
  },
});

pairwise({
  name: 'huber_loss',
  doc: 'd^2 / 2 where |d| < delta, else delta * (|d| - delta / 2), for d = input - target.',
  params: 'delta: float',
  kernel: 'huber_cpu',
  gradName: 'HuberLoss',
  check: (attrs) => {
    if (!((attrs.delta as number) > 0)) {
      throw new TorchError('RuntimeError', 'huber_loss does not support non-positive values for delta.');
    }
  },
  attrs: { delta: 1 },
  loss: (a, b, { dtype, round, step }, attrs) => {
    const q = dtype === 'float16' ? step : round; // ATen computes float16 in float32, bfloat16 step by step
    const delta = q(attrs.delta as number);
    const z = Math.abs(q(a - b));
    return z < delta ? q(q(0.5 * z) * z) : q(delta * q(z - q(0.5 * delta)));
  },
  slope: (a, b, grad, norm, { round }, attrs) => {
    const delta = attrs.delta as number;
    const n = round(norm);
    const x = round(a - b);
    if (x <= -delta) return round(-n * grad) * delta;
    if (x >= delta) return round(n * grad) * delta;
    return round(n * x) * grad;
  },
  curvature: (b, d, attrs) =>
    b.where(b.lt(b.op('abs', [d]), attrs.delta as number), b.full(d, [], 1), b.full(d, [], 0)),
});

/** Runs a registered op's reference on host tensors of one dtype: for losses that PyTorch composes of other ops. */
export function runReference(name: string, inputs: readonly HostTensor[], attrs: Attrs = {}): HostTensor {
  const record = opTable.get(name) as OpRecord;
  const outputs = record.infer(inputs, attrs);
  return { ...outputs[0], data: record.reference(inputs, attrs, outputs)[0] };
}
const number = (value: number, dtype: DType): HostTensor => ({
  dtype,
  shape: [],
  data: store(dtype, Float64Array.of(value)),
});

defineOp({
  name: 'l1_loss',
  doc: '|input - target|. Integer losses can be summed or left alone, not averaged.',
  params: 'input: Tensor, target: Tensor, reduction: int',
  promotion: 'promote',
  infer: ([input, target], attrs) => {
    const shape = broadcastPair(input.shape, target.shape);
    if (attrs.reduction === MEAN && !isFloating(input.dtype)) {
      const got = scalarTypeName[input.dtype];
      const text = 'Input dtype must be either a floating point or complex dtype.';
      throw new TorchError('RuntimeError', `mean(): could not infer output dtype. ${text} Got: ${got}`);
    }
    return [{ dtype: input.dtype, shape: lossShape(shape, attrs) }];
  },
  reference: ([input, target], attrs, [out]) => {
    const distance: PairLoss = (a, b, { round }) => Math.abs(round(a - b));
    return [reduceLoss(pairLoss(input, target, attrs, distance), out, attrs.reduction as number)];
  },
  wgsl: 'host',
  gradName: 'L1Loss',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [input, target], attrs, gradOutput, needs }) => {
      const difference = b.sub(input, target);
      const count = elementCount(difference.shape);
      const each = attrs.reduction === MEAN ? b.div(b.expand(gradOutput, difference.shape), count) : gradOutput;
      const grad = b.mul(b.op('sign', [difference]), each);
      return [needs[0] ? grad : null, needs[1] ? b.neg(grad) : null];
    },
  },
  ...losses32,
  samples: [0, 1, 2].map((reduction) => ({
    inputs: [
      { shape: [3], values: [0.5, -3, 1] },
      { shape: [3], values: [0, 1, 1] },
    ],
    attrs: { reduction },
  })),
});

// --- binary cross entropy ---

const checkSameDtype = (expected: TensorSpec, other: TensorSpec | undefined): void => {
  if (other && other.dtype !== expected.dtype) {
    throw new TorchError(
      'RuntimeError',
      `Found dtype ${scalarTypeName[other.dtype]} but expected ${scalarTypeName[expected.dtype]}`,
    );
  }
};

const outside = (x: Elements): boolean => {
  for (let i = 0; i < x.length; i++) if (!(x[i] >= 0 && x[i] <= 1)) return true;
  return false;
};

/** At least -100: what keeps the loss of a wrong certainty finite. */
const bounded = (log: number): number => Math.max(log, -100);

defineOp({
  name: 'binary_cross_entropy',
  doc: '-weight * (t log p + (1 - t) log(1 - p)), logarithms bounded below by -100. Errors: p or t outside [0, 1].',
  params: 'input: Tensor, target: Tensor, weight: Tensor?, reduction: int',
  promotion: 'same',
  infer: ([input, target, weight], attrs) => {
    checkSameDtype(input, target);
    checkSameDtype(input, weight);
    if (!isFloating(input.dtype)) throw notImplementedFor('binary_cross_entropy', input.dtype);
    return [{ dtype: input.dtype, shape: lossShape(input.shape, attrs) }];
  },
  reference: ([input, target, weight], attrs, [out]) => {
    const p = readElements(input);
    const t = readElements(target);
    const w = weight && flatOperand(readElements(weight), weight.shape, input.shape);
    if (outside(p)) throw new TorchError('RuntimeError', 'all elements of input should be between 0 and 1');
    if (outside(t)) throw new TorchError('RuntimeError', 'all elements of target should be between 0 and 1');
    const round = rounder(input.dtype);
    const loss = new Float64Array(p.length);
    for (let i = 0; i < p.length; i++) {
      const missed = round(round(t[i] - 1) * bounded(round(Math.log1p(-p[i]))));
      loss[i] = round(missed - round(t[i] * bounded(round(Math.log(p[i])))));
      if (w) loss[i] = round(loss[i] * w.values[i * w.step]);
    }
    return [reduceLoss(loss, out, attrs.reduction as number)];
  },
  wgsl: 'host',
  gradName: 'BinaryCrossEntropy',
  refusesGrad: { name: 'binary_cross_entropy', inputs: ['weight'] },
  gradient: {
    saves: { inputs: [0, 1, 2] },
    backward: ({ b, inputs: [input, target, weight], attrs, gradOutput, needs }) => {
      const rest: Value[] = weight ? [weight] : [];
      const grads: (Value | null)[] = [
        needs[0] ? b.op('binary_cross_entropy_backward', [gradOutput, input, target, ...rest], attrs) : null,
      ];
      if (needs[1]) {
        // d/dt: log(1 - p) - log p
        const slope = b.sub(b.op('log', [b.op('rsub', [input, 1])]), b.op('log', [input]));
        const weighted = b.mul(weight ? b.mul(slope, weight) : slope, gradOutput);
        grads.push(attrs.reduction === MEAN ? b.div(weighted, elementCount(input.shape)) : weighted);
      } else grads.push(null);
      if (weight) grads.push(null);
      return grads;
    },
  },
  autocast: { cpu: 'fp32', cuda: 'banned' },
  tolerance: { half: exactTolerance, float32: { ulp: 2, source: 'log of the vendor library' } },
  samples: [0, 1, 2].map((reduction) => ({
    inputs: [
      { shape: [4], values: [0.5, 0, 1, 0.9] },
      { shape: [4], values: [1, 1, 1, 0] },
    ],
    attrs: { reduction, has_weight: false },
  })),
});

defineOp({
  name: 'binary_cross_entropy_backward',
  doc: 'grad * (p - t) / max(p (1 - p), 1e-12), times the weight, divided by n for the mean.',
  params: 'grad_output: Tensor, input: Tensor, target: Tensor, weight: Tensor?, reduction: int',
  promotion: 'same',
  infer: ([, input]) => [{ dtype: input.dtype, shape: input.shape }],
  reference: ([grad, input, target, weight], attrs, [out]) => {
    const n = elementCount(out.shape);
    const [g, p, t] = [grad, input, target].map((x) => flatOperand(readElements(x), x.shape, out.shape));
    const w = weight && flatOperand(readElements(weight), weight.shape, out.shape);
    const round = rounder(out.dtype);
    const floor = round(1e-12); // EPSILON of native/Loss.cpp
    const result = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const x = p.values[i];
      const spread = Math.max(round(round(1 - x) * x), floor);
      let v = round(round(g.values[i * g.step] * round(x - t.values[i])) / spread);
      if (w) v = round(v * w.values[i * w.step]);
      result[i] = attrs.reduction === MEAN ? v / n : v;
    }
    return [store(out.dtype, result)];
  },
  wgsl: 'host',
  gradient: {
    saves: { inputs: [0, 1, 2, 3] },
    backward: ({ b, inputs: [grad, input, target, weight], attrs, gradOutput, needs }) => {
      const scale = (v: Value): Value => {
        const weighted = weight ? b.mul(b.mul(gradOutput, v), weight) : b.mul(gradOutput, v);
        return attrs.reduction === MEAN ? b.div(weighted, elementCount(input.shape)) : weighted;
      };
      const rest = b.op('rsub', [input, 1]);
      const spread = b.op('clamp', [b.mul(rest, input), b.full(input, [], 1e-12)], { has_min: true, has_max: false });
      const grads: (Value | null)[] = [
        needs[0] ? scale(b.div(b.sub(input, target), spread)) : null,
        // d/dp (p - t) / (p (1 - p)) = t / p^2 + (1 - t) / (1 - p)^2
        needs[1]
          ? b.mul(
              scale(b.add(b.div(target, b.mul(input, input)), b.div(b.op('rsub', [target, 1]), b.mul(rest, rest)))),
              grad,
            )
          : null,
        needs[2] ? b.neg(b.mul(scale(b.div(b.full(input, [], 1), spread)), grad)) : null,
      ];
      return weight ? [...grads, null] : grads;
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    {
      inputs: [
        { shape: [], values: [1] },
        { shape: [3], values: [0.5, 0, 0.9] },
        { shape: [3], values: [1, 1, 0] },
      ],
      attrs: { reduction: 1, has_weight: false },
    },
    {
      inputs: [
        { shape: [3], values: [1, 2, 3] },
        { shape: [3], values: [0.5, 0.25, 0.9] },
        { shape: [3], values: [1, 1, 0] },
        { shape: [3], values: [0.5, 2, 1] },
      ],
      attrs: { reduction: 0, has_weight: true },
    },
  ],
  refusesGrad: { name: 'binary_cross_entropy_backward', inputs: ['weight'] },
});

/** Inputs after (input, target): which of weight and pos_weight are there. */
function logitsOptions<T>(rest: readonly T[], attrs: Attrs): { readonly weight?: T; readonly posWeight?: T } {
  const weight = attrs.has_weight === true ? rest[0] : undefined;
  const posWeight = attrs.has_pos_weight === true ? rest[weight ? 1 : 0] : undefined;
  return { ...(weight && { weight }), ...(posWeight && { posWeight }) };
}

defineOp({
  name: 'binary_cross_entropy_with_logits',
  doc: '(1 - t) x - (1 + (pos_weight - 1) t) log sigmoid(x), times the weight. Every step is an op of its own, rounded to the dtype.',
  params: 'input: Tensor, target: Tensor, weight: Tensor?, pos_weight: Tensor?, reduction: int',
  promotion: 'promote',
  infer: ([input, target], attrs) => {
    if (!isFloating(input.dtype)) throw notImplementedFor('log_sigmoid_cpu', input.dtype);
    return [{ dtype: input.dtype, shape: lossShape(broadcastPair(input.shape, target.shape), attrs) }];
  },
  reference: ([input, target, ...rest], attrs, [out]) => {
    const { weight, posWeight } = logitsOptions(rest, attrs);
    const one = number(1, input.dtype);
    let logSigmoid = runReference('log_sigmoid', [input]);
    if (posWeight) {
      const factor = runReference('add', [runReference('mul', [runReference('sub', [posWeight, one]), target]), one]);
      logSigmoid = runReference('mul', [logSigmoid, factor]);
    }
    let loss = runReference('sub', [runReference('mul', [runReference('sub', [one, target]), input]), logSigmoid]);
    if (weight) loss = runReference('mul', [loss, weight]);
    return [reduceLoss(Float64Array.from(readElements(loss)), out, attrs.reduction as number)];
  },
  wgsl: 'host',
  gradName: 'BinaryCrossEntropyWithLogits',
  refusesGrad: { name: 'binary_cross_entropy_with_logits', inputs: ['weight', 'pos_weight'] },
  gradient: {
    saves: { inputs: [0, 1, 2, 3] },
    backward: ({ b, inputs: [input, target, ...rest], attrs, gradOutput, needs }) => {
      const { weight, posWeight } = logitsOptions(rest, attrs);
      const sigmoid = b.op('sigmoid', [input]);
      const finish = (v: Value): Value => {
        const weighted = weight ? b.mul(b.mul(v, gradOutput), weight) : b.mul(v, gradOutput);
        return attrs.reduction === MEAN ? b.div(weighted, elementCount(input.shape)) : weighted;
      };
      const grads: (Value | null)[] = [null, null, ...rest.map(() => null)];
      if (needs[0]) {
        const t = posWeight ? b.mul(posWeight, target) : null;
        // (1 + p t - t) sigmoid(x) - p t, which is sigmoid(x) - t for p = 1
        grads[0] = finish(t ? b.sub(b.mul(b.sub(b.add(t, 1), target), sigmoid), t) : b.sub(sigmoid, target));
      }
      if (needs[1]) {
        const logSigmoid = b.op('log_sigmoid', [input]);
        const positive = posWeight ? b.mul(logSigmoid, b.sub(posWeight, 1)) : null;
        grads[1] = finish(b.neg(positive ? b.add(input, positive) : input));
      }
      return grads;
    },
  },
  ...losses32,
  tolerance: { half: exactTolerance, float32: { ulp: 2, source: 'exp and log1p of the vendor library' } },
  samples: [0, 1, 2].map((reduction) => ({
    inputs: [
      { shape: [4], values: [0.5, -30, 100, -1000] },
      { shape: [4], values: [1, 1, 0, 0] },
    ],
    attrs: { reduction, has_weight: false, has_pos_weight: false },
  })),
});
