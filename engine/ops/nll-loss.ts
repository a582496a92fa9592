/** nll_loss: minus the log-probability of the target class, and its backward. cross_entropy is log_softmax followed by this. */
import { type HostTensor, isFloating, scalarTypeName } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { elementCount } from './broadcast';
import { notImplementedFor, rounder, store } from './elementwise';
import { type Attrs, defineOp, type TensorSpec, TorchError } from './record';
import { exactTolerance } from './reductions';
import { ceilLog2 } from './summation-order';

const NONE = 0;
const MEAN = 1;
const fail = (message: string, type: 'RuntimeError' | 'ValueError' | 'IndexError' = 'RuntimeError'): never => {
  throw new TorchError(type, message);
};

function checkNll(input: TensorSpec, target: TensorSpec, weight: TensorSpec | undefined): void {
  const rank = input.shape.length;
  if (rank === 0 || rank > 2) fail('input tensor should be 1D or 2D');
  if (target.shape.length > 1) fail('0D or 1D target tensor expected, multi-target not supported');
  if (rank === 1 && target.shape.length === 1 && target.shape[0] !== 1) {
    fail(`For 1D input, 1D target must have size 1, but got target size: ${target.shape[0]}`, 'ValueError');
  }
  const rows = target.shape.length === 0 ? undefined : target.shape[0];
  if (rank === 2 && rows !== input.shape[0]) {
    fail(`size mismatch (got input: [${input.shape.join(', ')}], target: [${target.shape.join(', ')}])`);
  }
  const classes = input.shape[rank - 1];
  if (weight && (weight.shape.length !== 1 || weight.shape[0] !== classes)) {
    fail(
      `weight tensor should be defined either for all ${classes} classes or no classes but got weight tensor of shape: [${weight.shape.join(', ')}]`,
    );
  }
  if (!isFloating(input.dtype)) throw notImplementedFor('nll_loss_out_frame', input.dtype);
  if (target.dtype !== 'int64' && target.dtype !== 'uint8') {
    fail(`expected target dtype to be Long or Byte, but got ${scalarTypeName[target.dtype]}`);
  }
  if (weight && weight.dtype !== input.dtype) {
    fail(`expected scalar type ${scalarTypeName[input.dtype]} but found ${scalarTypeName[weight.dtype]}`);
  }
}

/** Target of row i, or null if it is ignored. */
function targetOf(targets: ArrayLike<number>, i: number, classes: number, attrs: Attrs): number | null {
  const t = targets[i];
  if (t === attrs.ignore_index) return null;
  if (!(t >= 0 && t < classes)) fail(`Target ${t} is out of bounds.`, 'IndexError');
  return t;
}

/**
 * Losses and weights added in eight cascaded accumulators of the dtype itself (native/LossNLL.cpp): blocks of 16 rows (more for
 * batches of 2^40 on), each addition rounded. An ignored row skips its turn to carry.
 */
function cascadeTotals(input: HostTensor, targets: ArrayLike<number>, weights: ArrayLike<number> | null, attrs: Attrs) {
  const [rows, classes] = input.shape;
  const x = readElements(input);
  const round = rounder(input.dtype);
  const levels = 8;
  const power = Math.max(4, Math.floor(ceilLog2(rows) / levels));
  const mask = 2 ** power - 1;
  const loss = new Float64Array(levels);
  const weight = new Float64Array(levels);
  let ignored = 0;
  for (let i = 0; i < rows; i++) {
    const t = targetOf(targets, i, classes, attrs);
    if (t === null) {
      ignored++;
      continue;
    }
    const v = x[i * classes + t];
    loss[0] = round(loss[0] - (weights ? round(v * weights[t]) : v));
    if (weights) weight[0] = round(weight[0] + weights[t]);
    for (let j = 0; j + 1 < levels; j++) {
      // b & (mask << (j * power)), without 32-bit overflow
      if (Math.floor(i / 2 ** (j * power)) % (mask + 1) !== 0) break;
      loss[j + 1] = round(loss[j + 1] + loss[j]);
      weight[j + 1] = round(weight[j + 1] + weight[j]);
      loss[j] = 0;
      weight[j] = 0;
    }
  }
  const sum = (levelSums: Float64Array): number => levelSums.reduce((total, v) => round(total + v), 0);
  return { loss: sum(loss), weight: weights ? sum(weight) : round(rows - ignored) };
}

const attrsOf = (reduction: number, hasWeight = false): Attrs => ({
  reduction,
  ignore_index: -100,
  has_weight: hasWeight,
});
const logProbabilities = { shape: [3, 2], values: [-0.5, -1, -0.25, -3, -8, -0.125] };
const targets = { shape: [3], values: [1, 0, -100], dtype: 'int64' as const };

