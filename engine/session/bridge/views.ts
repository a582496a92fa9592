/** Views: each gives a new handle; shapes and dims follow as plain numbers. */
import type { Engine } from '../../core/engine';
import * as views from '../../core/views';
import type { Handles } from './handles';

export function viewFunctions(engine: Engine, handles: Handles) {
  const get = (h: number) => handles.get(h);
  return {
    /** view(h, ...shape): one size may be -1. */
    view: (h: number, ...shape: number[]): number => handles.add(views.viewAs(engine, get(h), shape)),
    /** reshape(h, ...shape): a view where strides allow, else a copy. */
    reshape: (h: number, ...shape: number[]): number => handles.add(views.reshapeView(engine, get(h), shape)),
    /** permute(h, ...dims). */
    permute: (h: number, ...dims: number[]): number => handles.add(views.permuteView(engine, get(h), dims)),
    /** transpose(h, dim0, dim1). */
    transpose: (h: number, dim0: number, dim1: number): number =>
      handles.add(views.transposeView(engine, get(h), dim0, dim1)),
    /** t(h): at most 2 dimensions. */
    t: (h: number): number => handles.add(views.tView(engine, get(h))),
    /** expand(h, ...sizes): -1 keeps a size. */
    expand: (h: number, ...sizes: number[]): number => handles.add(views.expandView(engine, get(h), sizes)),
    /** squeeze(h, ...dims): drops those of the named dims that have size 1. */
    squeeze: (h: number, ...dims: number[]): number => handles.add(views.squeezeView(engine, get(h), dims)),
    /** squeeze_all(h): drops every dim of size 1. */
    squeeze_all: (h: number): number => handles.add(views.squeezeView(engine, get(h), null)),
    /** unsqueeze(h, dim). */
    unsqueeze: (h: number, dim: number): number => handles.add(views.unsqueezeView(engine, get(h), dim)),
    /** select(h, dim, index): drops dim. */
    select: (h: number, dim: number, index: number): number =>
      handles.add(views.selectView(engine, get(h), dim, index)),
    /** slice(h, dim, start, stop, step): bounds are clamped as Python's; None for the ends. */
    slice: (h: number, dim: number, start: number | null, stop: number | null, step: number): number =>
      handles.add(views.sliceView(engine, get(h), dim, start ?? null, stop ?? null, step)),
    /** narrow(h, dim, start, length). */
    narrow: (h: number, dim: number, start: number, length: number): number =>
      handles.add(views.narrowView(engine, get(h), dim, start, length)),
    /** diagonal(h, offset, dim1, dim2). */
    diagonal: (h: number, offset: number, dim1: number, dim2: number): number =>
      handles.add(views.diagonalView(engine, get(h), offset, dim1, dim2)),
    /** as_strided(h, rank, ...size, ...stride, offset or None). */
    as_strided(h: number, rank: number, ...rest: (number | null | undefined)[]): number {
      const size = rest.slice(0, rank) as number[];
      const stride = rest.slice(rank, 2 * rank) as number[];
      return handles.add(views.asStridedView(engine, get(h), size, stride, rest[2 * rank] ?? null));
    },
    /** unbind(h, dim): one handle for each index along dim, consecutive; the first is returned (0 for none). */
    unbind(h: number, dim: number): number {
      const parts = views.unbindViews(engine, get(h), dim);
      return parts.length === 0 ? 0 : handles.addAll(parts);
    },
    /** split(h, dim, ...sizes): consecutive handles, one a size; the first is returned. The sizes come from one size. */
    split: (h: number, dim: number, ...sizes: number[]): number =>
      handles.addAll(views.splitViews(engine, get(h), dim, sizes, 'SplitBackward0')),
    /** split_with_sizes(h, dim, ...sizes): the same for sizes that the caller listed. */
    split_with_sizes: (h: number, dim: number, ...sizes: number[]): number =>
      handles.addAll(views.splitViews(engine, get(h), dim, sizes, 'SplitWithSizesBackward0')),
    /** alias(h): a differentiable view of the same shape (view_as). */
    alias: (h: number): number => handles.add(views.aliasView(engine, get(h))),
  };
}
