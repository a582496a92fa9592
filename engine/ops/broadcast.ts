/** Broadcasting: shapes aligned at the last dimension; a size of 1 (or a missing dimension) repeats. */
import type { Elements } from '../formats/host-elements';
import { TorchError } from './record';

export const elementCount = (shape: readonly number[]): number => shape.reduce((n, size) => n * size, 1);

export const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, i) => size === b[i]);

/** The common shape of two. Raises PyTorch's RuntimeError where sizes differ and neither is 1. */
export function broadcastPair(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  const out = new Array<number>(rank);
  for (let i = rank - 1; i >= 0; i--) {
    const sizeA = a[i - rank + a.length] ?? 1;
    const sizeB = b[i - rank + b.length] ?? 1;
    if (sizeA !== sizeB && sizeA !== 1 && sizeB !== 1) {
      throw new TorchError(
        'RuntimeError',
        `The size of tensor a (${sizeA}) must match the size of tensor b (${sizeB}) at non-singleton dimension ${i}`,
      );
    }
    out[i] = sizeA === 1 ? sizeB : sizeA;
  }
  return out;
}

/** The common shape of any number of shapes; [] for none. */
export const broadcastShapes = (...shapes: readonly (readonly number[])[]): number[] =>
  shapes.reduce<number[]>((common, shape) => broadcastPair(common, shape), []);

/** An input as a flat loop reads it: element i of the output uses values[i * step]. */
export interface FlatOperand {
  readonly values: Elements;
  readonly step: 0 | 1;
}

/** Repeats `values` (of `shape`) so that a flat loop over `outShape` can read it. Copies only where a real expansion is needed. */
export function flatOperand(values: Elements, shape: readonly number[], outShape: readonly number[]): FlatOperand {
  if (values.length === 1) return { values, step: 0 };
  const n = elementCount(outShape);
  if (values.length === n) return { values, step: 1 };
  const rank = outShape.length;
  const strides = new Array<number>(rank).fill(0); // 0 where the operand repeats
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    if (shape[i] !== 1) strides[i + rank - shape.length] = stride;
    stride *= shape[i];
  }
  const SameKind = values.constructor as new (length: number) => Elements;
  const out = new SameKind(n);
  const position = new Array<number>(rank).fill(0);
  let source = 0;
  for (let i = 0; i < n; i++) {
    out[i] = values[source];
    for (let d = rank - 1; d >= 0; d--) {
      source += strides[d];
      if (++position[d] < outShape[d]) break;
      source -= strides[d] * outShape[d];
      position[d] = 0;
    }
  }
  return { values: out, step: 1 };
}
