/**
 * softmax and log_softmax along one dim, and their backward kernels.
 *
 * 16-bit inputs are computed in float32 and rounded on store. ATen has one kernel for the last dim (native/cpu/SoftMaxKernel.cpp,
 * lastdim: vector lanes along the dim) and one for the others (lanes across the dim), and they round differently:
 *
 *   softmax      last dim, float32     e * (1 / sum)
 *                last dim, 16-bit      e / sum
 *                other dims            e / sum
 *   log_softmax  last dim, 16-bit      (x - max) - h(log(h(sum))): the sum and its logarithm are stored in 16 bits
 *                otherwise             (x - max) - log(sum)
 */
import { type DType, type HostData, type HostTensor, isFloating, isHalf, scalarTypeName } from '../formats/dtype';
import { fma32 } from '../formats/float32-arithmetic';
import { readElements, roundToDtype } from '../formats/host-elements';
import { normalizeDim, splitAt } from './dimensions';
import { store } from './elementwise';
import { type Attrs, defineOp, type Tolerance, TorchError } from './record';
import { accumulands } from './reductions';
import { dotLanes, type Floats, sumLanes } from './summation-order';

const tolerance: { readonly half: Tolerance; readonly float32: Tolerance } = {
  half: { ulp: 0, source: 'float32 inside, one rounding on store' },
  float32: { ulp: 4, source: 'of the largest entry: exp within 1 ulp, sum order and one or two roundings' },
};

const isLastDim = (shape: readonly number[], dim: number): boolean => shape.length === 0 || dim === shape.length - 1;

/** dtype of the result. Errors: NotImplementedError for integers and bool, in the kernel's name. */
function softmaxDtype(name: 'softmax' | 'log_softmax', input: DType, attrs: Attrs, last: boolean): DType {
  const dtype = (attrs.dtype as DType | null | undefined) ?? input;
  if (!isFloating(dtype)) {
    throw new TorchError(
      'NotImplementedError',
      `"${name}_${last ? 'lastdim_' : ''}kernel_impl" not implemented for '${scalarTypeName[dtype]}'`,
    );
  }
  return dtype;
}

/** Like x, fresh. */
const like = (x: Floats, length: number): Floats =>
  x instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);

/** Calls `row(start)` for every line of [outer, size, inner] along the middle dim; neighbours on a line are `inner` apart. */
function eachLine(outer: number, size: number, inner: number, row: (start: number) => void): void {
  for (let o = 0; o < outer; o++) for (let i = 0; i < inner; i++) row(o * size * inner + i);
}

function lineMax(x: Floats, start: number, step: number, size: number): number {
  let max = -Infinity;
  for (let i = 0, p = start; i < size; i++, p += step) {
    const v = x[p];
    if (Number.isNaN(v)) return v;
    if (v > max) max = v;
  }
  return max;
}

/** e^(x - max) along a line, into `e` from 0. */
function shiftedExp(x: Floats, start: number, step: number, size: number, max: number, e: Floats): void {
  if (x instanceof Float32Array)
    for (let i = 0, p = start; i < size; i++, p += step) e[i] = Math.exp(Math.fround(x[p] - max));
  else for (let i = 0, p = start; i < size; i++, p += step) e[i] = Math.exp(x[p] - max);
}

function sumSequential(e: Floats, size: number): number {
  const round = e instanceof Float32Array ? Math.fround : (v: number): number => v;
  let total = 0;
  for (let i = 0; i < size; i++) total = round(total + e[i]);
  return total;
}

