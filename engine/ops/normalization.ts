/** layer_norm with its backward, rms_norm, cosine_similarity. Statistics are float32 for 16-bit and float32 inputs. */
import { type HostData, type HostTensor, isFloating, isHalf, scalarTypeName } from '../formats/dtype';
import { fma32 } from '../formats/float32-arithmetic';
import { readElements } from '../formats/host-elements';
import { broadcastPair, elementCount, flatOperand, sameShape } from './broadcast';
import { normalizeDim } from './dimensions';
import { notImplementedFor, rounder, store } from './elementwise';
import { runReference as run } from './losses';
import { type Attrs, type Builder, defineOp, type TensorSpec, TorchError, type Value } from './record';
import { accumulands, exactTolerance, sumOver } from './reductions';
import { dotLanes, type Floats, momentsOf } from './summation-order';

const fail = (message: string): never => {
  throw new TorchError('RuntimeError', message);
};
const list = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Checks that the input ends in normalized_shape and that parameters have it. `gap`: rms_norm's text lacks a comma and a space. */
function checkNormalized(
  input: TensorSpec,
  shape: readonly number[],
  weight: TensorSpec | undefined,
  bias: TensorSpec | undefined,
  gap: string,
): void {
  if (shape.length === 0) {
    fail(
      `Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []`,
    );
  }
  for (const [name, parameter] of [
    ['weight', weight],
    ['bias', bias],
  ] as const) {
    if (parameter && !sameShape(parameter.shape, shape)) {
      fail(
        `Expected ${name} to be of same shape as normalized_shape, but got ${name} of shape ${list(parameter.shape)} and normalized_shape = ${list(shape)}`,
      );
    }
  }
  const tail = input.shape.slice(Math.max(0, input.shape.length - shape.length));
  if (input.shape.length < shape.length || !sameShape(tail, shape)) {
    fail(
      `Given normalized_shape=${list(shape)}, expected input with shape [*${gap}${shape.join(', ')}], but got input of size${list(input.shape)}`,
    );
  }
}

function parametersOf<T>(rest: readonly T[], attrs: Attrs): { readonly weight?: T; readonly bias?: T } {
  const weight = attrs.has_weight === true ? rest[0] : undefined;
  const bias = attrs.has_bias === true ? rest[weight ? 1 : 0] : undefined;
  return { ...(weight && { weight }), ...(bias && { bias }) };
}

/** 16-bit inputs may have float32 parameters, all of them; otherwise dtypes must agree (native/cpu/mixed_data_type.h). */
function checkMixed(input: TensorSpec, weight: TensorSpec | undefined, bias: TensorSpec | undefined): void {
  const other = [weight, bias].find((p) => p && p.dtype !== input.dtype);
  if (!other) return;
  if (input.dtype === 'float64') fail('mixed dtype (CPU): all inputs must share same datatype.');
  if (isHalf(input.dtype)) {
    if (weight && weight.dtype === input.dtype && bias)
      fail(`expected scalar type ${scalarTypeName[input.dtype]} but found ${scalarTypeName[bias.dtype]}`);
    if ([weight, bias].every((p) => !p || p.dtype === 'float32')) return;
  }
  fail('mixed dtype (CPU): expect parameter to have scalar type of Float');
}

const normalizedShape = (attrs: Attrs): readonly number[] => attrs.normalized_shape as readonly number[];
const rowsOf = (t: TensorSpec, attrs: Attrs): number =>
  elementCount(t.shape.slice(0, t.shape.length - normalizedShape(attrs).length));

interface RowStatistics {
  readonly mean: number;
  readonly rstd: number;
}

/** Mean and 1 / sqrt(var + eps) of a row, in the accumulation type. */
function rowStatistics(x: Floats, start: number, count: number, half: boolean, eps: number): RowStatistics {
  const single = x instanceof Float32Array;
  const round = single ? Math.fround : (v: number): number => v;
  const { mean, variance } = momentsOf(x, start, count, half);
  return { mean, rstd: round(1 / round(Math.sqrt(round(Math.max(variance, 0) + round(eps))))) };
}

