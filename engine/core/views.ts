/** Views: new shapes, strides and offsets on the same storage, each with its gradient. Errors are PyTorch's. */
import { isFloating, itemSize } from '../formats/dtype';
import { TorchError } from '../ops/record';
import { tensorTypeName } from './dtype-names';
import type { Engine } from './engine';
import {
  contiguousStrides,
  elementCount,
  inferSize,
  isExpandableTo,
  type Shape,
  sameShape,
  sizesText,
  viewStrides,
  wrapDim,
} from './shape';
import { Tensor } from './tensor';
import { attach, embed, type Geometry, linkView } from './view-autograd';

type Gradient = (grad: Tensor) => Tensor;

function makeView(
  engine: Engine,
  t: Tensor,
  shape: Shape,
  strides: Shape,
  offset: number,
  name: string,
  gradient: Gradient,
): Tensor {
  const view = new Tensor(t.storage, t.dtype, shape, strides, offset, t.device, t.version);
  view.inference = t.inference;
  if (!engine.inferenceMode) {
    attach(engine, view, name, [t], ([g]) => [g === null ? null : gradient(g)]);
    // As PyTorch: a view made under no_grad says that it requires grad if its source does, though nothing will flow.
    if (!engine.gradEnabled && t.requiresGrad) view.requiresGradFlag = true;
    if (isFloating(t.dtype)) linkView(engine, view, t, engine.gradEnabled ? 'default' : 'no_grad');
  }
  return view;
}

/** Same elements, another shape, never a copy. Errors: a wrong element count; strides that can't be expressed. */
export function viewAs(engine: Engine, t: Tensor, size: Shape): Tensor {
  const shape = inferSize(size, t.elementCount);
  const strides = viewStrides(t.shape, t.strides, shape);
  if (strides === null) {
    throw new TorchError(
      'RuntimeError',
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
    );
  }
  const from = t.shape;
  return makeView(engine, t, shape, strides, t.offset, 'ViewBackward0', (g) => reshapeView(engine, g, from));
}

/** A view where strides allow, else a contiguous copy. */
export function reshapeView(engine: Engine, t: Tensor, size: Shape): Tensor {
  const shape = inferSize(size, t.elementCount);
  if (viewStrides(t.shape, t.strides, shape) !== null) return viewAs(engine, t, shape);
  const copy = engine.clone(t);
  const from = t.shape;
  // Not a view of `t`: PyTorch's _unsafe_view.
  const view = new Tensor(copy.storage, copy.dtype, shape, contiguousStrides(shape), 0, copy.device, copy.version);
  attach(engine, view, 'UnsafeViewBackward0', [copy], ([g]) => [g === null ? null : reshapeView(engine, g, from)]);
  return view;
}

export function permuteView(engine: Engine, t: Tensor, dims: readonly number[], name = 'PermuteBackward0'): Tensor {
  if (dims.length !== t.shape.length) {
    throw new TorchError(
      'RuntimeError',
      `permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ${t.shape.length} is not equal to len(dims) = ${dims.length}`,
    );
  }
  const order = dims.map((d) => wrapDim(d, t.shape.length));
  const inverse = new Array<number>(order.length).fill(-1);
  order.forEach((d, i) => {
    if (inverse[d] >= 0) throw new TorchError('RuntimeError', 'permute(): duplicate dims are not allowed.');
    inverse[d] = i;
  });
  return makeView(
    engine,
    t,
    order.map((d) => t.shape[d]),
    order.map((d) => t.strides[d]),
    t.offset,
    name,
    (g) => permuteView(engine, g, inverse),
  );
}

export function transposeView(
  engine: Engine,
  t: Tensor,
  dim0: number,
  dim1: number,
  name = 'TransposeBackward0',
): Tensor {
  const rank = t.shape.length;
  const d0 = wrapDim(dim0, rank);
  const d1 = wrapDim(dim1, rank);
  if (rank === 0) return aliasView(engine, t);
  const shape = [...t.shape];
  const strides = [...t.strides];
  [shape[d0], shape[d1]] = [shape[d1], shape[d0]];
  [strides[d0], strides[d1]] = [strides[d1], strides[d0]];
  return makeView(engine, t, shape, strides, t.offset, name, (g) => transposeView(engine, g, d0, d1));
}

