/**
 * Picking and placing elements by index tensors: gather, scatter, scatter_add, index_select, index_add, and `index` and `index_put`,
 * which are what x[i, j] and x[i, j] = v come to. Indices are int64 (int32 where PyTorch takes it); an index out of range is an error
 * found while the op runs.
 */
import { allocateHost, type DType, type HostData, type HostTensor, isHalf, scalarTypeName } from '../formats/dtype';
import { readElements, writeElements } from '../formats/host-elements';
import { broadcastShapes, elementCount, flatOperand, sameShape } from './broadcast';
import { contiguousStrides, normalizeDim, splitAt } from './dimensions';
import { rounder, store } from './elementwise';
import { type Attrs, type Builder, defineOp, type TensorSpec, type Tolerance, TorchError, type Value } from './record';
import { exactTolerance } from './reductions';

const copies: { readonly half: Tolerance; readonly float32: Tolerance } = {
  half: exactTolerance,
  float32: exactTolerance,
};
const noCast = { cpu: 'none', cuda: 'none' } as const;
const isIndexDtype = (d: DType): boolean => d === 'int64' || d === 'int32';
const list = (shape: readonly number[]): string => `[${shape.join(', ')}]`;
const fail = (message: string, type: 'RuntimeError' | 'IndexError' = 'RuntimeError'): never => {
  throw new TorchError(type, message);
};

// --- gather and scatter: an index for every element ---

/** Errors that gather and scatter share; `name` is how PyTorch's text calls the tensor indexed into. */
function checkGather(op: string, self: TensorSpec, index: TensorSpec, src: TensorSpec | null, dim: number): void {
  if (!isIndexDtype(index.dtype)) fail(`${op === 'gather' ? op : 'scatter'}(): Expected dtype int32/int64 for index`);
  if (src && src.dtype !== self.dtype) fail('scatter(): Expected self.dtype to be equal to src.dtype');
  if (elementCount(index.shape) === 0) return;
  const rank = (t: TensorSpec): number => Math.max(1, t.shape.length);
  const sizeAt = (t: TensorSpec, d: number): number => (t.shape.length === 0 ? 1 : t.shape[d]);
  const name = op === 'gather' ? 'input' : 'self';
  if (rank(index) !== rank(self)) fail(`Index tensor must have the same number of dimensions as ${name} tensor`);
  if (src && rank(index) !== rank(src)) fail('Index tensor must have the same number of dimensions as src tensor');
  for (let d = 0; d < rank(self); d++) {
    const tooLarge = d !== dim && sizeAt(index, d) > sizeAt(self, d);
    if (op === 'gather' && tooLarge) {
      fail(
        `Size does not match at dimension ${d} expected index ${list(index.shape)} to be no larger than self ${list(self.shape)} apart from dimension ${dim}`,
      );
    }
    if (op !== 'gather' && (tooLarge || (src && sizeAt(index, d) > sizeAt(src, d)))) {
      const andSrc = src ? ` and to be no larger size than src ${list(src.shape)}` : '';
      fail(
        `Expected index ${list(index.shape)} to be no larger than self ${list(self.shape)} apart from dimension ${dim}${andSrc}`,
      );
    }
  }
}

/**
 * For each element of `index`, in row-major order: the element of `self` (position with the index put in place of the coordinate along
 * dim) and of `src` (the same position).
 */
function eachIndexed(
  self: readonly number[],
  index: HostTensor,
  src: readonly number[] | null,
  dim: number,
  visit: (inSelf: number, flat: number, inSrc: number) => void,
): void {
  const n = elementCount(index.shape);
  const at = readElements(index);
  const rank = index.shape.length;
  const strides = contiguousStrides(self);
  const srcStrides = contiguousStrides(src ?? index.shape);
  const size = self.length === 0 ? 1 : self[dim];
  const position = new Array<number>(rank).fill(0);
  for (let flat = 0; flat < n; flat++) {
    const i = at[flat];
    if (!(i >= 0 && i < size)) fail(`index ${i} is out of bounds for dimension ${dim} with size ${size}`);
    let inSelf = 0;
    let inSrc = 0;
    for (let d = 0; d < rank; d++) {
      inSelf += (d === dim ? i : position[d]) * (strides[d] ?? 0);
      inSrc += position[d] * (srcStrides[d] ?? 0);
    }
    visit(inSelf, flat, inSrc);
    for (let d = rank - 1; d >= 0; d--) {
      if (++position[d] < index.shape[d]) break;
      position[d] = 0;
    }
  }
}

const dimOf = (attrs: Attrs, self: { readonly shape: readonly number[] }): number =>
  normalizeDim(attrs.dim as number, self.shape.length);