function layerNormHost(input: HostTensor, rest: readonly HostTensor[], attrs: Attrs): HostData {
  const { weight, bias } = parametersOf(rest, attrs);
  const x = accumulands(input, input.dtype);
  const single = x instanceof Float32Array;
  const half = isHalf(input.dtype);
  const rows = rowsOf(input, attrs);
  const n = elementCount(normalizedShape(attrs));
  const gamma = weight ? readElements(weight) : null;
  const beta = bias ? readElements(bias) : null;
  const out: Floats = single ? new Float32Array(x.length) : new Float64Array(x.length);
  const fma = single ? fma32 : (a: number, b: number, c: number): number => a * b + c;
  const round = single ? Math.fround : (v: number): number => v;
  for (let r = 0; r < rows; r++) {
    const start = r * n;
    const { mean, rstd } = rowStatistics(x, start, n, half, attrs.eps as number);
    const shift = round(-mean * rstd);
    for (let j = 0; j < n; j++) {
      const y = half ? fma(x[start + j], rstd, shift) : round(round(x[start + j] - mean) * rstd);
      out[start + j] = gamma || beta ? fma(y, gamma ? gamma[j] : 1, beta ? beta[j] : 0) : y;
    }
  }
  return store(input.dtype, out);
}

/**
 * Gradients for input, weight and bias (native/cpu/layer_norm_kernel.cpp). With xhat = (x - mean) rstd and N elements a row:
 * dx = rstd (dy g - mean(dy g) - xhat mean(dy g xhat)), arranged as a dy g + b x + c. The statistics of 16-bit inputs were saved in
 * 16 bits unless parameters are float32 (`mixed`), and weight and bias gradients add up in 16 bits, row by row.
 */
function layerNormBackwardHost(
  grad: HostTensor,
  input: HostTensor,
  weight: HostTensor | undefined,
  attrs: Attrs,
): readonly Floats[] {
  const x = accumulands(input, input.dtype);
  const dy = accumulands(grad, input.dtype);
  const single = x instanceof Float32Array;
  const half = isHalf(input.dtype);
  const rows = rowsOf(input, attrs);
  const n = elementCount(normalizedShape(attrs));
  const gamma = weight ? readElements(weight) : null;
  const make = (length: number): Floats => (single ? new Float32Array(length) : new Float64Array(length));
  const round = single ? Math.fround : (v: number): number => v;
  const toDtype = rounder(input.dtype);
  const saved = attrs.mixed === true ? round : toDtype;
  const fma = single ? fma32 : (a: number, b: number, c: number): number => a * b + c;
  const [dx, dGamma, dBeta, scaled, right] = [make(x.length), make(n), make(n), make(n), make(n)];
  const ones = make(n).fill(1);
  const scale = round(1 / n);
  for (let r = 0; r < rows; r++) {
    const start = r * n;
    const row = x.subarray(start, start + n);
    const d = dy.subarray(start, start + n);
    const statistics = rowStatistics(x, start, n, half, attrs.eps as number);
    const mean = saved(statistics.mean);
    const a = saved(statistics.rstd);
    for (let j = 0; j < n; j++) {
      scaled[j] = d[j] * row[j];
      right[j] = gamma ? gamma[j] : 1;
    }
    const ds = gamma ? dotLanes(scaled, right, n, half) : dotLanes(d, row, n, half);
    const db = dotLanes(d, gamma ? right : ones, n, half);
    const b = round(round(round(round(fma(db, mean, -ds) * a) * a) * a) * scale);
    const c = fma(-b, mean, -round(round(db * a) * scale));
    const shift = round(-a * mean);
    for (let j = 0; j < n; j++) {
      const first = gamma ? round(a * d[j]) * gamma[j] : a * d[j];
      dx[start + j] = fma(b, row[j], round(first)) + c;
      dGamma[j] = toDtype(fma(d[j], fma(a, row[j], shift), dGamma[j]));
      dBeta[j] = toDtype(dBeta[j] + d[j]);
    }
  }
  return [dx, dGamma, dBeta];
}

/**
 * Derivative of layer_norm_backward, for create_graph. Over a row of N elements with xhat = (x - mean) r, u = dy g and the projection
 * P(w) = w - mean(w) - xhat mean(w xhat), the kernel gives dx = r P(u), dGamma = sum dy xhat, dBeta = sum dy. For a gradient v of dx let
 * A = mean(v u) - mean(v) mean(u), B = mean(v xhat), C = mean(u xhat); then <v, dx> = N r (A - B C), whose derivative by x is
 * -r^2 (xhat (A - B C) + C (v - mean(v) - xhat B) + B (u - mean(u) - xhat C)).
 */