/** Transposes up to two dimensions. */
export function tView(engine: Engine, t: Tensor): Tensor {
  const rank = t.shape.length;
  if (rank > 2) throw new TorchError('RuntimeError', `t() expects a tensor with <= 2 dimensions, but self is ${rank}D`);
  return transposeView(engine, t, 0, rank < 2 ? 0 : 1, 'TBackward0');
}

export function aliasView(engine: Engine, t: Tensor): Tensor {
  return makeView(engine, t, t.shape, t.strides, t.offset, 'AliasBackward0', (g) => g);
}

/** Repeats dimensions of size 1 without copying; -1 keeps a size; new dimensions may come in front. */
export function expandView(engine: Engine, t: Tensor, size: Shape): Tensor {
  const shift = size.length - t.shape.length;
  if (shift < 0) {
    throw new TorchError(
      'RuntimeError',
      `expand(${tensorTypeName(t)}{${sizesText(t.shape)}}, size=${sizesText(size)}): the number of sizes provided (${size.length}) must be greater or equal to the number of dimensions in the tensor (${t.shape.length})`,
    );
  }
  const shape = new Array<number>(size.length);
  const strides = new Array<number>(size.length);
  for (let i = size.length - 1; i >= 0; i--) {
    const from = i - shift;
    const has = from >= 0 ? t.shape[from] : 1;
    let want = size[i];
    if (want === -1) {
      if (from < 0) {
        throw new TorchError(
          'RuntimeError',
          `The expanded size of the tensor (${want}) isn't allowed in a leading, non-existing dimension ${i}`,
        );
      }
      want = has;
    }
    if (want < 0) {
      throw new TorchError(
        'RuntimeError',
        `The expanded size of the tensor (${want}) isn't allowed in a leading, non-existing dimension ${i}`,
      );
    }
    if (has !== want && has !== 1) {
      throw new TorchError(
        'RuntimeError',
        `The expanded size of the tensor (${want}) must match the existing size (${has}) at non-singleton dimension ${i}.  Target sizes: ${sizesText(size)}.  Tensor sizes: ${sizesText(t.shape)}`,
      );
    }
    shape[i] = want;
    strides[i] = from < 0 || (has === 1 && want !== 1) ? 0 : t.strides[from];
  }
  const from = t.shape;
  return makeView(engine, t, shape, strides, t.offset, 'ExpandBackward0', (g) => sumToShape(engine, g, from));
}

/** Sums a gradient over the dimensions that broadcasting added or repeated (at::sum_to). */
export function sumToShape(engine: Engine, g: Tensor, shape: Shape): Tensor {
  if (sameShape(g.shape, shape)) return g;
  if (!isExpandableTo(shape, g.shape))
    throw new Error(`sumToShape: ${sizesText(g.shape)} doesn't come from ${sizesText(shape)}`);
  const lead = g.shape.length - shape.length;
  const dims: number[] = [];
  for (let i = 0; i < g.shape.length; i++) if (i < lead || (shape[i - lead] === 1 && g.shape[i] !== 1)) dims.push(i);
  const summed = engine.builder.sum(g, dims, true) as Tensor;
  return lead > 0 ? viewAs(engine, summed, shape) : summed;
}

/** Elements start, start + step, … below stop along `dim`. Bounds are clamped as Python does. */
export function sliceView(
  engine: Engine,
  t: Tensor,
  dim: number,
  start: number | null,
  stop: number | null,
  step = 1,
  gradName = 'SliceBackward0',
): Tensor {
  if (t.shape.length === 0) throw new TorchError('RuntimeError', 'slice() cannot be applied to a 0-dim tensor.');
  const d = wrapDim(dim, t.shape.length);
  if (step <= 0) throw new TorchError('RuntimeError', 'slice step must be positive');
  const size = t.shape[d];
  const clamp = (x: number): number => Math.min(Math.max(x < 0 ? x + size : x, 0), size);
  const from = clamp(start ?? 0);
  const to = Math.max(clamp(stop ?? size), from);
  const shape = [...t.shape];
  shape[d] = Math.ceil((to - from) / step);
  const strides = [...t.strides];
  strides[d] *= step;
  // In a contiguous gradient of t's shape the same elements are these.
  const own = contiguousStrides(t.shape);
  const ownStrides = [...own];
  ownStrides[d] *= step;
  const place: Geometry = { baseShape: t.shape, shape, strides: ownStrides, offset: from * own[d] };
  return makeView(engine, t, shape, strides, t.offset + from * t.strides[d], gradName, (g) => embed(engine, g, place));
}