/** a + b as the dtype stores it, rounded at every addition (index_put). Bool adds as "or". */
const adder = (dtype: DType): ((a: number, b: number) => number) => {
  const round = rounder(dtype);
  return dtype === 'bool' ? (a, b) => (a !== 0 || b !== 0 ? 1 : 0) : (a, b) => round(a + b);
};

const ints = (shape: readonly number[], values: readonly number[]) => ({ shape, values, dtype: 'int64' as const });

defineOp({
  name: 'gather',
  doc: 'out[i][j] = self[index[i][j]][j] for dim 0, and so on: one element for each index. Shape of `index`.',
  params: 'self: Tensor, dim: int, index: Tensor',
  promotion: 'same',
  infer: ([self, index], attrs) => {
    checkGather('gather', self, index, null, dimOf(attrs, self));
    return [{ dtype: self.dtype, shape: index.shape }];
  },
  reference: ([self, index], attrs) => {
    const out = allocateHost(self.dtype, elementCount(index.shape));
    eachIndexed(self.shape, index, null, dimOf(attrs, self), (from, flat) => {
      out[flat] = self.data[from];
    });
    return [out];
  },
  wgsl: 'host',
  gradName: 'Gather',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, inputs: [self, index], attrs, gradOutput }) => [
      b.op('scatter_add', [b.full(gradOutput, self.shape, 0), index, gradOutput], { dim: attrs.dim }),
      null,
    ],
  },
  autocast: noCast,
  tolerance: copies,
  samples: [
    { inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }, ints([2, 1], [2, 0])], attrs: { dim: 1 } },
    { inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }, ints([1, 3], [1, 0, 1])], attrs: { dim: 0 } },
  ],
});

for (const accumulate of [false, true]) {
  const name = accumulate ? 'scatter_add' : 'scatter';
  defineOp({
    name,
    doc: accumulate
      ? 'A copy of self with src added at the indexed places, one after the other; 16-bit sums are kept in float32 and rounded once.'
      : 'A copy of self with src written at the indexed places; of several writes to one place the last stays.',
    params: 'self: Tensor, dim: int, index: Tensor, src: Tensor',
    promotion: 'same',
    infer: ([self, index, src], attrs) => {
      checkGather(name, self, index, src, dimOf(attrs, self));
      return [{ dtype: self.dtype, shape: self.shape }];
    },
    reference: ([self, index, src], attrs) => {
      const dim = dimOf(attrs, self);
      if (!accumulate) {
        const out = self.data.slice() as HostData;
        eachIndexed(self.shape, index, src.shape, dim, (to, _flat, from) => {
          out[to] = src.data[from];
        });
        return [out];
      }
      const out = Float64Array.from(readElements(self));
      const values = readElements(src);
      const add = isHalf(self.dtype) ? (a: number, b: number): number => Math.fround(a + b) : adder(self.dtype);
      eachIndexed(self.shape, index, src.shape, dim, (to, _flat, from) => {
        out[to] = add(out[to], values[from]);
      });
      return [store(self.dtype, out)];
    },
    wgsl: 'host',
    gradName: accumulate ? 'ScatterAdd' : 'Scatter',
    gradient: {
      saves: { inputs: [1] },
      backward: ({ b, inputs: [, index], attrs, gradOutput, needs }) => [
        !needs[0]
          ? null
          : accumulate
            ? gradOutput
            : b.op('scatter_value', [gradOutput, index], { dim: attrs.dim, value: 0 }),
        null,
        needs[2] ? b.op('gather', [gradOutput, index], { dim: attrs.dim }) : null,
      ],
    },
    autocast: { cpu: 'none', cuda: accumulate ? 'promote' : 'none' },
    tolerance: copies,
    samples: [
      {
        inputs: [
          { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
          ints([1, 3], [1, 0, 1]),
          { shape: [1, 3], values: [0.1, 0.2, 0.3] },
        ],
        attrs: { dim: 0 },
      },
    ],
  });
}

defineOp({
  name: 'scatter_value',
  doc: 'A copy of self with one number written at the indexed places.',
  params: 'self: Tensor, dim: int, index: Tensor, value: float',
  promotion: 'same',
  infer: ([self, index], attrs) => {
    checkGather('scatter', self, index, null, dimOf(attrs, self));
    return [{ dtype: self.dtype, shape: self.shape }];
  },
  reference: ([self, index], attrs) => {
    const out = self.data.slice() as HostData;
    const bits = writeElements(self.dtype, [attrs.value as number])[0];
    eachIndexed(self.shape, index, null, dimOf(attrs, self), (to) => {
      out[to] = bits;
    });
    return [out];
  },
  wgsl: 'host',
  gradName: 'ScatterBackward1',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, inputs: [, index], attrs, gradOutput }) => [
      b.op('scatter_value', [gradOutput, index], { dim: attrs.dim, value: 0 }),
      null,
    ],
  },
  autocast: noCast,
  tolerance: copies,
  samples: [{ inputs: [{ shape: [2, 2], values: [1, 2, 3, 4] }, ints([2, 1], [1, 0])], attrs: { dim: 1, value: -1 } }],
});