function layerNormDoubleBackward(
  b: Builder,
  [dy, x, gamma]: readonly Value[],
  attrs: Attrs,
  [v, vGamma, vBeta]: readonly (Value | null)[],
  needs: readonly boolean[],
): (Value | null)[] {
  const dims = trailingDims(x, attrs);
  const mean = (w: Value): Value => b.op('mean', [w], { dim: dims, keepdim: true, dtype: null });
  const rowSum = (w: Value): Value =>
    b.sum(
      w,
      x.shape.map((_, i) => i).filter((i) => !dims.includes(i)),
      false,
    );
  const centred = b.sub(x, mean(x));
  const r = b.op('rsqrt', [b.add(mean(b.mul(centred, centred)), attrs.eps as number)]);
  const xhat = b.mul(centred, r);
  const project = (w: Value): Value => b.sub(b.sub(w, mean(w)), b.mul(xhat, mean(b.mul(w, xhat))));
  const plus = (a: Value | null, c: Value): Value => (a ? b.add(a, c) : c);
  const u = gamma ? b.mul(dy, gamma) : dy;
  let forDy: Value | null = null;
  let forX: Value | null = null;
  let forGamma: Value | null = null;
  if (v) {
    const moved = b.mul(project(v), r);
    forDy = gamma ? b.mul(moved, gamma) : moved;
    if (gamma) forGamma = rowSum(b.mul(dy, moved));
    const [B, C] = [mean(b.mul(v, xhat)), mean(b.mul(u, xhat))];
    const A = b.sub(mean(b.mul(v, u)), b.mul(mean(v), mean(u)));
    const inner = b.add(
      b.mul(xhat, b.sub(A, b.mul(B, C))),
      b.add(b.mul(C, b.sub(b.sub(v, mean(v)), b.mul(xhat, B))), b.mul(B, b.sub(b.sub(u, mean(u)), b.mul(xhat, C)))),
    );
    forX = b.neg(b.mul(inner, b.mul(r, r)));
  }
  if (vGamma) {
    forDy = plus(forDy, b.mul(xhat, vGamma));
    forX = plus(forX, b.mul(project(b.mul(dy, vGamma)), r));
  }
  if (vBeta) forDy = plus(forDy, b.expand(vBeta, dy.shape));
  const grads = [needs[0] ? forDy : null, needs[1] ? forX : null];
  return gamma ? [...grads, needs[2] ? forGamma : null] : grads;
}

const rowSample = { shape: [2, 4], values: [1, 2, 3, 4, 100, 100, 100, 101] };
const layerAttrs = (hasWeight: boolean): Attrs => ({
  normalized_shape: [4],
  eps: 1e-5,
  has_weight: hasWeight,
  has_bias: hasWeight,
});

defineOp({
  name: 'layer_norm',
  doc: '(x - mean) / sqrt(var + eps) * weight + bias over the last dims; biased variance. 16-bit inputs compute in float32 with fused multiply-adds and round once.',
  params: 'input: Tensor, normalized_shape: int[], weight: Tensor?, bias: Tensor?, eps: float',
  promotion: 'same',
  infer: ([input, ...rest], attrs) => {
    const { weight, bias } = parametersOf(rest, attrs);
    checkNormalized(input, normalizedShape(attrs), weight, bias, ', ');
    checkMixed(input, weight, bias);
    if (!isFloating(input.dtype)) throw notImplementedFor('LayerNormKernelImpl', input.dtype);
    return [{ dtype: input.dtype, shape: input.shape }];
  },
  reference: ([input, ...rest], attrs) => [layerNormHost(input, rest, attrs)],
  wgsl: 'host',
  gradName: 'NativeLayerNorm',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [input, ...rest], attrs, gradOutput }) => {
      const { weight, bias } = parametersOf(rest, attrs);
      const [dx, dGamma, dBeta] = b.ops(
        'layer_norm_backward',
        weight ? [gradOutput, input, weight] : [gradOutput, input],
        {
          normalized_shape: attrs.normalized_shape,
          eps: attrs.eps,
          mixed: [weight, bias].some((p) => p && p.dtype !== input.dtype),
          has_weight: weight !== undefined,
        },
      );
      return [dx, ...(weight ? [dGamma] : []), ...(bias ? [dBeta] : [])];
    },
  },
  autocast: { cpu: 'none', cuda: 'fp32' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [rowSample], attrs: layerAttrs(false) },
    {
      inputs: [rowSample, { shape: [4], values: [0.5, 1, 1.5, 2] }, { shape: [4], values: [0, -1, 0.25, 3] }],
      attrs: layerAttrs(true),
    },
  ],
});