/** Drops `dim` at position `index`. */
export function selectView(
  engine: Engine,
  t: Tensor,
  dim: number,
  index: number,
  gradName = 'SelectBackward0',
): Tensor {
  if (t.shape.length === 0) throw new TorchError('IndexError', 'select() cannot be applied to a 0-dim tensor.');
  const d = wrapDim(dim, t.shape.length);
  const size = t.shape[d];
  if (index < -size || index >= size) {
    throw new TorchError(
      'IndexError',
      `select(): index ${index} out of range for tensor of size ${sizesText(t.shape)} at dimension ${d}`,
    );
  }
  const at = index < 0 ? index + size : index;
  const shape = t.shape.filter((_, i) => i !== d);
  const own = contiguousStrides(t.shape);
  const place: Geometry = { baseShape: t.shape, shape, strides: own.filter((_, i) => i !== d), offset: at * own[d] };
  const strides = t.strides.filter((_, i) => i !== d);
  return makeView(engine, t, shape, strides, t.offset + at * t.strides[d], gradName, (g) => embed(engine, g, place));
}

/** Removes dimensions of size 1: all of them, or those named (others that are not 1 stay). */
export function squeezeView(engine: Engine, t: Tensor, dims: readonly number[] | null): Tensor {
  const wrapped = dims?.map((d) => wrapDim(d, t.shape.length));
  const keep = t.shape.map((size, i) => size !== 1 || (wrapped !== undefined && !wrapped.includes(i)));
  const from = t.shape;
  const name = dims === null ? 'SqueezeBackward0' : dims.length === 1 ? 'SqueezeBackward1' : 'SqueezeBackward2';
  return makeView(
    engine,
    t,
    t.shape.filter((_, i) => keep[i]),
    t.strides.filter((_, i) => keep[i]),
    t.offset,
    name,
    (g) => reshapeView(engine, g, from),
  );
}

export function unsqueezeView(engine: Engine, t: Tensor, dim: number): Tensor {
  const rank = t.shape.length;
  const d = wrapDim(dim, rank + 1);
  const shape = [...t.shape];
  const strides = [...t.strides];
  strides.splice(d, 0, d < rank ? shape[d] * strides[d] : 1);
  shape.splice(d, 0, 1);
  const from = t.shape;
  return makeView(engine, t, shape, strides, t.offset, 'UnsqueezeBackward0', (g) => reshapeView(engine, g, from));
}

/** `length` elements from `start` along `dim`. */
export function narrowView(engine: Engine, t: Tensor, dim: number, start: number, length: number): Tensor {
  if (t.shape.length === 0) throw new TorchError('RuntimeError', 'narrow() cannot be applied to a 0-dim tensor.');
  if (length < 0) throw new TorchError('RuntimeError', 'narrow(): length must be non-negative.');
  const d = wrapDim(dim, t.shape.length);
  const size = t.shape[d];
  if (start < -size || start > size) {
    throw new TorchError(
      'IndexError',
      `start out of range (expected to be in range of [${-size}, ${size}], but got ${start})`,
    );
  }
  const from = start < 0 ? start + size : start;
  if (from > size - length) {
    throw new TorchError('RuntimeError', `start (${from}) + length (${length}) exceeds dimension size (${size}).`);
  }
  return sliceView(engine, t, d, from, from + length, 1);
}