// --- index_select and index_add: an index for every slice ---

function checkIndexVector(op: string, self: TensorSpec, index: TensorSpec): void {
  if (index.shape.length > 1) fail(`${op}(): Index is supposed to be a vector`, 'IndexError');
  if (!isIndexDtype(index.dtype)) fail(`${op}(): Expected dtype int32 or int64 for index`);
  if (self.shape.length === 0 && elementCount(index.shape) !== 1) {
    fail(`${op}(): Index to scalar can have only 1 value, got ${elementCount(index.shape)} value(s)`);
  }
}

defineOp({
  name: 'index_select',
  doc: 'The slices of self along `dim` that `index` (a vector) names, in its order.',
  params: 'self: Tensor, dim: int, index: Tensor',
  promotion: 'same',
  infer: ([self, index], attrs) => {
    const dim = dimOf(attrs, self);
    checkIndexVector('index_select', self, index);
    return [{ dtype: self.dtype, shape: self.shape.map((d, i) => (i === dim ? elementCount(index.shape) : d)) }];
  },
  reference: ([self, index], attrs, [out]) => {
    const { outer, size, inner } = splitAt(self.shape, dimOf(attrs, self));
    const at = readElements(index);
    const data = allocateHost(self.dtype, elementCount(out.shape));
    for (let k = 0; k < at.length; k++) {
      if (!(at[k] >= 0 && at[k] < size)) fail('index out of range in self', 'IndexError');
      for (let o = 0; o < outer; o++) {
        const from = (o * size + at[k]) * inner;
        data.set(self.data.subarray(from, from + inner), (o * at.length + k) * inner);
      }
    }
    return [data];
  },
  wgsl: 'host',
  gradName: 'IndexSelect',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, inputs: [self, index], attrs, gradOutput }) => [
      b.op('index_add', [b.full(gradOutput, self.shape, 0), index, gradOutput], { dim: attrs.dim, alpha: 1 }),
      null,
    ],
  },
  autocast: noCast,
  tolerance: copies,
  samples: [{ inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }, ints([3], [2, 0, 2])], attrs: { dim: 1 } }],
});

defineOp({
  name: 'index_add',
  doc: 'A copy of self with alpha * source added to the slices along `dim` that `index` names, one after the other; 16-bit sums are rounded once.',
  params: 'self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: float',
  promotion: 'same',
  infer: ([self, index, source], attrs) => {
    const dim = dimOf(attrs, self);
    checkIndexVector('index_add', self, index);
    if (self.dtype !== source.dtype) {
      fail(
        `index_add_(): self (${scalarTypeName[self.dtype]}) and source (${scalarTypeName[source.dtype]}) must have the same scalar type`,
      );
    }
    const expected = self.shape.map((d, i) => (i === dim ? elementCount(index.shape) : d));
    if (self.shape.length > 0 && !sameShape(source.shape, expected)) {
      fail(
        `index_add_(): Source of shape ${list(source.shape)} doesn't fit self of shape ${list(self.shape)} at dim ${dim} with ${elementCount(index.shape)} indices`,
      );
    }
    return [{ dtype: self.dtype, shape: self.shape }];
  },
  reference: ([self, index, source], attrs) => {
    const dim = dimOf(attrs, self);
    const { outer, size, inner } = splitAt(self.shape, dim);
    const at = readElements(index);
    const out = Float64Array.from(readElements(self));
    const values = readElements(source);
    const alpha = typeof attrs.alpha === 'number' ? attrs.alpha : 1;
    // With alpha = 1, 16-bit sums are kept in float32 and rounded once; otherwise each step is rounded.
    const step = alpha === 1 && isHalf(self.dtype) ? Math.fround : rounder(self.dtype);
    for (let k = 0; k < at.length; k++) {
      if (!(at[k] >= 0 && at[k] < size)) fail(`index ${at[k]} is out of bounds for dimension ${dim} with size ${size}`);
      for (let o = 0; o < outer; o++) {
        for (let i = 0; i < inner; i++) {
          const to = (o * size + at[k]) * inner + i;
          const v = values[(o * at.length + k) * inner + i];
          out[to] = step(out[to] + (alpha === 1 ? v : step(step(alpha) * v)));
        }
      }
    }
    return [store(self.dtype, out)];
  },
  wgsl: 'host',
  gradName: 'IndexAdd',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, inputs: [, index], attrs, gradOutput, needs }) => {
      const picked = needs[2] ? b.op('index_select', [gradOutput, index], { dim: attrs.dim }) : null;
      const alpha = typeof attrs.alpha === 'number' ? attrs.alpha : 1;
      return [gradOutput, null, picked && alpha !== 1 ? b.mul(picked, alpha) : picked];
    },
  },
  autocast: noCast,
  tolerance: copies,
  samples: [
    {
      inputs: [{ shape: [3], values: [1, 2, 3] }, ints([3], [0, 0, 2]), { shape: [3], values: [0.1, 0.2, 0.3] }],
      attrs: { dim: 0, alpha: 1 },
    },
  ],
});