defineOp({
  name: 'layer_norm_backward',
  doc: 'Gradients of layer_norm for input, weight and bias; weight and bias gradients add over the rows.',
  params: 'grad_output: Tensor, input: Tensor, weight: Tensor?, normalized_shape: int[], eps: float, mixed: bool',
  promotion: 'same',
  infer: ([, input, weight], attrs) => {
    const parameter = { dtype: weight?.dtype ?? input.dtype, shape: normalizedShape(attrs) };
    return [{ dtype: input.dtype, shape: input.shape }, parameter, parameter];
  },
  reference: ([grad, input, weight], attrs, outputs) =>
    layerNormBackwardHost(grad, input, weight, attrs).map((v, i) => store(outputs[i].dtype, v)),
  wgsl: 'host',
  gradient: {
    saves: { inputs: [0, 1, 2] },
    backward: ({ b, inputs, attrs, gradOutputs, needs }) =>
      layerNormDoubleBackward(b, inputs, attrs, gradOutputs, needs),
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: {
    half: exactTolerance,
    float32: { ulp: 4, source: 'of the largest entry: vector width decides the order of sums' },
  },
  samples: [
    {
      inputs: [{ shape: [2, 4], values: [1, 0.5, -1, 2, 1, 1, 1, 1] }, rowSample],
      attrs: { normalized_shape: [4], eps: 1e-5, mixed: false, has_weight: false },
    },
  ],
});

/** float32's machine epsilon: also for 16-bit inputs, because the norm is computed in float32. */
const epsOf = (input: { readonly dtype: TensorSpec['dtype'] }, attrs: Attrs): number =>
  typeof attrs.eps === 'number' ? attrs.eps : input.dtype === 'float64' ? 2 ** -52 : 2 ** -23;

function trailingDims(t: TensorSpec, attrs: Attrs): number[] {
  return normalizedShape(attrs).map((_, i) => t.shape.length - normalizedShape(attrs).length + i);
}

defineOp({
  name: 'rms_norm',
  doc: 'x / sqrt(mean(x^2) + eps) * weight over the last dims, in float32 for 16-bit inputs. eps defaults to the machine epsilon of the computing dtype.',
  params: 'input: Tensor, normalized_shape: int[], weight: Tensor?, eps: float?',
  promotion: 'same',
  infer: ([input, weight], attrs) => {
    checkNormalized(input, normalizedShape(attrs), weight, undefined, '');
    if (!isFloating(input.dtype)) throw notImplementedFor('rms_norm', input.dtype);
    return [{ dtype: input.dtype, shape: input.shape }];
  },
  reference: ([input, weight], attrs) => {
    const x = accumulands(input, input.dtype);
    const single = x instanceof Float32Array;
    const round = single ? Math.fround : (v: number): number => v;
    const working = single ? 'float32' : 'float64';
    const n = elementCount(normalizedShape(attrs));
    const squares = x.map((v) => v * v);
    const totals = sumOver(squares, input.shape, trailingDims(input, attrs), working);
    const gamma = weight ? readElements(weight) : null;
    const out: Floats = single ? new Float32Array(x.length) : new Float64Array(x.length);
    for (let i = 0; i < x.length; i++) {
      const meanSquare = round(totals[Math.floor(i / n)] / n);
      const scale = round(1 / round(Math.sqrt(round(meanSquare + round(epsOf(input, attrs))))));
      out[i] = x[i] * scale;
      if (gamma) out[i] = out[i] * gamma[i % n];
    }
    return [store(input.dtype, out)];
  },
  wgsl: 'host',
  gradName: 'RmsNorm',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [input, weight], attrs, gradOutput, needs }) => {
      // The composition that PyTorch differentiates, in the computing dtype: y = x r w, r = rsqrt(mean(x^2) + eps).
      const working = isHalf(input.dtype) ? 'float32' : input.dtype;
      const dims = trailingDims(input, attrs);
      const n = elementCount(normalizedShape(attrs));
      const x = b.cast(input, working);
      const grad = b.cast(gradOutput, working);
      const meanSquare = b.op('mean', [b.mul(x, x)], { dim: dims, keepdim: true, dtype: null });
      const r = b.op('rsqrt', [b.add(meanSquare, epsOf(input, attrs))]);
      const g = weight ? b.mul(grad, b.cast(weight, working)) : grad;
      const grads: (Value | null)[] = [null];
      if (needs[0]) {
        const dr = b.sum(b.mul(g, x), dims, true);
        const cube = b.mul(b.mul(r, r), r);
        const dMean = b.div(b.expand(b.mul(b.mul(dr, -0.5), cube), x.shape), n);
        grads[0] = b.add(b.mul(g, r), b.mul(dMean, b.mul(x, 2)));
      }
      if (weight) grads.push(needs[1] ? b.mul(grad, b.mul(x, r)) : null);
      return grads;
    },
  },
  autocast: { cpu: 'none', cuda: 'fp32' },
  tolerance: { half: exactTolerance, float32: { ulp: 1, source: 'rsqrt is 1 / sqrt, two roundings' } },
  samples: [
    { inputs: [rowSample], attrs: { normalized_shape: [4], eps: null, has_weight: false } },
    {
      inputs: [rowSample, { shape: [4], values: [0.5, 1, 1.5, 2] }],
      attrs: { normalized_shape: [4], eps: 1e-6, has_weight: true },
    },
  ],
});