/** The diagonal of two dimensions, as the last dimension of the result. */
export function diagonalView(engine: Engine, t: Tensor, offset: number, dim1: number, dim2: number): Tensor {
  const d1 = wrapDim(dim1, t.shape.length);
  const d2 = wrapDim(dim2, t.shape.length);
  if (d1 === d2) throw new TorchError('RuntimeError', `diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const rows = t.shape[d1];
  const columns = t.shape[d2];
  const length = Math.max(offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns), 0);
  const others = t.shape.map((_, i) => i).filter((i) => i !== d1 && i !== d2);
  const shape = [...others.map((i) => t.shape[i]), length];
  const through = (strides: Shape): { strides: number[]; start: number } => ({
    strides: [...others.map((i) => strides[i]), strides[d1] + strides[d2]],
    start: length === 0 ? 0 : offset >= 0 ? offset * strides[d2] : -offset * strides[d1],
  });
  const mine = through(t.strides);
  const own = through(contiguousStrides(t.shape));
  const place: Geometry = { baseShape: t.shape, shape, strides: own.strides, offset: own.start };
  return makeView(engine, t, shape, mine.strides, t.offset + mine.start, 'DiagonalBackward0', (g) =>
    embed(engine, g, place),
  );
}

/** Any window on the storage. Its gradient needs a contiguous source and no overlap. */
export function asStridedView(engine: Engine, t: Tensor, shape: Shape, strides: Shape, offset: number | null): Tensor {
  if (shape.length !== strides.length) throw new TorchError('RuntimeError', 'mismatch in length of strides and shape');
  const start = offset ?? t.offset;
  const last = start + shape.reduce((sum, size, i) => sum + (size - 1) * strides[i], 0);
  if (elementCount(shape) > 0 && (last >= t.buffer.length || start < 0)) {
    throw new TorchError(
      'RuntimeError',
      `setStorage: sizes ${sizesText(shape)}, strides ${sizesText(strides)}, storage offset ${start}, and itemsize ${itemSize[t.dtype]} requiring a storage size of ${(last + 1) * itemSize[t.dtype]} are out of bounds for storage of size ${t.buffer.length * itemSize[t.dtype]}`,
    );
  }
  // Of a contiguous tensor the window is the same in a contiguous gradient.
  const place: Geometry | null = t.contiguous ? { baseShape: t.shape, shape, strides, offset: start - t.offset } : null;
  return makeView(engine, t, shape, strides, start, 'AsStridedBackward0', (g) => {
    if (place === null)
      throw new TorchError(
        'NotImplementedError',
        'the gradient of as_strided of a non-contiguous tensor is not supported here',
      );
    return embed(engine, g, place);
  });
}

/** Marks views that one function gives together: autograd follows no in-place write to them. */
function givenTogether(views: Tensor[]): Tensor[] {
  views.forEach((view, i) => {
    if (view.viewInfo === null || view.viewInfo.creation === 'no_grad') return;
    view.viewInfo.creation = 'multi_output';
    view.viewInfo.outputNr = i;
  });
  return views;
}

/** One view for each index along `dim`. */
export function unbindViews(engine: Engine, t: Tensor, dim: number): Tensor[] {
  if (t.shape.length === 0) throw new TorchError('IndexError', 'Dimension specified as 0 but tensor has no dimensions');
  const d = wrapDim(dim, t.shape.length);
  return givenTogether(Array.from({ length: t.shape[d] }, (_, i) => selectView(engine, t, d, i, 'UnbindBackward0')));
}

/** Neighbouring slices of the given sizes along `dim`, which must add up to its size. `gradName`: split by one size or by several. */
export function splitViews(
  engine: Engine,
  t: Tensor,
  dim: number,
  sizes: readonly number[],
  gradName: string,
): Tensor[] {
  const d = wrapDim(dim, t.shape.length);
  const total = sizes.reduce((a, b) => a + b, 0);
  if (total !== t.shape[d]) {
    throw new TorchError(
      'RuntimeError',
      `split_with_sizes expects split_sizes to sum exactly to ${t.shape[d]} (input tensor's size at dimension ${d}), but got split_sizes=${sizesText(sizes)}`,
    );
  }
  let start = 0;
  const parts = sizes.map((size) => {
    const part = sliceView(engine, t, d, start, start + size, 1, gradName);
    start += size;
    return part;
  });
  return givenTogether(parts);
}