defineOp({
  name: 'nll_loss',
  doc: '-weight[t] * input[t] for log-probabilities of shape (C) or (N, C); the mean divides by the sum of weights. Rows whose target is ignore_index count nothing. Accumulates in the dtype.',
  params: 'input: Tensor, target: Tensor, weight: Tensor?, reduction: int, ignore_index: int',
  promotion: 'same',
  infer: ([input, target, weight], attrs) => {
    checkNll(input, target, weight);
    const each = attrs.reduction === NONE && input.shape.length === 2;
    return [{ dtype: input.dtype, shape: each ? [input.shape[0]] : [] }];
  },
  reference: ([input, target, weight], attrs, [out]) => {
    const t = readElements(target);
    const w = weight ? readElements(weight) : null;
    const x = readElements(input);
    const round = rounder(input.dtype);
    const classes = input.shape[input.shape.length - 1];
    if (input.shape.length === 2 && attrs.reduction !== NONE) {
      const totals = cascadeTotals(input, t, w, attrs);
      const value = attrs.reduction === MEAN ? totals.loss / totals.weight : totals.loss;
      return [store(out.dtype, Float64Array.of(value))];
    }
    const losses = new Float64Array(elementCount(out.shape));
    for (let i = 0; i < losses.length; i++) {
      const c = targetOf(t, i, classes, attrs);
      if (c !== null) losses[i] = w ? -round(x[i * classes + c] * w[c]) : -x[i * classes + c];
      if (input.shape.length === 1 && attrs.reduction === MEAN) losses[i] /= c === null ? 0 : w ? w[c] : 1;
    }
    return [store(out.dtype, losses)];
  },
  wgsl: { kind: 'kernel', kernel: 'nll' },
  gradName: 'NllLoss',
  refusesGrad: { name: 'nll_loss_forward', inputs: ['weight'] },
  gradient: {
    saves: { inputs: [1, 2] },
    backward: ({ b, inputs: [input, target, weight], attrs, gradOutput }) => [
      b.op('nll_loss_backward', [gradOutput, target, ...(weight ? [weight] : [])], {
        ...attrs,
        input_shape: input.shape,
      }),
      null,
      ...(weight ? [null] : []),
    ],
  },
  autocast: { cpu: 'fp32', cuda: 'fp32' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [logProbabilities, targets], attrs: attrsOf(1) },
    { inputs: [logProbabilities, targets], attrs: attrsOf(0) },
    { inputs: [logProbabilities, targets, { shape: [2], values: [0.5, 2] }], attrs: attrsOf(1, true) },
  ],
});

defineOp({
  name: 'nll_loss_backward',
  doc: '-weight[t] * grad (divided by the sum of weights for the mean) at the target classes, zero elsewhere.',
  params: 'grad_output: Tensor, target: Tensor, weight: Tensor?, reduction: int, ignore_index: int, input_shape: int[]',
  promotion: 'same',
  infer: ([grad], attrs) => [{ dtype: grad.dtype, shape: attrs.input_shape as readonly number[] }],
  reference: ([grad, target, weight], attrs, [out]) => {
    const t = readElements(target);
    const g = readElements(grad);
    const w = weight ? readElements(weight) : null;
    const round = rounder(out.dtype);
    const classes = out.shape[out.shape.length - 1];
    const rows = out.shape.length === 1 ? 1 : out.shape[0];
    const result = new Float64Array(elementCount(out.shape));
    let total = 1;
    if (attrs.reduction === MEAN) {
      const shape = [rows, classes];
      const blank = { dtype: out.dtype, shape, data: store(out.dtype, new Float64Array(rows * classes)) };
      total = cascadeTotals(blank, t, w, attrs).weight;
    }
    const each = attrs.reduction === NONE && out.shape.length === 2;
    for (let i = 0; i < rows; i++) {
      const c = targetOf(t, i, classes, attrs);
      if (c === null) continue;
      const v = each ? g[i] : round(g[0] / total);
      result[i * classes + c] = w ? -round(v * w[c]) : -v;
    }
    return [store(out.dtype, result)];
  },
  wgsl: { kind: 'kernel', kernel: 'nll backward' },
  gradName: 'NllLossBackward',
  gradient: {
    saves: { inputs: [1, 2] },
    backward: ({ b, inputs: [, target, weight], attrs, gradOutput }) => {
      const { input_shape: _, ...forward } = attrs;
      return [
        b.op('nll_loss', [gradOutput, target, ...(weight ? [weight] : [])], forward),
        null,
        ...(weight ? [null] : []),
      ];
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [{ shape: [], values: [1] }, targets], attrs: { ...attrsOf(1), input_shape: [3, 2] } },
    { inputs: [{ shape: [3], values: [1, 2, 3] }, targets], attrs: { ...attrsOf(0), input_shape: [3, 2] } },
  ],
});
