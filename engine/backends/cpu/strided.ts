/** Reading and writing host memory through strided views. */
import type { HostData } from '../../formats/dtype';
import type { View } from '../backend';

type Window = Pick<View, 'shape' | 'strides' | 'offset'>;

function count(shape: readonly number[]): number {
  let n = 1;
  for (let i = 0; i < shape.length; i++) n *= shape[i];
  return n;
}

/** True if the view is row-major without gaps. */
function isDense(view: Window): boolean {
  let step = 1;
  for (let i = view.shape.length - 1; i >= 0; i--) {
    if (view.shape[i] === 1) continue;
    if (view.strides[i] !== step) return false;
    step *= view.shape[i];
  }
  return true;
}

/** True if the view is all of a buffer of `length` elements, in order. */
export const isWhole = (view: Window, length: number): boolean =>
  view.offset === 0 && isDense(view) && count(view.shape) === length;

/** Calls `visit` with the buffer position of the first element of each innermost row, in row-major order. */
function eachRow(view: Window, visit: (position: number) => void): void {
  const outer = view.shape.length - 1;
  const index = new Array<number>(Math.max(outer, 0)).fill(0);
  let position = view.offset;
  for (;;) {
    visit(position);
    let d = outer - 1;
    for (; d >= 0; d--) {
      position += view.strides[d];
      if (++index[d] < view.shape[d]) break;
      position -= view.strides[d] * view.shape[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

/** A fresh contiguous copy of the view's elements. */
export function gather(data: HostData, view: Window): HostData {
  const n = count(view.shape);
  if (isDense(view)) return data.slice(view.offset, view.offset + n);
  const out = new (data.constructor as new (length: number) => HostData)(n);
  if (n === 0) return out;
  const length = view.shape[view.shape.length - 1];
  const step = view.strides[view.shape.length - 1];
  let at = 0;
  eachRow(view, (row) => {
    for (let i = 0, position = row; i < length; i++, position += step) out[at++] = data[position];
  });
  return out;
}

/** Writes contiguous `source` (or `fill` everywhere, for null) through the view. */
export function scatter(data: HostData, view: Window, source: HostData | null, fill: number): void {
  const n = count(view.shape);
  if (n === 0) return;
  if (isDense(view)) {
    if (source === null) data.fill(fill, view.offset, view.offset + n);
    else data.set(source, view.offset);
    return;
  }
  const length = view.shape[view.shape.length - 1];
  const step = view.strides[view.shape.length - 1];
  let at = 0;
  eachRow(view, (row) => {
    for (let i = 0, position = row; i < length; i++, position += step)
      data[position] = source === null ? fill : source[at++];
  });
}