/** x divided by its norm along dim, the norm at least eps: one side of the cosine. */
function normalizedSide(
  b: Builder,
  x: Value,
  dim: number,
  eps: number,
): { readonly unit: Value; readonly norm: Value; readonly bounded: Value } {
  const norm = b.op('linalg_vector_norm', [x], { ord: 2, dim: [dim], keepdim: true, dtype: null });
  const bounded = b.where(b.lt(norm, eps), b.full(norm, [], eps), norm);
  return { unit: b.div(x, bounded), norm, bounded };
}

defineOp({
  name: 'cosine_similarity',
  doc: 'Sum along `dim` of x1 / max(|x1|, eps) * x2 / max(|x2|, eps), each step rounded to the dtype. Inputs broadcast.',
  params: 'x1: Tensor, x2: Tensor, dim: int, eps: float',
  promotion: 'promote',
  infer: ([x1, x2], attrs) => {
    if (!isFloating(x1.dtype)) {
      fail(`expected common dtype to be floating point, yet common dtype is ${scalarTypeName[x1.dtype]}`);
    }
    const shape = broadcastPair(x1.shape, x2.shape);
    const dim = normalizeDim(attrs.dim as number, shape.length);
    return [{ dtype: x1.dtype, shape: shape.filter((_, i) => i !== dim) }];
  },
  reference: (inputs, attrs) => [cosineHost(inputs, attrs)],
  wgsl: 'host',
  gradName: 'CosineSimilarity',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [x1, x2], attrs, gradOutput, needs }) => {
      const shape = broadcastPair(x1.shape, x2.shape);
      const dim = normalizeDim(attrs.dim as number, shape.length);
      const eps = attrs.eps as number;
      const [a, c] = [x1, x2].map((x) => normalizedSide(b, b.expand(x, shape), dim, eps));
      const grad = b.unsqueeze(gradOutput, dim);
      // y = u . v with u = x / n: dx = dy v / n - x / |x| * sum(dy v x) / n^2; the bound on n passes gradients through.
      const side = (x: Value, own: typeof a, other: typeof a): Value => {
        const du = b.mul(grad, other.unit);
        const dn = b.neg(b.sum(b.mul(du, b.div(own.unit, own.bounded)), [dim], true));
        const direction = b.where(b.eq(own.norm, 0), b.full(own.norm, [], 0), b.div(b.expand(x, shape), own.norm));
        return b.add(b.div(du, own.bounded), b.mul(dn, direction));
      };
      return [needs[0] ? side(x1, a, c) : null, needs[1] ? side(x2, c, a) : null];
    },
  },
  autocast: { cpu: 'none', cuda: 'fp32' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    {
      inputs: [
        { shape: [2, 2], values: [1, 0, 3, 4] },
        { shape: [2, 2], values: [1, 1, 0, 0] },
      ],
      attrs: { dim: 1, eps: 1e-8 },
    },
  ],
});

function cosineHost(inputs: readonly HostTensor[], attrs: Attrs): HostData {
  const shape = broadcastPair(inputs[0].shape, inputs[1].shape);
  const dim = normalizeDim(attrs.dim as number, shape.length);
  const [a, c] = inputs.map((x) => {
    const { values, step } = flatOperand(readElements(x), x.shape, shape);
    const full = Float64Array.from({ length: elementCount(shape) }, (_, i) => values[i * step]);
    return { dtype: x.dtype, shape, data: store(x.dtype, full) };
  });
  const unit = (x: HostTensor): HostTensor => {
    const norm = run('linalg_vector_norm', [x], { ord: 2, dim: [dim], keepdim: true, dtype: null });
    const eps = { dtype: x.dtype, shape: [], data: store(x.dtype, Float64Array.of(attrs.eps as number)) };
    return run('div', [x, run('maximum', [norm, eps])]);
  };
  const total = run('sum', [run('mul', [unit(a), unit(c)])], { dim: [dim], keepdim: false, dtype: null });
  return total.data;
}