// --- index and index_put: x[i, j] ---

interface IndexPlan {
  /** Shape of the result: the index tensors' common shape in place of the indexed dims, or in front if these aren't neighbours. */
  readonly shape: readonly number[];
  readonly common: readonly number[];
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** `dims[k]` is the dim of self that the k-th index tensor addresses. */
function planIndex(self: readonly number[], indices: readonly TensorSpec[], dims: readonly number[]): IndexPlan {
  for (const index of indices) {
    if (!isIndexDtype(index.dtype))
      fail('tensors used as indices must be long, int, byte or bool tensors', 'IndexError');
  }
  let common: number[];
  try {
    common = broadcastShapes(...indices.map((i) => i.shape));
  } catch {
    const shapes = indices.map((i) => list(i.shape)).join(', ');
    return fail(`shape mismatch: indexing tensors could not be broadcast together with shapes ${shapes}`, 'IndexError');
  }
  const adjacent = dims.every((d, k) => k === 0 || d === dims[k - 1] + 1);
  const rest = self.filter((_, d) => !dims.includes(d));
  const front = adjacent ? (dims[0] ?? 0) : 0;
  const before = rest.slice(0, front);
  const after = rest.slice(front);
  return { shape: [...before, ...common, ...after], common, before, after };
}

/** Offsets into self for every element of the result, in row-major order. */
function indexOffsets(self: readonly number[], indices: readonly HostTensor[], dims: readonly number[]): Float64Array {
  const { common, before, after } = planIndex(self, indices, dims);
  const strides = contiguousStrides(self);
  const kept = self.map((_, d) => d).filter((d) => !dims.includes(d));
  const offsetsOf = (shape: readonly number[], at: readonly number[]): number[] => {
    let offsets = [0];
    shape.forEach((size, k) => {
      offsets = offsets.flatMap((o) => Array.from({ length: size }, (_, i) => o + i * strides[at[k]]));
    });
    return offsets;
  };
  const n = elementCount(common);
  const picked = new Float64Array(n);
  indices.forEach((index, k) => {
    const { values, step } = flatOperand(readElements(index), index.shape, common);
    const size = self[dims[k]];
    for (let i = 0; i < n; i++) {
      const at = values[i * step];
      if (!(at >= -size && at < size)) {
        // PyTorch counts indexed dims only here: the first index tensor is "dimension 0".
        fail(`index ${at} is out of bounds for dimension ${k} with size ${size}`, 'IndexError');
      }
      picked[i] += (at < 0 ? at + size : at) * strides[dims[k]];
    }
  });
  const outer = offsetsOf(before, kept.slice(0, before.length));
  const inner = offsetsOf(after, kept.slice(before.length));
  const out = new Float64Array(outer.length * n * inner.length);
  let next = 0;
  for (const o of outer) for (let i = 0; i < n; i++) for (const p of inner) out[next++] = o + picked[i] + p;
  return out;
}

const dimsOf = (attrs: Attrs): readonly number[] => attrs.dims as readonly number[];

defineOp({
  name: 'index',
  doc: 'self[…, i, j, …] with int64 index tensors that broadcast together; `dims` names the dims they address. Negative indices count from the end.',
  params: 'self: Tensor, indices: Tensor[], dims: int[]',
  promotion: 'same',
  infer: ([self, ...indices], attrs) => [
    { dtype: self.dtype, shape: planIndex(self.shape, indices, dimsOf(attrs)).shape },
  ],
  reference: ([self, ...indices], attrs) => {
    const offsets = indexOffsets(self.shape, indices, dimsOf(attrs));
    const out = allocateHost(self.dtype, offsets.length);
    for (let i = 0; i < offsets.length; i++) out[i] = self.data[offsets[i]];
    return [out];
  },
  wgsl: 'host',
  gradName: 'Index',
  gradient: {
    saves: { inputs: [1, 2, 3, 4, 5, 6, 7, 8] },
    backward: ({ b, inputs: [self, ...indices], attrs, gradOutput }) => [
      b.op('index_put', [b.full(gradOutput, self.shape, 0), gradOutput, ...indices], {
        dims: attrs.dims,
        accumulate: true,
      }),
      ...indices.map(() => null),
    ],
  },
  autocast: noCast,
  tolerance: copies,
  samples: [
    { inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }, ints([2], [1, -2])], attrs: { dims: [0] } },
    {
      inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }, ints([2, 1], [0, 1]), ints([2], [2, 0])],
      attrs: { dims: [0, 1] },
    },
  ],
});

