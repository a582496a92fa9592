/** cumsum, cumprod and logcumsumexp: running sums and products along a dim. */
import { type DType, type HostData, type HostTensor, isFloating, isHalf } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { normalizeDim, splitAt } from './dimensions';
import { notImplementedFor, rounder, store } from './elementwise';
import { type Attrs, type Builder, defineOp, TorchError, type Value } from './record';
import { exactTolerance, sumDtype } from './reductions';

/**
 * 16-bit tensors accumulate in float32, float32 and float64 in double (at::acc_type on the CPU); every prefix is rounded to the dtype
 * on store, the accumulator isn't.
 */
function scan(self: HostTensor, dim: number, dtype: DType, multiply: boolean): HostData {
  const { outer, size, inner } = splitAt(self.shape, dim);
  const x = readElements(self);
  const toDtype = rounder(dtype);
  const step = isHalf(dtype) ? Math.fround : (v: number): number => v;
  const out = new Float64Array(x.length);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      let total = multiply ? 1 : 0;
      for (let k = 0, p = o * size * inner + i; k < size; k++, p += inner) {
        const v = isFloating(dtype) ? toDtype(x[p]) : x[p];
        total = step(multiply ? total * v : total + v);
        out[p] = total;
      }
    }
  }
  return store(dtype, out);
}

/** dtype of the result. Errors: bool, which PyTorch's kernels don't have. */
function scanDtype(name: string, input: DType, attrs: Attrs): DType {
  const dtype = sumDtype(input, attrs);
  if (dtype === 'bool') throw new TorchError('NotImplementedError', `"${name}_out_cpu" not implemented for 'Bool'`);
  return dtype;
}

const scanDims = (attrs: Attrs, rank: number): number => normalizeDim(attrs.dim as number, rank);

/** cumsum from the end. */
function reverseCumsum(b: Builder, grad: Value, dim: number): Value {
  const flip = (v: Value): Value => b.op('flip', [v], { dims: [dim] });
  return flip(b.op('cumsum', [flip(grad)], { dim, dtype: null }));
}

defineOp({
  name: 'cumsum',
  doc: 'Sum of the elements up to and including each one, along `dim`. Integers and bool give int64. Shape [*] -> [*].',
  params: 'self: Tensor, dim: int, dtype: dtype?',
  promotion: 'same',
  infer: ([self], attrs) => {
    scanDims(attrs, self.shape.length);
    return [{ dtype: scanDtype('cumsum', self.dtype, attrs), shape: self.shape }];
  },
  reference: ([self], attrs, [out]) => [scan(self, scanDims(attrs, self.shape.length), out.dtype, false)],
  wgsl: 'host',
  gradName: 'Cumsum',
  gradient: {
    saves: {},
    backward: ({ b, inputs: [self], attrs, gradOutput }) => [
      self.shape.length === 0 ? gradOutput : reverseCumsum(b, gradOutput, scanDims(attrs, self.shape.length)),
    ],
  },
  autocast: { cpu: 'none', cuda: 'fp32_set_opt_dtype' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [{ shape: [4], values: [1, 2, 3, 4] }], attrs: { dim: 0, dtype: null } },
    { inputs: [{ shape: [4], values: [2048, 1, 1, 1] }], attrs: { dim: -1, dtype: null } },
    { inputs: [{ shape: [2, 2], values: [1, Infinity, -Infinity, 3] }], attrs: { dim: 0, dtype: null } },
  ],
});

