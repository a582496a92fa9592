/** sum and mean over all or some dims. */
import {
  allocateHost,
  type DType,
  type HostData,
  type HostTensor,
  isFloating,
  isHalf,
  scalarTypeName,
} from '../formats/dtype';
import { readElements, roundToDtype } from '../formats/host-elements';
import { elementCount } from './broadcast';
import { forEachOffset, groupDims, reducedDims, reducedShape, restoreReduced } from './dimensions';
import { store } from './elementwise';
import { type Attrs, defineOp, type Tolerance, TorchError } from './record';
import { type Floats, sumColumns, sumContiguous, sumStrided } from './summation-order';

const floatSumTolerance: Tolerance = { ulp: 0, source: 'ATen SumKernel.cpp order, see summation-order.ts' };
export const exactTolerance: Tolerance = { ulp: 0, source: 'one rounding on store of the exact or float32 result' };

/** The elements of `host` as the array that arithmetic of `dtype` accumulates in: float32 for 16-bit and float32, else double. */
export function accumulands(host: HostTensor, dtype: DType): Floats {
  const elements = readElements(host);
  if (isHalf(dtype)) {
    // sum(dtype=float16) of other dtypes converts each element first.
    return isHalf(host.dtype) && host.dtype === dtype
      ? (elements as Float32Array)
      : Float32Array.from(elements, (x) => roundToDtype(x, dtype));
  }
  if (dtype === 'float32') return elements instanceof Float32Array ? elements : Float32Array.from(elements);
  return elements instanceof Float64Array ? elements : Float64Array.from(elements);
}

/**
 * Sums `x` (contiguous, of `shape`) over `dims` in ATen's order into an array of one accumulator an output, not yet rounded to a
 * 16-bit dtype. Where reduced dims aren't neighbours, one innermost run at a time is summed and added to the output.
 */
export function sumOver(x: Floats, shape: readonly number[], dims: readonly number[], dtype: DType): Floats {
  const half = isHalf(dtype);
  const groups = groupDims(shape, dims);
  const reduced = groups.filter((g) => g.reduced);
  const kept = groups.filter((g) => !g.reduced);
  const outputs = elementCount(reducedShape(shape, dims, false));
  const out: Floats = x instanceof Float32Array ? new Float32Array(outputs) : new Float64Array(outputs);
  if (outputs === 0 || elementCount(shape) === 0) return out;
  const [first, second] = reduced;
  if (!first) {
    for (let i = 0; i < outputs; i++) out[i] = x[i] + 0; // 0 + -0 is +0
    return out;
  }
  let next = 0;
  if (!second) {
    const columns = kept[0];
    if (columns && columns.stride < first.stride) {
      forEachOffset(kept.slice(1), (offset) => {
        sumColumns(x, offset, first.stride, first.size, columns.size, out, next, half);
        next += columns.size;
      });
    } else {
      forEachOffset(kept, (offset) => {
        out[next++] = sumContiguous(x, offset, first.size, half);
      });
    }
    return out;
  }
  const round = x instanceof Float32Array ? Math.fround : (v: number): number => v;
  forEachOffset(kept, (offset) => {
    let total = 0;
    forEachOffset(
      reduced.slice(1),
      (start) => {
        const part =
          first.stride === 1
            ? sumContiguous(x, start, first.size, half)
            : sumStrided(x, start, first.stride, first.size);
        total = round(total + part);
      },
      reduced.length - 2,
      offset,
    );
    out[next++] = total;
  });
  return out;
}

/** Integer sums are exact; int64's limit is checked on store. */
function sumExact(x: ArrayLike<number>, shape: readonly number[], dims: readonly number[]): Float64Array {
  const groups = groupDims(shape, dims);
  const out = new Float64Array(elementCount(reducedShape(shape, dims, false)));
  if (elementCount(shape) === 0) return out;
  let next = 0;
  forEachOffset(
    groups.filter((g) => !g.reduced),
    (offset) => {
      let total = 0;
      forEachOffset(
        groups.filter((g) => g.reduced),
        (at) => {
          total += x[at];
        },
        undefined,
        offset,
      );
      out[next++] = total;
    },
  );
  return out;
}

