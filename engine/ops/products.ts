/** prod: the product over all or some dims, and its gradient without dividing by zero. */
import { type HostData, type HostTensor, isFloating, isHalf } from '../formats/dtype';
import { elementCount } from './broadcast';
import { forEachOffset, groupDims, reducedDims, reducedShape, restoreReduced } from './dimensions';
import { rounder, store } from './elementwise';
import { type Builder, defineOp, type Value } from './record';
import { accumulands, exactTolerance, sumDtype } from './reductions';
import type { Floats } from './summation-order';

/**
 * Product of `count` numbers `step` apart in ATen's order (native/cpu/Reduce.h): one after the other; contiguous numbers from four
 * vectors on in 32 lanes (16 for float64, 64 for 16-bit dtypes), folded pairwise, then the rest.
 */
function productOf(
  x: Floats,
  start: number,
  step: number,
  count: number,
  lanes: number,
  round: (v: number) => number,
): number {
  let total = 1;
  let i = 0;
  const width = 4 * lanes;
  if (step === 1 && count >= width) {
    const acc = new Float64Array(width);
    for (let l = 0; l < width; l++) acc[l] = x[start + l];
    for (i = width; i + width <= count; i += width) {
      for (let l = 0; l < width; l++) acc[l] = round(acc[l] * x[start + i + l]);
    }
    for (let l = 0; l < lanes; l++) {
      acc[l] = round(round(acc[l] * acc[lanes + l]) * round(acc[2 * lanes + l] * acc[3 * lanes + l]));
    }
    total = acc[0];
    for (let l = 1; l < lanes; l++) total = round(total * acc[l]);
  }
  for (; i < count; i++) total = round(total * x[start + i * step]);
  return total;
}

function prodHost(self: HostTensor, dims: readonly number[], dtype: HostTensor['dtype'], outputs: number): HostData {
  if (elementCount(self.shape) === 0) return store(dtype, new Float64Array(outputs).fill(1));
  const x = accumulands(self, dtype);
  const groups = groupDims(self.shape, dims);
  const [first, ...others] = groups.filter((g) => g.reduced);
  const round = isFloating(dtype) ? rounder(dtype) : (v: number): number => v;
  const lanes = isHalf(dtype) ? 16 : 32 / x.BYTES_PER_ELEMENT;
  const out = new Float64Array(outputs);
  let next = 0;
  forEachOffset(
    groups.filter((g) => !g.reduced),
    (offset) => {
      let total = first ? 1 : x[offset];
      if (first) {
        forEachOffset(
          others,
          (start) => {
            total = round(total * productOf(x, start, first.stride, first.size, lanes, round));
          },
          undefined,
          offset,
        );
      }
      out[next++] = total;
    },
  );
  return store(dtype, out);
}

/** Products of everything before and everything after each element along `dim`: no division, so zeros are exact. */
function productOfOthers(b: Builder, x: Value, dim: number): Value {
  const size = x.shape[dim];
  const ones = b.full(
    x,
    x.shape.map((d, i) => (i === dim ? 1 : d)),
    1,
  );
  if (size === 1) return ones;
  const cumprod = (v: Value): Value => b.op('cumprod', [v], { dim, dtype: null });
  const flip = (v: Value): Value => b.op('flip', [v], { dims: [dim] });
  const before = cumprod(b.op('cat', [ones, b.slice(x, dim, 0, size - 1)], { dim }));
  const after = flip(cumprod(b.op('cat', [ones, flip(b.slice(x, dim, 1, size))], { dim })));
  return b.mul(before, after);
}

defineOp({
  name: 'prod',
  doc: 'Product over `dim` (all elements if None). Integers and bool give int64. An empty product is 1. 16-bit products round at every step.',
  params: 'self: Tensor, dim: int[]?, keepdim: bool, dtype: dtype?',
  promotion: 'same',
  infer: ([self], attrs) => [
    {
      dtype: sumDtype(self.dtype, attrs),
      shape: reducedShape(self.shape, reducedDims(attrs.dim, self.shape.length), attrs.keepdim === true),
    },
  ],
  reference: ([self], attrs, [out]) => {
    const dims = reducedDims(attrs.dim, self.shape.length);
    return [prodHost(self, dims, out.dtype, elementCount(out.shape))];
  },
  wgsl: 'host',
  gradName: 'Prod',
  gradient: {
    saves: { inputs: [0], outputs: [0] },
    backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => {
      const dims = reducedDims(attrs.dim, self.shape.length);
      if (self.shape.length === 0) return [gradOutput];
      if (elementCount(self.shape) === 0) return [b.full(self, self.shape, 0)];
      const restore = (v: Value): Value => restoreReduced(b, v, self.shape, dims, attrs.keepdim === true);
      const grad = restore(gradOutput);
      const x = b.cast(self, gradOutput.dtype);
      const simple = b.mul(grad, b.div(restore(result), x));
      // With a zero somewhere, result / x is 0 / 0 there: multiply the other elements instead.
      const flat = dims.length === 1 ? null : [elementCount(self.shape)];
      const others = flat
        ? b.reshape(productOfOthers(b, b.reshape(x, flat), 0), self.shape)
        : productOfOthers(b, x, dims[0]);
      const anyZero = b.op('any', [b.eq(x, 0)], { dim: null, keepdim: false });
      return [b.where(anyZero, b.mul(grad, others), simple)];
    },
  },
  autocast: { cpu: 'fp32', cuda: 'fp32_set_opt_dtype' },
  tolerance: { half: exactTolerance, float32: { ulp: 0, source: 'ATen Reduce.h order' } },
  samples: [
    { inputs: [{ shape: [4], values: [1, 2, 3, 4] }], attrs: { dim: null, keepdim: false, dtype: null } },
    { inputs: [{ shape: [2, 3], values: [1, 0, 3, 0.5, -2, 7] }], attrs: { dim: [1], keepdim: false, dtype: null } },
    { inputs: [{ shape: [3], values: [65504, 2, 0] }], attrs: { dim: null, keepdim: false, dtype: null } },
  ],
});
