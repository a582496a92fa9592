/**
 * float32 exp and log on bit patterns, correctly rounded but for about one argument in a million, by 64-bit fixed-point arithmetic.
 *
 * WGSL's own are up to 60 ulp off on some adapters, and every adapter differs. These give the bits that the reference gives (a double
 * result rounded once), so that a 16-bit softmax or loss computed from them has the reference's bits too.
 *
 *   exp: x = k C + t with C = ln 2 / 1024 and 0 <= t < C. Then e^x = 2^(k div 1024) * 2^((k mod 1024) / 1024) * e^t. The second factor
 *        is in a table, with 62 fraction bits; e^t = 1 + t + t^2/2 + t^3/6, whose next term is below 2^-46.
 *   log: x = 2^n m. m is multiplied by factors 1 + 2^-j until it reaches 2: ln m = ln 2 - sum of ln(1 + 2^-j). Absolute error 2^-56.
 */
import type { Table } from './kernel';
import { defineLibrary } from './link';

/** Fixed-point precision of the constants' computation. */
const bits = 200n;
const one = 1n << bits;

function squareRoot(v: bigint): bigint {
  // Of v / one, in units of 1 / one.
  const target = v * one;
  let r = 1n << BigInt((target.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (r + target / r) >> 1n;
    if (next >= r) return r;
    r = next;
  }
}

/** ln(1 + 1/d): 2 artanh(1 / (2 d + 1)). */
function logOnePlusInverse(d: bigint): bigint {
  const q = 2n * d + 1n;
  let term = one / q;
  let sum = 0n;
  for (let n = 1n; term !== 0n; n += 2n) {
    sum += term / n;
    term /= q * q;
  }
  return 2n * sum;
}
const ln2 = logOnePlusInverse(1n);
const scaled = (v: bigint, fractionBits: bigint): bigint =>
  (v + (1n << (bits - fractionBits - 1n))) >> (bits - fractionBits);
const words = (v: bigint): [number, number] => [Number(v >> 32n), Number(v & 0xffffffffn)];
const literal = (v: bigint): string =>
  words(v)
    .map((w) => `0x${w.toString(16)}u`)
    .join(', ');

const stepBits = 10;
/** Binding name of the table that exp reads; kernels which reach it bind `exponentTable`. */
export const exponentTableName = 'PowersOfTwo';
/** 2^(j / 1024) for j < 1024, 62 fraction bits, (high, low) words; then ln(1 + 2^-j) for j < 32, 63 fraction bits. */
export const exponentTable: Table = {
  key: 'exp and log constants',
  make: () => {
    let root = 2n * one;
    for (let k = 0; k < stepBits; k++) root = squareRoot(root);
    const out = new Uint32Array(2 * (1024 + 32));
    let power = one;
    for (let j = 0; j < 1024; j++) {
      out.set(words(scaled(power, 62n)), 2 * j);
      power = (power * root) >> bits;
    }
    for (let j = 0n; j < 32n; j++) out.set(words(scaled(logOnePlusInverse(1n << j), 63n)), 2 * (1024 + Number(j)));
    return out;
  },
};

defineLibrary(/* wgsl */ `
fn u32_mul(a: u32, b: u32) -> vec2<u32> {
  // 32 x 32 -> (high, low) words.
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a0 * b0;
  let mid = a0 * b1 + (low >> 16u);
  let mid2 = a1 * b0 + (mid & 0xffffu);
  return vec2<u32>(a1 * b1 + (mid >> 16u) + (mid2 >> 16u), (mid2 << 16u) | (low & 0xffffu));
}
fn u64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.y + b.y;
  return vec2<u32>(a.x + b.x + select(0u, 1u, low < a.y), low);
}
fn u64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x - select(0u, 1u, a.y < b.y), a.y - b.y);
}
fn u64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
  return (a.x < b.x) | ((a.x == b.x) & (a.y < b.y));
}
fn u64_shift(v: vec2<u32>, left: i32) -> vec2<u32> {
  // Shifts left, or right where negative; |left| < 64, without branches.
  let k = u32(abs(left)) & 63u;
  let j = k & 31u;
  let up = select(vec2<u32>((v.x << j) | select(0u, v.y >> ((32u - j) & 31u), j != 0u), v.y << j), vec2<u32>(v.y << j, 0u), k >= 32u);
  let down = select(vec2<u32>(v.x >> j, (v.y >> j) | select(0u, v.x << ((32u - j) & 31u), j != 0u)), vec2<u32>(0u, v.x >> j), k >= 32u);
  return select(down, up, left >= 0);
}
fn exp_scaled(x: u32) -> vec3<u32> {
  // e^x for a finite x with 2^-26 < |x| < 104: (high, low) words with 62 fraction bits, in [1, 2); and the exponent of two.
  let a = x & 0x7fffffffu;
  let negative = x >= 0x80000000u;
  let e = i32(a >> 23u);
  let m = (a & 0x7fffffu) | 0x800000u;
  let X = u64_shift(vec2<u32>(0u, m), e - 94); // |x|, 56 fraction bits: m 2^(e - 150 + 56)
  // Not above |x| / C: 24 fraction bits of |x| times 1024 / ln 2 with 21.
  let x24 = (X.x << 0u); // 24 fraction bits are the high word
  let k0 = u32_mul(x24, ${Number((1024n * one * (1n << 21n)) / ln2)}u).x >> 13u;
  var k = select(k0, k0 + 1u, negative);
  // k C with 72 fraction bits, then 56.
  let C = vec2<u32>(${literal(scaled(ln2, 62n))}); // ln 2 / 1024 with 72 fraction bits
  let low = u32_mul(k, C.y);
  let high = u32_mul(k, C.x);
  let sum = high.y + low.x;
  let top = high.x + select(0u, 1u, sum < high.y);
  var kC = vec2<u32>((top << 16u) | (sum >> 16u), (sum << 16u) | (low.y >> 16u));
  let C56 = vec2<u32>(${literal(scaled(ln2, 46n))});
  if (negative) {
    let more = u64_lt(kC, X);
    k = select(k, k + 1u, more);
    kC = select(kC, u64_add(kC, C56), more);
  }
  let t = select(u64_sub(X, kC), u64_sub(kC, X), negative);
  let t42 = (t.x << 18u) | (t.y >> 14u);
  let square = u32_mul(t42, t42).x; // t^2, 52 fraction bits
  let cube = u32_mul(square, t42).x; // t^3, 62 fraction bits
  let s = (square >> 1u) + cube / 6144u; // t^2/2 + t^3/6, 52 fraction bits
  let q = u64_add(t, vec2<u32>(s >> 28u, s << 4u));
  // n = floor(+-k / 1024), j = +-k mod 1024
  let signed_k = select(i32(k), -i32(k), negative);
  let n = signed_k >> 10u;
  let T = vec2<u32>(${exponentTableName}[u32(signed_k & 1023) * 2u], ${exponentTableName}[u32(signed_k & 1023) * 2u + 1u]);
  // T q: q in pieces of 42 and 14 more fraction bits.
  let q42 = (q.x << 18u) | (q.y >> 14u);
  let main_part = u32_mul(T.x, q42); // 30 + 42 = 72 fraction bits
  let small = (((T.x >> 14u) * (q.y & 0x3fffu)) + ((T.y >> 16u) * (q42 >> 16u))) ; // 16 + 56 = 72 and 46 + 26 = 72
  let Tq = u64_add(main_part, vec2<u32>(0u, small));
  let y = u64_add(T, vec2<u32>(Tq.x >> 10u, (Tq.x << 22u) | (Tq.y >> 10u)));
  return vec3<u32>(y, u32(n));
}
fn f32_exp(x: u32) -> u32 {
  let a = x & 0x7fffffffu;
  let y = exp_scaled(select(x, 0x3f800000u, a >= 0x42d00000u || a <= 0x32800000u));
  // y lies in [1, 2 + 2^-13): its leading one is bit 62, or 63 after a carry past 2.
  let carry = y.x >> 31u;
  let R = select(y.x, (y.x >> 1u) | (y.x & 1u), carry == 1u) | select(0u, 1u, y.y != 0u);
  var r = f32_round(0u, R, i32(y.z) + 127 + i32(carry));
  // Beyond 104 the result is inf or 0; below 2^-26 it is 1.
  r = select(r, select(0x7f800000u, 0u, x >= 0x80000000u), a >= 0x42d00000u);
  r = select(r, 0x3f800000u, a <= 0x32800000u);
  return select(r, 0x7fc00000u, a > 0x7f800000u);
}
fn log_fixed(m: vec2<u32>) -> vec2<u32> {
  // ln of a number in [1, 2) with 62 fraction bits; 63 fraction bits.
  var y = m;
  var sum = vec2<u32>(0u);
  let two = vec2<u32>(0x80000000u, 0u);
  for (var j = 1u; j < 32u; j++) {
    // 1 + 2^-j may be needed twice only for j = 1, and 1.5 * 1.5 > 2.
    let more = u64_add(y, u64_shift(y, -i32(j)));
    let fits = !u64_lt(two, more);
    y = select(y, more, fits);
    let at = (1024u + j) * 2u;
    sum = select(sum, u64_add(sum, vec2<u32>(${exponentTableName}[at], ${exponentTableName}[at + 1u])), fits);
  }
  // y = 2 - d with d < 2^-30: ln y = ln 2 - d/2. In 63 fraction bits d/2 is the difference's own pattern in 62.
  let d = u64_sub(two, y);
  return u64_sub(u64_sub(vec2<u32>(${literal(scaled(ln2, 63n))}), sum), d);
}
fn f32_log(x: u32) -> u32 {
  if (x == 0x7f800000u) { return x; }
  if ((x & 0x7fffffffu) == 0u) { return 0xff800000u; }
  if (x > 0x7f800000u) { return 0x7fc00000u; }
  if (x == 0x3f800000u) { return 0u; }
  let n = f32_normalised(x);
  let k = i32(n.y) - 127;
  return log_round(k, log_fixed(vec2<u32>(n.x << 7u, 0u)));
}
fn log_round(k: i32, fraction: vec2<u32>) -> u32 {
  // k ln 2 + fraction (63 fraction bits, in [0, ln 2)) as a float32. The sum is held with 55 fraction bits and a sign.
  let f = u64_shift(fraction, -8);
  let m = u32(abs(k));
  let L = vec2<u32>(${literal(scaled(ln2, 55n))});
  let low = u32_mul(m, L.y);
  let kL = vec2<u32>(m * L.x + low.x, low.y);
  let negative = k < 0;
  let v = select(u64_add(kL, f), u64_sub(kL, f), negative);
  let lz = select(countLeadingZeros(v.x), 32u + countLeadingZeros(v.y), v.x == 0u);
  // Small results keep the fraction's full precision.
  let exact = select(v, fraction, k == 0);
  let z = select(lz, select(countLeadingZeros(fraction.x), 32u + countLeadingZeros(fraction.y), fraction.x == 0u), k == 0);
  let normal = u64_shift(exact, i32(z) - 1);
  let R = normal.x | select(0u, 1u, normal.y != 0u);
  let unit = select(55, 63, k == 0);
  return f32_round(select(0u, 0x80000000u, negative), R, 127 + 63 - i32(z) - unit);
}
fn f32_tanh(x: u32) -> u32 {
  // |x| < 0.625: x + x z P(z), z = x^2 (Cephes tanhf, 2 10^-8 relative). Beyond: 1 - 2 / (e^2|x| + 1). Below 2^-12 tanh x is x.
  let a = x & 0x7fffffffu;
  let v = bitcast<f32>(a);
  let z = v * v;
  let p = ((((-5.70498872745e-3 * z + 2.06390887954e-2) * z - 5.37397155531e-2) * z + 1.33314422036e-1) * z - 3.33332819422e-1) * z;
  let small = bitcast<u32>(v + v * p);
  let e = f32_exp(bitcast<u32>(v + v));
  let y = f32_div(0x40000000u, f32_add(e, 0x3f800000u));
  let large = bitcast<u32>(1.0 - bitcast<f32>(y));
  var r = select(large, small, a < 0x3f200000u);
  r = select(r, a, a < 0x39800000u);
  r = select(r, 0x3f800000u, a >= 0x41200000u); // 10
  return select(r | (x & 0x80000000u), 0x7fc00000u, a > 0x7f800000u);
}
fn f32_logistic(x: u32) -> u32 {
  // 1 / (1 + e^-x), each step rounded.
  return f32_div(0x3f800000u, f32_add(0x3f800000u, f32_exp(x ^ 0x80000000u)));
}
fn silu_slope(g: u32, x: u32) -> u32 {
  // (g s) (1 + x (1 - s)), s = 1 / (1 + e^-x), each step rounded to float32.
  let s = f32_logistic(x);
  return f32_mul(f32_mul(g, s), f32_add(0x3f800000u, f32_mul(x, f32_sub(0x3f800000u, s))));
}
`);