/** dtype of sum, prod and cumsum: `dtype` if given, integers and bool become int64. */
export function sumDtype(input: DType, attrs: Attrs): DType {
  const asked = attrs.dtype as DType | null | undefined;
  return asked ?? (isFloating(input) ? input : 'int64');
}

function sumHost(host: HostTensor, dims: readonly number[], dtype: DType): HostData {
  if (!isFloating(dtype)) return store(dtype, sumExact(store(dtype, readElements(host)), host.shape, dims));
  return store(dtype, sumOver(accumulands(host, dtype), host.shape, dims, dtype));
}

defineOp({
  name: 'sum',
  doc: 'Sum over `dim` (all dims if None). 16-bit inputs accumulate in float32 and round once; integers and bool give int64. An empty sum is 0.',
  params: 'self: Tensor, dim: int[]?, keepdim: bool, dtype: dtype?',
  promotion: 'same',
  infer: ([self], attrs) => {
    const dims = reducedDims(attrs.dim, self.shape.length);
    return [{ dtype: sumDtype(self.dtype, attrs), shape: reducedShape(self.shape, dims, attrs.keepdim === true) }];
  },
  reference: ([self], attrs, [out]) => [sumHost(self, reducedDims(attrs.dim, self.shape.length), out.dtype)],
  wgsl: { kind: 'kernel', kernel: 'sum' },
  gradName: 'Sum',
  gradient: {
    saves: {},
    backward: ({ b, inputs: [self], attrs, gradOutput }) => {
      const dims = reducedDims(attrs.dim, self.shape.length);
      return [b.expand(restoreReduced(b, gradOutput, self.shape, dims, attrs.keepdim === true), self.shape)];
    },
  },
  autocast: { cpu: 'none', cuda: 'fp32_set_opt_dtype' },
  tolerance: { half: exactTolerance, float32: floatSumTolerance },
  samples: [
    { inputs: [{ shape: [4], values: [1, 2, 3, 4] }], attrs: { dim: null, keepdim: false, dtype: null } },
    // In float16, 2048 + 1 rounds back to 2048: only a float32 accumulator reaches 2052.
    { inputs: [{ shape: [5], values: [2048, 1, 1, 1, 1] }], attrs: { dim: null, keepdim: false, dtype: null } },
    {
      inputs: [{ shape: [2, 3], values: [1, -2, 3, 0.5, 1e-3, 65504] }],
      attrs: { dim: [0], keepdim: true, dtype: null },
    },
    {
      inputs: [{ shape: [2, 3], values: [1, -2, 3, Infinity, -Infinity, NaN] }],
      attrs: { dim: [-1], keepdim: false, dtype: null },
    },
    { inputs: [{ shape: [0], values: [] }], attrs: { dim: null, keepdim: false, dtype: null } },
  ],
});

