/** The product on WebAssembly vectors has the bits of the scalar kernel: same accumulators, same order, no fused rounding. */
import { describe, expect, it } from 'vitest';
import { multiply32 } from '@/engine/ops/matmul-kernel';
import { multiplySimd } from '@/engine/ops/matmul-simd';

/** Numbers of very different sizes, subnormals, zeros and infinities among them. */
function numbers(count: number, seed: number): Float32Array {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () => {
    const kind = next();
    if (kind < 0.02) return 0;
    if (kind < 0.03) return -0;
    if (kind < 0.05) return (next() - 0.5) * 2 ** -140;
    if (kind < 0.051) return Number.POSITIVE_INFINITY;
    return (next() - 0.5) * 2 ** Math.floor(next() * 40 - 20);
  });
}

describe('matrix products on WebAssembly vectors', () => {
  it.each([
    [4, 8, 512],
    [5, 9, 700],
    [33, 17, 64],
    [64, 64, 64],
    [7, 1, 4096],
    [100, 3, 101],
  ])('[%i, k] @ [k, %i], k = %i: the bits of the scalar kernel', (m, n, k) => {
    const a = numbers(m * k + 3, 1);
    const b = numbers(n * k, 2);
    const scalar = new Float32Array(m * n + 2);
    const simd = new Float32Array(m * n + 2);
    multiply32(a, 3, b, m, n, k, scalar, 2);
    expect(multiplySimd(a, 3, b, m, n, k, simd, 2)).toBe(true);
    const bits = (x: Float32Array) =>
      Array.from(new Uint32Array(x.buffer), (w) => ((w & 0x7fffffff) > 0x7f800000 ? 'nan' : w));
    expect(bits(simd)).toEqual(bits(scalar));
  });

  it('small products are left to the scalar kernel', () => {
    expect(multiplySimd(numbers(4, 1), 0, numbers(4, 2), 2, 2, 2, new Float32Array(4), 0)).toBe(false);
  });
});
