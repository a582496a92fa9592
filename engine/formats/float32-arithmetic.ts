/**
 * float32 arithmetic in doubles. For + - * / and sqrt, rounding the double result is the correctly rounded float32 result:
 * a double has more than twice float32's significant bits plus two, so rounding twice never differs (Figueroa, 1995).
 * A fused multiply-add needs more care.
 */

export const f32 = Math.fround;
export const add32 = (a: number, b: number): number => Math.fround(a + b);
export const sub32 = (a: number, b: number): number => Math.fround(a - b);
export const mul32 = (a: number, b: number): number => Math.fround(a * b);
export const div32 = (a: number, b: number): number => Math.fround(a / b);
export const sqrt32 = (a: number): number => Math.fround(Math.sqrt(a));

const cell = new Float64Array(1);
const words = new Uint32Array(cell.buffer); // little-endian: word 0 is the lower half

/**
 * The float32 nearest to a * b + c, rounded once, for float32 arguments.
 *
 * a * b is exact in a double (24 + 24 bits). Adding c rounds to 53 bits, and rounding that to 24 could break a tie the wrong
 * way. So the double sum is rounded to odd instead: where it is inexact and its last bit is even, it is replaced by its
 * neighbour on the exact sum's side. An odd last bit can't be a float32 tie, and 53 >= 24 + 2 bits suffice
 * (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
 */
export function fma32(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  const back = sum - product;
  const error = product - (sum - back) + (c - back); // exact error of the addition (Knuth's 2Sum)
  if (error === 0 || !Number.isFinite(sum)) return Math.fround(sum);
  cell[0] = sum;
  if ((words[0] & 1) === 0) {
    // Towards the exact sum: away from zero if the error has the sum's sign. An inexact sum is never zero.
    if (error > 0 === sum > 0) {
      words[0] = words[0] + 1; // even + 1 never carries
    } else {
      if (words[0] === 0) words[1] = words[1] - 1;
      words[0] = words[0] - 1;
    }
  }
  return Math.fround(cell[0]);
}
