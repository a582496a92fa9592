/** Stride arithmetic for kernels over broadcast operands with a contiguous output. */
import type { StridedInput } from './kernel';

/** Strides of `input` as an operand of the output shape: 0 where it repeats. */
export function broadcastStrides(input: StridedInput, shape: readonly number[]): number[] {
  const lead = shape.length - input.shape.length;
  return shape.map((_, d) => (d < lead || input.shape[d - lead] === 1 ? 0 : input.strides[d - lead]));
}

/** Merges neighbouring dimensions that every operand walks as one; drops those of size 1. The output is contiguous. */
export function collapse(
  shape: readonly number[],
  strides: readonly (readonly number[])[],
): { dims: number[]; strides: number[][] } {
  const dims: number[] = [];
  const merged = strides.map((): number[] => []);
  shape.forEach((size, d) => {
    if (size === 1) return;
    const last = dims.length - 1;
    const joins = last >= 0 && strides.every((s, k) => s.length === 0 || merged[k][last] === s[d] * size);
    if (joins) {
      dims[last] *= size;
      strides.forEach((s, k) => {
        if (s.length > 0) merged[k][last] = s[d];
      });
      return;
    }
    dims.push(size);
    strides.forEach((s, k) => {
      merged[k].push(s.length > 0 ? s[d] : 0);
    });
  });
  return { dims, strides: merged };
}