/** Gradient of index_put for self: zero where values were put (unless they were added). */
function putZeros(b: Builder, grad: Value, indices: readonly Value[], attrs: Attrs): Value {
  const zero = b.full(grad, [], 0);
  return b.op('index_put', [grad, zero, ...indices], { dims: attrs.dims, accumulate: false });
}

defineOp({
  name: 'index_put',
  doc: 'A copy of self with `values` (broadcast to the indexed shape) written, or with accumulate added one after the other, at self[…, i, j, …].',
  params: 'self: Tensor, values: Tensor, indices: Tensor[], dims: int[], accumulate: bool',
  promotion: 'same',
  infer: ([self, values, ...indices], attrs) => {
    const { shape } = planIndex(self.shape, indices, dimsOf(attrs));
    if (self.dtype !== values.dtype) {
      fail(
        `Index put requires the source and destination dtypes match, got ${scalarTypeName[self.dtype]} for the destination and ${scalarTypeName[values.dtype]} for the source.`,
      );
    }
    const extra = shape.length - values.shape.length;
    if (extra < 0 || values.shape.some((d, i) => d !== 1 && d !== shape[i + extra])) {
      fail(
        `shape mismatch: value tensor of shape ${list(values.shape)} cannot be broadcast to indexing result of shape ${list(shape)}`,
      );
    }
    return [{ dtype: self.dtype, shape: self.shape }];
  },
  reference: ([self, values, ...indices], attrs) => {
    const dims = dimsOf(attrs);
    const { shape } = planIndex(self.shape, indices, dims);
    const offsets = indexOffsets(self.shape, indices, dims);
    const source = flatOperand(readElements(values), values.shape, shape);
    const out = Float64Array.from(readElements(self));
    const add = adder(self.dtype);
    for (let i = 0; i < offsets.length; i++) {
      const v = source.values[i * source.step];
      out[offsets[i]] = attrs.accumulate === true ? add(out[offsets[i]], v) : v;
    }
    return [store(self.dtype, out)];
  },
  wgsl: 'host',
  gradName: 'IndexPut',
  gradient: {
    saves: { inputs: [2, 3, 4, 5, 6, 7, 8, 9] },
    backward: ({ b, inputs: [, , ...indices], attrs, gradOutput, needs }) => [
      !needs[0] ? null : attrs.accumulate === true ? gradOutput : putZeros(b, gradOutput, indices, attrs),
      needs[1] ? b.op('index', [gradOutput, ...indices], { dims: attrs.dims }) : null,
      ...indices.map(() => null),
    ],
  },
  autocast: { cpu: 'none', cuda: 'promote' },
  tolerance: copies,
  samples: [
    {
      inputs: [
        { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
        { shape: [3], values: [0.1, 0.2, 0.3] },
        ints([2], [1, 1]),
      ],
      attrs: { dims: [0], accumulate: true },
    },
    {
      inputs: [{ shape: [3], values: [1, 2, 3] }, { shape: [], values: [-1] }, ints([2], [0, -1])],
      attrs: { dims: [0], accumulate: false },
    },
  ],
});

/** Row-major coordinates of the nonzero elements, [count, rank] flattened: what `torch.nonzero` gives. NaN counts as nonzero. */
export function nonzeroCoordinates(host: HostTensor): Float64Array {
  const x = readElements(host);
  const { shape } = host;
  const rank = shape.length;
  const found: number[] = [];
  for (let i = 0; i < x.length; i++) {
    if (x[i] === 0) continue;
    let rest = i;
    const at = found.length;
    for (let d = rank - 1; d >= 0; d--) {
      found[at + d] = rest % shape[d];
      rest = Math.floor(rest / shape[d]);
    }
  }
  return Float64Array.from(found);
}