defineOp({
  name: 'cumprod',
  doc: 'Product of the elements up to and including each one, along `dim`. Integers and bool give int64. Shape [*] -> [*].',
  params: 'self: Tensor, dim: int, dtype: dtype?',
  promotion: 'same',
  infer: ([self], attrs) => {
    scanDims(attrs, self.shape.length);
    return [{ dtype: scanDtype('cumprod', self.dtype, attrs), shape: self.shape }];
  },
  reference: ([self], attrs, [out]) => [scan(self, scanDims(attrs, self.shape.length), out.dtype, true)],
  wgsl: 'host',
  gradName: 'Cumprod',
  gradient: {
    saves: { inputs: [0], outputs: [0] },
    backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => {
      if (self.shape.length === 0) return [gradOutput];
      const dim = scanDims(attrs, self.shape.length);
      const simple = b.div(reverseCumsum(b, b.mul(gradOutput, result), dim), self);
      const anyZero = b.op('any', [b.eq(self, 0)], { dim: null, keepdim: false });
      return [b.where(anyZero, b.op('_cumprod_backward', [gradOutput, self], { dim }), simple)];
    },
  },
  autocast: { cpu: 'none', cuda: 'fp32_set_opt_dtype' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [{ inputs: [{ shape: [4], values: [1, 2, 0, 4] }], attrs: { dim: 0, dtype: null } }],
});

/** log(e^a + e^b) without overflow; equal infinities stay (ATen's _log_add_exp_helper). */
function logAddExp(a: number, b: number, step: (v: number) => number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  const [low, high] = a < b ? [a, b] : [b, a];
  if (low === high && !Number.isFinite(low)) return a;
  return step(step(Math.log1p(step(Math.exp(step(low - high))))) + high);
}

defineOp({
  name: 'logcumsumexp',
  doc: 'log of the sum of e^x over the elements up to and including each one, along `dim`. 16-bit tensors keep float32 between elements.',
  params: 'self: Tensor, dim: int',
  promotion: 'same',
  infer: ([self], attrs) => {
    scanDims(attrs, self.shape.length);
    if (!isFloating(self.dtype)) throw notImplementedFor('logcumsumexp_out_cpu', self.dtype);
    return [{ dtype: self.dtype, shape: self.shape }];
  },
  reference: ([self], attrs, [out]) => {
    const { outer, size, inner } = splitAt(self.shape, scanDims(attrs, self.shape.length));
    const x = readElements(self);
    const step = self.dtype === 'float64' ? (v: number): number => v : Math.fround;
    const result = new Float64Array(x.length);
    for (let line = 0; line < outer * inner; line++) {
      let total = -Infinity;
      let p = Math.floor(line / inner) * size * inner + (line % inner);
      for (let k = 0; k < size; k++, p += inner) {
        total = logAddExp(x[p], total, step);
        result[p] = total;
      }
    }
    return [store(out.dtype, result)];
  },
  wgsl: 'host',
  gradName: 'Logcumsumexp',
  gradient: {
    saves: { inputs: [0], outputs: [0] },
    backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => {
      if (self.shape.length === 0) return [gradOutput];
      // Positive and negative gradients are summed apart, as logarithms, so that nothing overflows.
      const dims = [scanDims(attrs, self.shape.length)];
      const flip = (v: Value): Value => b.op('flip', [v], { dims });
      const part = (grad: Value): Value => {
        const log = b.where(b.gt(grad, 0), b.op('log', [grad]), b.full(grad, [], -Infinity));
        const reversed = flip(b.op('logcumsumexp', [flip(b.sub(log, result))], { dim: dims[0] }));
        return b.exp(b.add(reversed, self));
      };
      return [b.sub(part(gradOutput), part(b.neg(gradOutput)))];
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: {
    half: { ulp: 1, source: 'exp and log1p of the vendor library' },
    float32: { ulp: 4, source: 'exp and log1p of the vendor library, once an element' },
  },
  samples: [
    { inputs: [{ shape: [4], values: [1, 2, -1, 1000] }], attrs: { dim: 0 } },
    { inputs: [{ shape: [2, 2], values: [0.5, -Infinity, 2, 3] }], attrs: { dim: 0 } },
  ],
});

defineOp({
  name: '_cumprod_backward',
  doc: 'Gradient of cumprod where factors may be zero: for each i the sum over j >= i of grad_j times the product of x_0 … x_j without x_i.',
  params: 'grad: Tensor, self: Tensor, dim: int',
  promotion: 'same',
  infer: ([grad, self]) => [{ dtype: grad.dtype, shape: self.shape }],
  reference: ([grad, self], attrs, [out]) => {
    const { outer, size, inner } = splitAt(self.shape, attrs.dim as number);
    const g = readElements(grad);
    const x = readElements(self);
    const result = new Float64Array(x.length);
    for (let line = 0; line < outer * inner; line++) {
      const start = Math.floor(line / inner) * size * inner + (line % inner);
      let before = 1;
      for (let i = 0; i < size; i++) {
        let product = before;
        let total = product * g[start + i * inner];
        for (let j = i + 1; j < size; j++) {
          product *= x[start + j * inner];
          total += product * g[start + j * inner];
        }
        result[start + i * inner] = total;
        before *= x[start + i * inner];
      }
    }
    return [store(out.dtype, result)];
  },
  wgsl: 'host',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [grad, self], attrs, gradOutput }) =>
      b.ops('_cumprod_double_backward', [gradOutput, grad, self], attrs),
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: {
    half: { ulp: 1, source: 'computed in double, rounded once' },
    float32: { ulp: 2, source: 'PyTorch composes it of float32 ops' },
  },
  samples: [
    {
      inputs: [
        { shape: [3], values: [1, 1, 1] },
        { shape: [3], values: [2, 0, 3] },
      ],
      attrs: { dim: 0 },
    },
  ],
});

defineOp({
  name: '_cumprod_double_backward',
  doc: 'Derivatives of <v, _cumprod_backward(grad, x)> by grad and by x: the same sums with one, and with two factors left out. Cubic in the length.',
  params: 'v: Tensor, grad: Tensor, self: Tensor, dim: int',
  promotion: 'same',
  infer: ([, grad, self]) => [
    { dtype: grad.dtype, shape: grad.shape },
    { dtype: self.dtype, shape: self.shape },
  ],
  reference: ([weights, grad, self], attrs, outputs) => {
    const { outer, size, inner } = splitAt(self.shape, attrs.dim as number);
    const [v, g, x] = [weights, grad, self].map(readElements);
    const [forGrad, forSelf] = [new Float64Array(x.length), new Float64Array(x.length)];
    for (let line = 0; line < outer * inner; line++) {
      const start = Math.floor(line / inner) * size * inner + (line % inner);
      const at = (k: number): number => start + k * inner;
      for (let i = 0; i < size; i++) {
        let one = 1; // x_0 … x_j without x_i
        for (let j = 0; j < size; j++) {
          if (j !== i) one *= x[at(j)];
          if (j >= i) forGrad[at(j)] += v[at(i)] * one;
        }
        for (let m = 0; m < size; m++) {
          if (m === i) continue;
          let two = 1; // x_0 … x_j without x_i and x_m
          for (let j = 0; j < size; j++) {
            if (j !== i && j !== m) two *= x[at(j)];
            if (j >= i && j >= m) forSelf[at(m)] += v[at(i)] * g[at(j)] * two;
          }
        }
      }
    }
    return [store(outputs[0].dtype, forGrad), store(outputs[1].dtype, forSelf)];
  },
  wgsl: 'host',
  gradient: {
    saves: {},
    backward: () => {
      throw new TorchError('NotImplementedError', 'third derivatives of cumprod are not supported here');
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: {
    half: { ulp: 1, source: 'computed in double, rounded once' },
    float32: { ulp: 2, source: 'PyTorch composes it of float32 ops' },
  },
  samples: [
    {
      inputs: [
        { shape: [3], values: [1, 2, 3] },
        { shape: [3], values: [1, 1, 1] },
        { shape: [3], values: [2, 0, 3] },
      ],
      attrs: { dim: 0 },
    },
  ],
});
