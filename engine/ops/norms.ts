/** linalg_vector_norm: (sum |x|^p)^(1/p) for any p, over all or some dims. */
import { type DType, type HostTensor, isFloating, isHalf, scalarTypeName } from '../formats/dtype';
import { fma32 } from '../formats/float32-arithmetic';
import { elementCount } from './broadcast';
import { type DimGroup, forEachOffset, groupDims, reducedDims, reducedShape, restoreReduced } from './dimensions';
import { store } from './elementwise';
import { type Attrs, type Builder, defineOp, TorchError, type Value } from './record';
import { accumulands, exactTolerance } from './reductions';
import { type Floats, vectorLanes } from './summation-order';

const orderOf = (attrs: Attrs): number => (typeof attrs.ord === 'number' ? attrs.ord : 2);
const normDtype = (self: DType, attrs: Attrs): DType => (attrs.dtype as DType | null | undefined) ?? self;

/**
 * Euclidean norm of contiguous numbers: 8 lanes of fused or plain products, lanes added in turn, then the tail
 * (ReduceOpsKernel.cpp, norm_kernel_tensor_iterator_impl; the first 4k of the tail are compiled without fusing).
 */
function euclidean(x: Floats, start: number, count: number, half: boolean): number {
  const single = x instanceof Float32Array;
  const round = single ? Math.fround : (v: number): number => v;
  const lanes = vectorLanes(x);
  const perVector = half ? 2 * lanes : lanes;
  const full = count - (count % perVector);
  let total = 0;
  if (full > 0) {
    const acc = single ? new Float32Array(lanes) : new Float64Array(lanes);
    for (let i = 0; i < full; i += lanes) {
      for (let l = 0; l < lanes; l++) acc[l] = acc[l] + round(x[start + i + l] * x[start + i + l]);
    }
    for (let l = 0; l < lanes; l++) total = round(total + acc[l]);
  }
  const plain = full + Math.floor((count - full) / 4) * 4;
  let i = full;
  for (; i < plain; i++) total = round(total + round(x[start + i] * x[start + i]));
  for (; i < count; i++) {
    const v = x[start + i];
    total = single ? fma32(v, v, total) : total + v * v;
  }
  return Math.sqrt(total);
}

/** The accumulator's update and the final step, for norms that are one pass in order. */
function pass(
  p: number,
  single: boolean,
): {
  readonly start: number;
  readonly step: (acc: number, v: number) => number;
  readonly end: (acc: number) => number;
} {
  const round = single ? Math.fround : (v: number): number => v;
  const keep = (acc: number): number => acc;
  const nan = (a: number, v: number): boolean => Number.isNaN(a) || Number.isNaN(v);
  if (p === 0) return { start: 0, step: (acc, v) => acc + (v === 0 ? 0 : 1), end: keep };
  if (p === 1) return { start: 0, step: (acc, v) => round(acc + Math.abs(v)), end: keep };
  if (p === 2) return { start: 0, step: (acc, v) => round(acc + round(v * v)), end: Math.sqrt };
  if (p === Infinity)
    return { start: 0, step: (acc, v) => (nan(acc, v) ? Number.NaN : Math.max(acc, Math.abs(v))), end: keep };
  if (p === -Infinity) {
    return { start: Infinity, step: (acc, v) => (nan(acc, v) ? Number.NaN : Math.min(acc, Math.abs(v))), end: keep };
  }
  return {
    start: 0,
    step: (acc, v) => round(acc + round(Math.abs(v) ** p)),
    end: (acc) => acc ** (single ? Math.fround(1 / p) : 1 / p),
  };
}

function normHost(self: HostTensor, attrs: Attrs, dtype: DType, outputs: number): Floats {
  const p = orderOf(attrs);
  const x = accumulands(self, dtype);
  const groups: readonly DimGroup[] = groupDims(self.shape, reducedDims(attrs.dim, self.shape.length));
  const reduced = groups.filter((g) => g.reduced);
  const out: Floats = x instanceof Float32Array ? new Float32Array(outputs) : new Float64Array(outputs);
  if (elementCount(self.shape) === 0) return out.fill(p < 0 ? Infinity : 0);
  const inner = reduced.length === 1 && reduced[0].stride === 1 ? reduced[0] : undefined;
  const { start, step, end } = pass(p, x instanceof Float32Array);
  let next = 0;
  forEachOffset(
    groups.filter((g) => !g.reduced),
    (offset) => {
      if (p === 2 && inner) {
        out[next++] = euclidean(x, offset, inner.size, isHalf(dtype));
        return;
      }
      let acc = start;
      forEachOffset(
        reduced,
        (at) => {
          acc = step(acc, x[at]);
        },
        undefined,
        offset,
      );
      out[next++] = end(acc);
    },
  );
  return out;
}

