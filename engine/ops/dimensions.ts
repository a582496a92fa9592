/** Dimension arguments as PyTorch reads them: negative dims, lists, `None`; and what a reduction does to a shape. */
import { elementCount } from './broadcast';
import { type Attrs, type Builder, TorchError, type Value } from './record';

/** Row-major strides, in elements. */
export function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

/** `dim` as 0 … rank - 1. A 0-dim tensor takes -1 and 0. Errors: IndexError with PyTorch's text. */
export function normalizeDim(dim: number, rank: number): number {
  const size = rank === 0 ? 1 : rank;
  if (dim < -size || dim >= size) {
    throw new TorchError(
      'IndexError',
      `Dimension out of range (expected to be in range of [${-size}, ${size - 1}], but got ${dim})`,
    );
  }
  return dim < 0 ? dim + size : dim;
}

/**
 * A `dim` attribute (null, one int, or a list) as ascending dims. null and the empty list mean all dims.
 * Errors: out of range; a dim named twice.
 */
export function reducedDims(dim: Attrs[string] | undefined, rank: number): number[] {
  if (dim === null || dim === undefined || (Array.isArray(dim) && dim.length === 0))
    return Array.from({ length: rank }, (_, i) => i);
  const seen = new Set<number>();
  for (const d of Array.isArray(dim) ? (dim as number[]) : [dim as number]) {
    const normal = normalizeDim(d, rank);
    if (seen.has(normal))
      throw new TorchError('RuntimeError', `dim ${normal} appears multiple times in the list of dims`);
    seen.add(normal);
  }
  return rank === 0 ? [] : [...seen].sort((a, b) => a - b);
}

/** Shape after reducing `dims`: removed, or 1 with keepdim. */
export function reducedShape(shape: readonly number[], dims: readonly number[], keepdim: boolean): number[] {
  return keepdim ? shape.map((d, i) => (dims.includes(i) ? 1 : d)) : shape.filter((_, i) => !dims.includes(i));
}

/** Undoes a reduction's shape change: puts reduced dims back as 1 so that `value` broadcasts against the input. */
export function restoreReduced(
  b: Builder,
  value: Value,
  shape: readonly number[],
  dims: readonly number[],
  keepdim: boolean,
): Value {
  if (keepdim || dims.length === 0) return value;
  return b.reshape(
    value,
    shape.map((d, i) => (dims.includes(i) ? 1 : d)),
  );
}

/** A run of neighbouring dims that are all reduced or all kept, seen as one dim of a contiguous tensor. */
export interface DimGroup {
  readonly size: number;
  readonly stride: number;
  readonly reduced: boolean;
}

/** The dims of a contiguous tensor merged as TensorIterator merges them, innermost first; dims of size 1 vanish. */
export function groupDims(shape: readonly number[], dims: readonly number[]): DimGroup[] {
  const groups: { size: number; stride: number; reduced: boolean }[] = [];
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    const size = shape[i];
    if (size === 1) continue;
    const reduced = dims.includes(i);
    const last = groups[groups.length - 1];
    if (last && last.reduced === reduced) last.size *= size;
    else groups.push({ size, stride, reduced });
    stride *= size;
  }
  return groups;
}

/** Calls `visit(offset)` for every index over `groups`, in row-major order (the last group is the outermost). */
export function forEachOffset(
  groups: readonly DimGroup[],
  visit: (offset: number) => void,
  level = groups.length - 1,
  base = 0,
): void {
  if (level < 0) {
    visit(base);
    return;
  }
  const { size, stride } = groups[level];
  for (let i = 0; i < size; i++) forEachOffset(groups, visit, level - 1, base + i * stride);
}

/** One dim of a contiguous tensor: element (o, i, j) of [outer, size, inner] is at (o * size + i) * inner + j. */
export function splitAt(
  shape: readonly number[],
  dim: number,
): { readonly outer: number; readonly size: number; readonly inner: number } {
  return {
    outer: elementCount(shape.slice(0, dim)),
    size: shape.length === 0 ? 1 : shape[dim],
    inner: elementCount(shape.slice(dim + 1)),
  };
}
