/**
 * Matrix products. One order everywhere: every output has one accumulator, k runs upwards, and each step is
 * acc = round(acc + round(a * b)) in float32 (in double for float64). The product of two float16 or bfloat16 values is exact in
 * float32, so for them only the additions round, and the result is rounded once when it is stored.
 */
import { type HostTensor, isHalf } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { multiplySimd } from './matmul-simd';
import type { OpRecord } from './record';
import type { Floats } from './summation-order';

export const productTolerance: OpRecord['tolerance'] = {
  half: { ulp: 0, source: 'k ascending in one float32 accumulator; PyTorch itself is within 1 ulp of this' },
  float32: { ulp: 0, source: 'k ascending in one float32 accumulator; MKL chooses another order' },
};

/** The array that a product of this dtype is computed in. */
export function operand(host: HostTensor): Floats {
  const elements = readElements(host);
  if (host.dtype === 'float32' || isHalf(host.dtype)) return elements as Float32Array;
  return elements instanceof Float64Array ? elements : Float64Array.from(elements);
}

/** [rows, columns] at `start`, transposed into a fresh array. */
export function transposed(x: Floats, start: number, rows: number, columns: number): Floats {
  const out: Floats = x instanceof Float32Array ? new Float32Array(rows * columns) : new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[c * rows + r] = x[start + r * columns + c];
  return out;
}

/**
 * out[m, n] = a[m, k] @ bT[n, k] transposed. Both operands run along k contiguously; a tile of 2 x 4 outputs keeps eight
 * independent accumulators in registers, each of them still adding in ascending k.
 */
export function multiply32(
  a: Float32Array,
  aStart: number,
  bT: Float32Array,
  m: number,
  n: number,
  k: number,
  out: Float32Array,
  outStart: number,
): void {
  const f = Math.fround;
  for (let i = 0; i < m; i += 2) {
    const pair = i + 1 < m;
    const a0 = aStart + i * k;
    const a1 = pair ? a0 + k : a0;
    const out0 = outStart + i * n;
    for (let j = 0; j < n; j += 4) {
      const b0 = j * k;
      const b1 = j + 1 < n ? b0 + k : b0;
      const b2 = j + 2 < n ? b0 + 2 * k : b0;
      const b3 = j + 3 < n ? b0 + 3 * k : b0;
      let s00 = f(0),
        s01 = f(0),
        s02 = f(0),
        s03 = f(0);
      let s10 = f(0),
        s11 = f(0),
        s12 = f(0),
        s13 = f(0);
      for (let p = 0; p < k; p++) {
        const x0 = a[a0 + p];
        const x1 = a[a1 + p];
        const y0 = bT[b0 + p];
        const y1 = bT[b1 + p];
        const y2 = bT[b2 + p];
        const y3 = bT[b3 + p];
        s00 = f(s00 + f(x0 * y0));
        s01 = f(s01 + f(x0 * y1));
        s02 = f(s02 + f(x0 * y2));
        s03 = f(s03 + f(x0 * y3));
        s10 = f(s10 + f(x1 * y0));
        s11 = f(s11 + f(x1 * y1));
        s12 = f(s12 + f(x1 * y2));
        s13 = f(s13 + f(x1 * y3));
      }
      out[out0 + j] = s00;
      if (j + 1 < n) out[out0 + j + 1] = s01;
      if (j + 2 < n) out[out0 + j + 2] = s02;
      if (j + 3 < n) out[out0 + j + 3] = s03;
      if (pair) {
        out[out0 + n + j] = s10;
        if (j + 1 < n) out[out0 + n + j + 1] = s11;
        if (j + 2 < n) out[out0 + n + j + 2] = s12;
        if (j + 3 < n) out[out0 + n + j + 3] = s13;
      }
    }
  }
}

/** The same in doubles: float64 rounds there by itself, integers are exact up to 2^53. */
function multiply64(
  a: Float64Array,
  aStart: number,
  bT: Float64Array,
  m: number,
  n: number,
  k: number,
  out: Float64Array,
  outStart: number,
): void {
  for (let i = 0; i < m; i++) {
    const a0 = aStart + i * k;
    for (let j = 0; j < n; j++) {
      let total = 0;
      for (let p = 0; p < k; p++) total += a[a0 + p] * bT[j * k + p];
      out[outStart + i * n + j] = total;
    }
  }
}

export function multiply(
  a: Floats,
  aStart: number,
  bT: Floats,
  m: number,
  n: number,
  k: number,
  out: Floats,
  outStart: number,
): void {
  if (a instanceof Float32Array) {
    const [b32, out32] = [bT as Float32Array, out as Float32Array];
    if (!multiplySimd(a, aStart, b32, m, n, k, out32, outStart)) multiply32(a, aStart, b32, m, n, k, out32, outStart);
  } else multiply64(a, aStart, bT as Float64Array, m, n, k, out as Float64Array, outStart);
}

/** beta * added + alpha * product on accumulators, each step rounded in the accumulator's type, as gemm does. */
export function addInto(total: Floats, shape: readonly number[], added: HostTensor, beta: number, alpha: number): void {
  const round = total instanceof Float32Array ? Math.fround : (v: number): number => v;
  const values = readElements(added);
  const own = added.shape;
  const step = new Array<number>(shape.length).fill(0);
  let stride = 1;
  for (let i = own.length - 1; i >= 0; i--) {
    step[i + shape.length - own.length] = own[i] === 1 ? 0 : stride;
    stride *= own[i];
  }
  const columns = shape[shape.length - 1] ?? 1;
  const last = step[shape.length - 1] ?? 0;
  const rows = columns === 0 ? 0 : total.length / columns;
  for (let r = 0; r < rows; r++) {
    let rest = r;
    let from = 0;
    for (let d = shape.length - 2; d >= 0; d--) {
      from += (rest % shape[d]) * step[d];
      rest = Math.floor(rest / shape[d]);
    }
    for (let c = 0; c < columns; c++, from += last) {
      const scaled = alpha === 1 ? total[r * columns + c] : round(alpha * total[r * columns + c]);
      // beta = 0 ignores the added term, NaN and inf included.
      total[r * columns + c] = beta === 0 ? scaled : scaled + (beta === 1 ? values[from] : round(beta * values[from]));
    }
  }
}