function softmaxHost(self: HostTensor, dim: number, dtype: DType, logarithm: boolean): HostData {
  const { outer, size, inner } = splitAt(self.shape, dim);
  const x = accumulands(self, dtype);
  const out = like(x, x.length);
  const e = like(x, size);
  const last = isLastDim(self.shape, dim);
  const half = isHalf(dtype);
  const round = x instanceof Float32Array ? Math.fround : (v: number): number => v;
  eachLine(outer, size, inner, (start) => {
    const max = lineMax(x, start, inner, size);
    shiftedExp(x, start, inner, size, max, e);
    let total = last ? sumLanes(e, size, half && !logarithm) : sumSequential(e, size);
    if (logarithm) {
      if (last && half) total = roundToDtype(total, dtype);
      let log = round(Math.log(total));
      if (last && half) log = roundToDtype(log, dtype);
      for (let i = 0, p = start; i < size; i++, p += inner) out[p] = round(x[p] - max) - log;
    } else if (last && !half) {
      const reciprocal = round(1 / total);
      for (let i = 0, p = start; i < size; i++, p += inner) out[p] = e[i] * reciprocal;
    } else {
      // Across the dim, 16-bit results hold e^(x - max) until the sum is known: one more rounding.
      if (half && !last) for (let i = 0; i < size; i++) e[i] = roundToDtype(e[i], dtype);
      for (let i = 0, p = start; i < size; i++, p += inner) out[p] = e[i] / total;
    }
  });
  return store(dtype, out);
}

const samples = [
  { inputs: [{ shape: [4], values: [1, 2, 3, 4] }], attrs: { dim: 0, dtype: null } },
  { inputs: [{ shape: [3], values: [1000, 1001, 999] }], attrs: { dim: -1, dtype: null } },
  { inputs: [{ shape: [2, 3], values: [0, 10, -10, 0.1, 0.2, 0.3] }], attrs: { dim: 0, dtype: null } },
  { inputs: [{ shape: [2], values: [-Infinity, -Infinity] }], attrs: { dim: 0, dtype: null } },
  { inputs: [{ shape: [2, 2], values: [Infinity, 1, -Infinity, 1] }], attrs: { dim: 1, dtype: null } },
];

for (const name of ['softmax', 'log_softmax'] as const) {
  const backwardName = `_${name}_backward_data`;
  defineOp({
    name,
    doc:
      name === 'softmax'
        ? 'e^(x - max) / sum of the same along `dim`; rows of only -inf, or with +inf or NaN, give NaN. Shape [*] -> [*].'
        : 'x - max - log(sum(e^(x - max))) along `dim`: log of softmax without its underflow. Shape [*] -> [*].',
    params: 'self: Tensor, dim: int, dtype: dtype?',
    promotion: 'same',
    infer: ([self], attrs) => {
      const dim = normalizeDim(attrs.dim as number, self.shape.length);
      return [{ dtype: softmaxDtype(name, self.dtype, attrs, isLastDim(self.shape, dim)), shape: self.shape }];
    },
    reference: ([self], attrs, [out]) => [
      softmaxHost(self, normalizeDim(attrs.dim as number, self.shape.length), out.dtype, name === 'log_softmax'),
    ],
    wgsl: { kind: 'kernel', kernel: 'softmax' },
    gradName: name === 'softmax' ? 'Softmax' : 'LogSoftmax',
    gradient: {
      saves: { outputs: [0] },
      backward: ({ b, outputs: [output], attrs, gradOutput }) => [
        b.op(backwardName, [gradOutput, output], { dim: attrs.dim! }),
      ],
    },
    autocast: { cpu: 'none', cuda: 'fp32_set_opt_dtype' },
    tolerance,
    samples,
  });
}

/** Both backward kernels, one line at a time: `each` fills `out` from grad and output in the accumulation type. */
function backwardHost(
  grad: HostTensor,
  output: HostTensor,
  attrs: Attrs,
  line: (g: Floats, y: Floats, out: Floats, start: number, step: number, size: number, last: boolean) => void,
): HostData {
  const dim = normalizeDim(attrs.dim as number, output.shape.length);
  const { outer, size, inner } = splitAt(output.shape, dim);
  const g = accumulands(grad, output.dtype);
  const y = readElements(output) as Floats;
  const out = like(y, y.length);
  const last = isLastDim(output.shape, dim);
  eachLine(outer, size, inner, (start) => line(g, y, out, start, inner, size, last));
  return store(output.dtype, out);
}

let products: Floats = new Float32Array(0);
/** Scratch of at least `size` numbers of x's kind. */
function scratch(x: Floats, size: number): Floats {
  if (products.length < size || products.BYTES_PER_ELEMENT !== x.BYTES_PER_ELEMENT) products = like(x, size);
  return products;
}