defineOp({
  name: 'mean',
  doc: 'Mean over `dim` (all dims if None). 16-bit inputs are summed and divided in float32, then rounded once. An empty mean is NaN.',
  params: 'self: Tensor, dim: int[]?, keepdim: bool, dtype: dtype?',
  promotion: 'same',
  infer: ([self], attrs) => {
    const asked = attrs.dtype as DType | null | undefined;
    const dtype = asked ?? self.dtype;
    if (!isFloating(dtype)) {
      throw new TorchError(
        'RuntimeError',
        `mean(): could not infer output dtype. ${asked ? 'Optional' : 'Input'} dtype must be either a floating point or complex dtype. Got: ${scalarTypeName[dtype]}`,
      );
    }
    const dims = reducedDims(attrs.dim, self.shape.length);
    return [{ dtype, shape: reducedShape(self.shape, dims, attrs.keepdim === true) }];
  },
  reference: ([self], attrs, [out]) => {
    const dims = reducedDims(attrs.dim, self.shape.length);
    // 16-bit inputs are cast to float32 before summing, so the order is float32's (ReduceOps.cpp, mean_out on the CPU).
    const working: DType = out.dtype === 'float64' ? 'float64' : 'float32';
    const totals = sumOver(accumulands(self, working), self.shape, dims, working);
    const count = dims.reduce((n, d) => n * self.shape[d], 1);
    for (let i = 0; i < totals.length; i++) totals[i] = totals[i] / count;
    return [store(out.dtype, totals)];
  },
  wgsl: { kind: 'kernel', kernel: 'mean' },
  gradName: 'Mean',
  gradient: {
    saves: {},
    backward: ({ b, inputs: [self], attrs, gradOutput }) => {
      const dims = reducedDims(attrs.dim, self.shape.length);
      const count = dims.reduce((n, d) => n * self.shape[d], 1);
      const spread = b.expand(restoreReduced(b, gradOutput, self.shape, dims, attrs.keepdim === true), self.shape);
      return [b.div(spread, count)];
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: floatSumTolerance },
  samples: [
    { inputs: [{ shape: [4], values: [1, 2, 3, 4] }], attrs: { dim: null, keepdim: false, dtype: null } },
    // The float16 sum would be infinite; the float32 sum is not.
    { inputs: [{ shape: [2], values: [65504, 65504] }], attrs: { dim: null, keepdim: false, dtype: null } },
    {
      inputs: [{ shape: [2, 3], values: [1, -2, 3, 0.5, 1e-3, 100] }],
      attrs: { dim: [1], keepdim: true, dtype: null },
    },
    { inputs: [{ shape: [0], values: [] }], attrs: { dim: null, keepdim: false, dtype: null } },
  ],
});

/** "Every element is true" and "any element is true". uint8 keeps its dtype, as PyTorch has it; every other dtype gives bool. */
for (const name of ['all', 'any'] as const) {
  defineOp({
    name,
    doc: `Whether ${name === 'all' ? 'all elements are' : 'any element is'} true (not zero; NaN is true) over \`dim\` (all dims if None).`,
    params: 'self: Tensor, dim: int[]?, keepdim: bool',
    promotion: 'same',
    infer: ([self], attrs) => [
      {
        dtype: self.dtype === 'uint8' ? 'uint8' : 'bool',
        shape: reducedShape(self.shape, reducedDims(attrs.dim, self.shape.length), attrs.keepdim === true),
      },
    ],
    reference: ([self], attrs, [out]) => {
      const x = readElements(self);
      const groups = groupDims(self.shape, reducedDims(attrs.dim, self.shape.length));
      const reduced = groups.filter((g) => g.reduced);
      const result = allocateHost(out.dtype, elementCount(out.shape)).fill(name === 'all' ? 1 : 0);
      if (elementCount(self.shape) === 0) return [result];
      let next = 0;
      forEachOffset(
        groups.filter((g) => !g.reduced),
        (offset) => {
          let found = false; // a false element for `all`, a true one for `any`
          forEachOffset(
            reduced,
            (at) => {
              if ((x[at] === 0) === (name === 'all')) found = true;
            },
            undefined,
            offset,
          );
          if (found) result[next] = name === 'all' ? 0 : 1;
          next++;
        },
      );
      return [result];
    },
    wgsl: 'host',
    gradient: 'not differentiable',
    autocast: { cpu: 'none', cuda: 'none' },
    tolerance: { half: exactTolerance, float32: exactTolerance },
    samples: [
      { inputs: [{ shape: [3], values: [1, 0, NaN] }], attrs: { dim: null, keepdim: false } },
      { inputs: [{ shape: [2, 2], values: [0, 0, -0, 2] }], attrs: { dim: [1], keepdim: true } },
      { inputs: [{ shape: [0], values: [] }], attrs: { dim: null, keepdim: false } },
    ],
  });
}
