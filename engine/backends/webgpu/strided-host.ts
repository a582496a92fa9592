/** Host-side views: gathering a strided window into contiguous storage, and writing through one. */
import { allocateHost, type DType, type HostData } from '../../formats/dtype';

interface Window {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** The window's elements, row-major, in fresh storage. */
export function gatherWindow(dtype: DType, data: HostData, window: Window): HostData {
  const n = window.shape.reduce((a, b) => a * b, 1);
  const out = allocateHost(dtype, n);
  let k = 0;
  visit(window, (at) => {
    out[k++] = data[at]!;
  });
  return out;
}

/** Writes `source` (row-major, as many elements as the window; or one, repeated) through the window. */
export function scatterWindow(destination: HostData, window: Window, source: HostData): void {
  const repeat = source.length === 1;
  let k = 0;
  visit(window, (at) => {
    destination[at] = source[repeat ? 0 : k++]!;
  });
}

/** Calls `f` with the element index of each position, row-major. */
function visit(window: Window, f: (at: number) => void): void {
  const { shape, strides } = window;
  const rank = shape.length;
  if (shape.some((d) => d === 0)) return;
  const position = new Array<number>(rank).fill(0);
  let at = window.offset;
  for (;;) {
    f(at);
    let d = rank - 1;
    for (; d >= 0; d--) {
      at += strides[d]!;
      if (++position[d]! < shape[d]!) break;
      at -= strides[d]! * shape[d]!;
      position[d] = 0;
    }
    if (d < 0) return;
  }
}