defineOp({
  name: '_softmax_backward_data',
  doc: 'Gradient of softmax: (grad - sum(grad * output)) * output along `dim`.',
  params: 'grad_output: Tensor, output: Tensor, dim: int',
  promotion: 'same',
  infer: ([, output]) => [{ dtype: output.dtype, shape: output.shape }],
  reference: ([grad, output], attrs) => [
    backwardHost(grad, output, attrs, (g, y, out, start, step, size, last) => {
      const single = y instanceof Float32Array;
      const round = single ? Math.fround : (v: number): number => v;
      const fma = single ? fma32 : (a: number, b: number, c: number): number => a * b + c;
      const half = isHalf(output.dtype);
      let total = 0;
      if (last && !half) {
        total = dotLanes(g.subarray(start, start + size), y.subarray(start, start + size), size, false);
      } else if (last) {
        const t = scratch(y, size);
        for (let i = 0, p = start; i < size; i++, p += step) t[i] = g[p] * y[p];
        total = sumLanes(t, size, true);
      } else {
        for (let i = 0, p = start; i < size; i++, p += step) total = fma(g[p], y[p], total);
      }
      for (let i = 0, p = start; i < size; i++, p += step) out[p] = round(g[p] - total) * y[p];
    }),
  ],
  wgsl: { kind: 'kernel', kernel: 'softmax' },
  gradName: 'SoftmaxBackward',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [g, y], attrs, gradOutput, needs }) => {
      const dim = [attrs.dim as number];
      // d/dy_j of sum_i v_i y_i (g_i - s), s = sum_k g_k y_k: v_j (g_j - s) - g_j sum_i v_i y_i
      const s = b.sum(b.mul(g, y), dim, true);
      const t = b.sum(b.mul(gradOutput, y), dim, true);
      return [
        needs[0] ? b.op('_softmax_backward_data', [gradOutput, y], attrs) : null,
        needs[1] ? b.sub(b.mul(gradOutput, b.sub(g, s)), b.mul(g, t)) : null,
      ];
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance,
  samples: [
    {
      inputs: [
        { shape: [3], values: [1, -1, 2] },
        { shape: [3], values: [0.25, 0.25, 0.5] },
      ],
      attrs: { dim: 0 },
    },
  ],
});

defineOp({
  name: '_log_softmax_backward_data',
  doc: 'Gradient of log_softmax: grad - e^output * sum(grad) along `dim`.',
  params: 'grad_output: Tensor, output: Tensor, dim: int',
  promotion: 'same',
  infer: ([, output]) => [{ dtype: output.dtype, shape: output.shape }],
  reference: ([grad, output], attrs) => [
    backwardHost(grad, output, attrs, (g, y, out, start, step, size, last) => {
      const single = y instanceof Float32Array;
      const round = single ? Math.fround : (v: number): number => v;
      const fma = single ? fma32 : (a: number, b: number, c: number): number => a * b + c;
      const t = scratch(y, size);
      for (let i = 0, p = start; i < size; i++, p += step) t[i] = g[p];
      const total = last ? sumLanes(t, size, isHalf(output.dtype)) : sumSequential(t, size);
      for (let i = 0, p = start; i < size; i++, p += step) out[p] = fma(-round(Math.exp(y[p])), total, g[p]);
    }),
  ],
  wgsl: { kind: 'kernel', kernel: 'softmax' },
  gradName: 'LogSoftmaxBackward',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [g, y], attrs, gradOutput, needs }) => {
      const dim = [attrs.dim as number];
      const p = b.exp(y);
      const weighted = b.mul(gradOutput, p);
      return [
        needs[0] ? b.sub(gradOutput, b.sum(weighted, dim, true)) : null,
        needs[1] ? b.neg(b.mul(weighted, b.sum(g, dim, true))) : null,
      ];
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance,
  samples: [
    {
      inputs: [
        { shape: [3], values: [1, -1, 2] },
        { shape: [3], values: [-1.4, -1.4, -0.7] },
      ],
      attrs: { dim: 0 },
    },
  ],
});