/** torch/csrc/autograd/FunctionsManual.cpp, linalg_vector_norm_backward: the cases of p that need care at zero. */
function normBackward(b: Builder, self: Value, result: Value, grad0: Value, attrs: Attrs): Value | null {
  const p = orderOf(attrs);
  const dims = reducedDims(attrs.dim, self.shape.length);
  const restore = (v: Value): Value => restoreReduced(b, v, self.shape, dims, attrs.keepdim === true);
  const grad = restore(grad0);
  const norm = restore(result);
  const x = b.cast(self, grad0.dtype);
  const zero = (): Value => b.full(x, [], 0);
  const sign = (): Value => b.op('sign', [x]);
  const abs = (): Value => b.op('abs', [x]);
  const power = (v: Value, e: number): Value => b.op('pow', [v, e]);
  const zeroNorm = b.eq(norm, 0);
  if (p === 0) return null; // a count: PyTorch gives no gradient at all
  if (p === 1) return b.mul(sign(), grad);
  if (p === 2) return b.mul(grad, b.where(zeroNorm, zero(), b.div(x, norm)));
  if (!Number.isFinite(p)) {
    // The elements that attain the norm (or are NaN) share the gradient evenly.
    const size = abs();
    const mask = b.op('logical_or', [b.eq(size, norm), b.op('isnan', [size])]);
    return b.mul(sign(), b.mul(b.div(grad, b.sum(mask, dims, true)), mask));
  }
  if (p < 1) {
    const scaled = b.mul(sign(), b.where(b.eq(x, 0), zero(), power(abs(), p - 1)));
    return b.mul(b.mul(scaled, grad), power(norm, 1 - p));
  }
  const scaled = p < 2 ? b.mul(sign(), power(abs(), p - 1)) : b.mul(x, power(abs(), p - 2));
  return b.mul(scaled, b.where(zeroNorm, zero(), b.div(grad, power(norm, p - 1))));
}

defineOp({
  name: 'linalg_vector_norm',
  doc: 'The `ord`-norm over `dim` (all elements if None): (sum |x|^ord)^(1/ord); inf and -inf give the largest and smallest |x|, 0 counts nonzeros. 16-bit inputs accumulate in float32.',
  params: 'self: Tensor, ord: float, dim: int[]?, keepdim: bool, dtype: dtype?',
  promotion: 'same',
  infer: ([self], attrs) => {
    const dtype = normDtype(self.dtype, attrs);
    if (!isFloating(self.dtype)) {
      throw new TorchError(
        'RuntimeError',
        `linalg.vector_norm: Expected a floating point or complex tensor as input. Got ${scalarTypeName[self.dtype]}`,
      );
    }
    const dims = reducedDims(attrs.dim, self.shape.length);
    const ord = orderOf(attrs);
    const empty = dims.find((d) => self.shape[d] === 0);
    if (empty !== undefined && (ord === Infinity || ord < 0)) {
      const norm = ord === Infinity ? 'inf' : ord === -Infinity ? '-inf' : ord;
      const where = Array.isArray(attrs.dim)
        ? `the dimension ${empty}because this dimension is empty and the operation does not have an identity`
        : 'an empty tensor because the operation does not have an identity';
      throw new TorchError('RuntimeError', `linalg.vector_norm cannot compute the ${norm} norm on ${where}`);
    }
    return [{ dtype, shape: reducedShape(self.shape, dims, attrs.keepdim === true) }];
  },
  reference: ([self], attrs, [out]) => [store(out.dtype, normHost(self, attrs, out.dtype, elementCount(out.shape)))],
  wgsl: { kind: 'kernel', kernel: 'norm' },
  gradName: 'LinalgVectorNorm',
  gradient: {
    saves: { inputs: [0], outputs: [0] },
    backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => [
      normBackward(b, self, result, gradOutput, attrs),
    ],
  },
  autocast: { cpu: 'none', cuda: 'fp32_set_opt_dtype' },
  tolerance: { half: exactTolerance, float32: { ulp: 1, source: 'general p uses pow; p = 1, 2, inf are exact' } },
  samples: [
    { inputs: [{ shape: [3], values: [3, 4, 0] }], attrs: { ord: 2, dim: null, keepdim: false, dtype: null } },
    // 60000^2 overflows float16 but not the float32 accumulator.
    { inputs: [{ shape: [2], values: [60000, 1] }], attrs: { ord: 2, dim: null, keepdim: false, dtype: null } },
    {
      inputs: [{ shape: [2, 3], values: [1, -2, 3, 0, 0, 0] }],
      attrs: { ord: 1, dim: [1], keepdim: true, dtype: null },
    },
    {
      inputs: [{ shape: [3], values: [1, -7, NaN] }],
      attrs: { ord: Infinity, dim: null, keepdim: false, dtype: null },
    },
    { inputs: [{ shape: [3], values: [1, -2, 3] }], attrs: { ord: 3, dim: null, keepdim: false, dtype: null } },
  ],
});
