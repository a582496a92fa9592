/** Functions that JavaScript's Math lacks, and PyTorch's own approximations where its bits come from them. */
import { fma32 } from '../formats/float32-arithmetic';

const f32 = Math.fround;

/**
 * erf(x) to about 1e-16, by the series 2/sqrt(pi) * exp(-x^2) * sum of 2^n x^(2n+1) / (1*3*5*…*(2n+1)), whose terms are all of one
 * sign (Abramowitz and Stegun 7.1.6). Beyond |x| = 6 it is 1 to double precision.
 */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a >= 6) return Math.sign(x);
  if (a === 0) return x; // keeps -0
  let term = a;
  let sum = a;
  for (let n = 1; n < 400; n++) {
    term *= (2 * a * a) / (2 * n + 1);
    sum += term;
    if (term < sum * 1e-18) break;
  }
  return (Math.sign(x) * 2 * Math.exp(-a * a) * sum) / Math.sqrt(Math.PI);
}

/**
 * 1 - erf(x). Beyond x = 2 by the continued fraction exp(-x^2) / (sqrt(pi) (x + 1/2 / (x + 1 / (x + 3/2 / (x + …))))), Abramowitz and
 * Stegun 7.1.14, because the subtraction would cancel.
 */
export function complementaryErf(x: number): number {
  if (!(x > 2)) return 1 - erf(x);
  if (x > 27.3) return 0; // below half of the smallest subnormal double
  let denominator = x;
  for (let n = 60; n >= 1; n--) denominator = x + n / 2 / denominator;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * denominator);
}

/**
 * PyTorch's vectorised float32 erf: 1 - P(t) exp(-x^2) with t = 1 / (1 + 0.3275911 |x|) (Abramowitz and Stegun 7.1.26), every step
 * rounded to float32. Its error of 1.5e-7 shows in float16 and bfloat16 results, so a table from exact values would be wrong.
 */
export function erfPolynomial32(x: number): number {
  const a = Math.abs(x);
  const t = f32(1 / fma32(f32(0.3275911), a, 1));
  let p = fma32(f32(1.061405429), t, f32(-1.453152027));
  p = fma32(p, t, f32(1.421413741));
  p = fma32(p, t, f32(-0.284496736));
  p = fma32(p, t, f32(0.254829592));
  const tail = f32(-f32(Math.exp(-f32(x * x))) * t);
  const magnitude = fma32(tail, p, 1);
  return x < 0 || Object.is(x, -0) ? -magnitude : magnitude;
}

/** C's pow: pow(1, y) is 1 for every y, and pow(-1, ±inf) is 1; ECMAScript's is NaN there. */
export function powC(x: number, y: number): number {
  if (x === 1 || y === 0) return 1;
  if (x === -1 && (y === Infinity || y === -Infinity)) return 1;
  return x ** y;
}

/** Nearest integer, ties to even, as `torch.round`. Keeps the sign of zero. */
export function roundHalfEven(x: number): number {
  const below = Math.floor(x);
  const fraction = x - below;
  if (fraction < 0.5) return below === 0 && x < 0 ? -0 : below;
  const above = Math.ceil(x); // ceil(-0.5) is -0
  if (fraction > 0.5) return above;
  return below % 2 === 0 ? (below === 0 ? x * 0 : below) : above;
}

/**
 * float32 atan2 by the steps of the C library's scalar version: an arctangent of |y / x| rounded to float32, then moved to the
 * quadrant with pi in two parts. Its results are up to an ulp from the correctly rounded ones, which shows near ±pi/2 in float16.
 */
export function atan2Steps32(y: number, x: number): number {
  if (!(x < 0) || !Number.isFinite(x) || !Number.isFinite(y) || y === 0) return Math.atan2(y, x);
  const ratio = f32(Math.abs(f32(y / x)));
  if (ratio === Infinity || ratio >= 2 ** 60) return Math.atan2(y, x);
  const z = f32(Math.atan(ratio));
  const reduced = f32(z - f32(-8.7422776573e-8)); // pi = 3.1415927410 (float32) - 8.742e-8
  return y > 0 ? f32(f32(Math.PI) - reduced) : f32(reduced - f32(Math.PI));
}
