/** Shapes and strides: the arithmetic of views and broadcasting. Strides and offsets count elements, never bytes. */
import { TorchError } from '../ops/record';

export type Shape = readonly number[];

export function elementCount(shape: Shape): number {
  let n = 1;
  for (let i = 0; i < shape.length; i++) n *= shape[i]!;
  return n;
}

/** Row-major strides. Like PyTorch, a dimension of size 0 counts as 1 so that strides stay positive. */
export function contiguousStrides(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = step;
    step *= Math.max(shape[i]!, 1);
  }
  return strides;
}

export function sameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** True if the elements lie row-major without gaps. Strides of dimensions of size 1 don't matter; an empty tensor is contiguous. */
export function isContiguous(shape: Shape, strides: Shape): boolean {
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    const size = shape[i]!;
    if (size === 1) continue;
    if (size === 0) return true;
    if (strides[i] !== step) {
      return elementCount(shape) === 0;
    }
    step *= size;
  }
  return true;
}

/** -1 is the last dimension. A 0-dim tensor accepts 0 and -1, as in PyTorch. */
export function wrapDim(dim: number, rank: number): number {
  const bound = Math.max(rank, 1);
  if (dim < -bound || dim >= bound) {
    throw new TorchError(
      'IndexError',
      `Dimension out of range (expected to be in range of [${-bound}, ${bound - 1}], but got ${dim})`,
    );
  }
  return dim < 0 ? dim + bound : dim;
}

/** "[2, 3]", as PyTorch prints sizes in its C++ messages. */
export const sizesText = (shape: Shape): string => `[${shape.join(', ')}]`;

/** The common shape under broadcasting, or PyTorch's error. */
export function broadcastShapes(a: Shape, b: Shape): Shape {
  if (sameShape(a, b)) return a;
  const rank = Math.max(a.length, b.length);
  const out = new Array<number>(rank);
  for (let i = rank - 1; i >= 0; i--) {
    const da = i - (rank - a.length);
    const db = i - (rank - b.length);
    const sa = da >= 0 ? a[da]! : 1;
    const sb = db >= 0 ? b[db]! : 1;
    if (sa !== sb && sa !== 1 && sb !== 1) {
      throw new TorchError(
        'RuntimeError',
        `The size of tensor a (${sa}) must match the size of tensor b (${sb}) at non-singleton dimension ${i}`,
      );
    }
    out[i] = sa === 1 ? sb : sa;
  }
  return out;
}

/** True if `from` broadcasts to exactly `to`. */
export function isExpandableTo(from: Shape, to: Shape): boolean {
  if (from.length > to.length) return false;
  for (let i = 1; i <= from.length; i++) {
    const size = from[from.length - i]!;
    if (size !== 1 && size !== to[to.length - i]!) return false;
  }
  return true;
}

/** Strides that view a tensor as `to` by repeating it (stride 0) where `from` has size 1 or no dimension. */
export function broadcastStrides(from: Shape, strides: Shape, to: Shape): number[] {
  const out = new Array<number>(to.length);
  const shift = to.length - from.length;
  for (let i = 0; i < to.length; i++) {
    out[i] = i < shift || (from[i - shift] === 1 && to[i] !== 1) ? 0 : strides[i - shift]!;
  }
  return out;
}

/** True if two indices can reach one element: writing through such a view has no defined result. */
export function hasInternalOverlap(shape: Shape, strides: Shape): boolean {
  // Exact for what our views can produce: sort by stride, each dimension must step over everything below it.
  const dims: [number, number][] = [];
  for (let i = 0; i < shape.length; i++) {
    if (shape[i] === 0) return false;
    if (shape[i]! > 1) dims.push([strides[i]!, shape[i]!]);
  }
  dims.sort((x, y) => x[0] - y[0]);
  let reach = 0;
  for (const [stride, size] of dims) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

/**
 * Strides under which the same memory reads as `target`, or null if a copy is needed (PyTorch's computeStride).
 */
export function viewStrides(shape: Shape, strides: Shape, target: Shape): number[] | null {
  const n = elementCount(shape);
  if (n === 0) {
    return sameShape(shape, target) ? [...strides] : contiguousStrides(target);
  }
  const out = new Array<number>(target.length);
  if (shape.length === 0) return out.fill(1);
  let viewDim = target.length - 1;
  let chunkStride = strides[shape.length - 1]!;
  let tensorCount = 1;
  let viewCount = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    tensorCount *= shape[dim]!;
    // The chunk ends where the next dimension outwards doesn't continue it.
    if (dim === 0 || (shape[dim - 1] !== 1 && strides[dim - 1] !== tensorCount * chunkStride)) {
      while (viewDim >= 0 && (viewCount < tensorCount || target[viewDim] === 1)) {
        out[viewDim] = viewCount * chunkStride;
        viewCount *= target[viewDim]!;
        viewDim--;
      }
      if (viewCount !== tensorCount) return null;
      if (dim > 0) {
        chunkStride = strides[dim - 1]!;
        tensorCount = 1;
        viewCount = 1;
      }
    }
  }
  return viewDim === -1 ? out : null;
}

/** Replaces one -1 by what makes the element count fit, or raises PyTorch's text. */
export function inferSize(shape: Shape, count: number): number[] {
  let known = 1;
  let unknown = -1;
  for (let i = 0; i < shape.length; i++) {
    const size = shape[i]!;
    if (size === -1) {
      if (unknown >= 0) throw new TorchError('RuntimeError', 'only one dimension can be inferred');
      unknown = i;
    } else if (size >= 0) known *= size;
    else
      throw new TorchError(
        'RuntimeError',
        `invalid shape dimension ${size} at index ${i} of shape ${sizesText(shape)}`,
      );
  }
  const out = [...shape];
  if (known === count || (unknown >= 0 && known > 0 && count % known === 0)) {
    if (unknown >= 0) {
      if (known === 0) {
        throw new TorchError(
          'RuntimeError',
          `cannot reshape tensor of 0 elements into shape ${sizesText(shape)} because the unspecified dimension size -1 can be any value and is ambiguous`,
        );
      }
      out[unknown] = count / known;
    }
    return out;
  }
  throw new TorchError('RuntimeError', `shape '${sizesText(shape)}' is invalid for input of size ${count}`);
}
