/**
 * Arithmetic on bit patterns by integers alone: +, -, x and / of float16, bfloat16 and float32, correctly rounded to nearest even with
 * subnormals, on every adapter. No floating-point operation is executed, so flushing, fast maths and NaN assumptions can't touch it.
 *
 * One text serves three formats. `lead` is the bit where a significand's leading one sits while an operation runs (a carry may take
 * it one higher); below the last kept bit stay a guard bit and a sticky bit, which make rounding exact.
 */
import { defineLibrary } from './link';

interface Layout {
  readonly name: 'f16' | 'bf16' | 'f32';
  readonly significandBits: number;
  readonly exponentBits: number;
  readonly lead: number;
}

/** A canonical quiet NaN: only the top bit of the significand set. */
export const layouts: readonly Layout[] = [
  { name: 'f16', significandBits: 10, exponentBits: 5, lead: 24 },
  { name: 'bf16', significandBits: 7, exponentBits: 8, lead: 24 },
  { name: 'f32', significandBits: 23, exponentBits: 8, lead: 29 },
];

const hex = (n: number) => `0x${(n >>> 0).toString(16)}u`;

function arithmetic({ name, significandBits: M, exponentBits: E, lead: L }: Layout): string {
  const maxField = 2 ** E - 1;
  const bias = 2 ** (E - 1) - 1;
  const infinity = maxField * 2 ** M;
  const hidden = 2 ** M;
  const nan = infinity + hidden / 2;
  const sign = 2 ** (M + E);
  const drop = L + 1 - M; // bits below the last kept one when the leading one is at lead + 1
  return /* wgsl */ `
fn ${name}_pack(s: u32, R: u32, e: u32) -> u32 {
  // R: significand with its leading one at bit ${L + 1} (lower only for subnormals, e = 1), sticky in bit 0. Overflow gives infinity.
  let q = (R + ${hex(2 ** (drop - 1) - 1)} + ((R >> ${drop}u) & 1u)) >> ${drop}u;
  return s | min(((e - 1u) << ${M}u) + q, ${hex(infinity)});
}
fn ${name}_add_bits(x: u32, y: u32) -> u32 {
  let ax = x & ${hex(sign - 1)};
  let ay = y & ${hex(sign - 1)};
  let big = select(x, y, ay > ax);
  let ab = max(ax, ay);
  let al = min(ax, ay);
  let eb = max(ab >> ${M}u, 1u);
  let el = max(al >> ${M}u, 1u);
  let mb = ((ab & ${hex(hidden - 1)}) | select(0u, ${hex(hidden)}, ab >= ${hex(hidden)})) << ${L - M}u;
  let ml = ((al & ${hex(hidden - 1)}) | select(0u, ${hex(hidden)}, al >= ${hex(hidden)})) << ${L - M}u;
  let d = min(eb - el, 31u);
  let shifted = ml >> d;
  let S = shifted | select(0u, 1u, (shifted << d) != ml);
  let opposite = ((x ^ y) & ${hex(sign)}) != 0u;
  let R = select(mb + S, mb - S, opposite);
  // An exact zero is +0 unless both operands are negative.
  let s = select(big & ${hex(sign)}, x & y & ${hex(sign)}, R == 0u);
  let n = select(min(countLeadingZeros(R | 1u) - ${30 - L}u, eb), eb, R == 0u);
  let finite = ${name}_pack(s, R << n, eb + 1u - n);
  let special = select(select(big, ${hex(nan)}, ab > ${hex(infinity)}), ${hex(nan)}, al == ${hex(infinity)} && opposite);
  return select(finite, special, ab >= ${hex(infinity)});
}
fn ${name}_normalised(a: u32) -> vec2<u32> {
  // Significand with its leading one at bit ${M}, and biased exponent (two's complement: may be <= 0), of a nonzero finite magnitude.
  let subnormal = a < ${hex(hidden)};
  let k = select(0u, countLeadingZeros(a | 1u) - ${31 - M}u, subnormal);
  let m = select((a & ${hex(hidden - 1)}) | ${hex(hidden)}, a << k, subnormal);
  return vec2<u32>(m, select(a >> ${M}u, 1u - k, subnormal));
}
fn ${name}_tail(s: u32, R0: u32, e0: i32) -> u32 {
  // R0: leading one at bit ${L + 1} or ${L}, sticky in bit 0; e0: biased exponent of bit ${L + 1}.
  let c = select(1u, 0u, (R0 & ${hex(2 ** (L + 1))}) != 0u);
  let R1 = R0 << c;
  let e1 = e0 - i32(c);
  let t = u32(clamp(1 - e1, 0, 31));
  let Q = R1 >> t;
  let R = Q | select(0u, 1u, (Q << t) != R1);
  return ${name}_pack(s, R, u32(clamp(e1, 1, ${maxField})));
}
fn ${name}_mul_bits(x: u32, y: u32) -> u32 {
  let s = (x ^ y) & ${hex(sign)};
  let ax = x & ${hex(sign - 1)};
  let ay = y & ${hex(sign - 1)};
  let nx = ${name}_normalised(ax);
  let ny = ${name}_normalised(ay);
${
  name === 'f32'
    ? `  // 24 x 24 bits in halves of 12; the product's bits below the guard become sticky.
  let xh = nx.x >> 12u;
  let xl = nx.x & 0xfffu;
  let yh = ny.x >> 12u;
  let yl = ny.x & 0xfffu;
  let mid = xh * yl + xl * yh;
  let low = xl * yl + ((mid & 0xfffu) << 12u);
  let high = xh * yh + (mid >> 12u) + (low >> 24u);
  let rest = low & 0xffffffu;
  let P = (high << 7u) | (rest >> 17u) | select(0u, 1u, (rest & 0x1ffffu) != 0u);`
    : `  let P = (nx.x * ny.x) << ${L + 1 - (2 * M + 1)}u;`
}
  let r = ${name}_tail(s, P, i32(nx.y) + i32(ny.y) - ${bias - 1});
  let big = max(ax, ay);
  let zero = min(ax, ay) == 0u;
  let special = select(s | ${hex(infinity)}, ${hex(nan)}, big > ${hex(infinity)} || zero);
  return select(select(r, s, zero), special, big >= ${hex(infinity)});
}
fn ${name}_div(x: u32, y: u32) -> u32 {
  let s = (x ^ y) & ${hex(sign)};
  let ax = x & ${hex(sign - 1)};
  let ay = y & ${hex(sign - 1)};
  let nx = ${name}_normalised(ax);
  let ny = ${name}_normalised(ay);
  let den = max(ny.x, 1u);
${
  name === 'f32'
    ? `  // Long division, 8 + 8 + 8 + 6 bits: the quotient lies in (2^29, 2^31).
  let n0 = nx.x << 8u;
  let q0 = n0 / den;
  let n1 = (n0 - q0 * den) << 8u;
  let q1 = n1 / den;
  let n2 = (n1 - q1 * den) << 8u;
  let q2 = n2 / den;
  let n3 = (n2 - q2 * den) << 6u;
  let q3 = n3 / den;
  let q = (q0 << 22u) + (q1 << 14u) + (q2 << 6u) + q3;
  let R = q | select(0u, 1u, n3 != q3 * den);`
    : `  let num = nx.x << ${M + 6}u; // quotient in (2^${M + 5}, 2^${M + 7})
  let q = num / den;
  let R = (q << ${L + 1 - (M + 6)}u) | select(0u, 1u, q * den != num);`
}
  var r = ${name}_tail(s, R, i32(nx.y) - i32(ny.y) + ${bias});
  r = select(r, s, ax == 0u);
  r = select(r, s | ${hex(infinity)}, ay == 0u || ax == ${hex(infinity)});
  r = select(r, s, ay == ${hex(infinity)});
  let invalid = max(ax, ay) > ${hex(infinity)} || (ax == 0u && ay == 0u) || (ax == ${hex(infinity)} && ay == ${hex(infinity)});
  return select(r, ${hex(nan)}, invalid);
}
fn ${name}_sub(x: u32, y: u32) -> u32 {
  return ${name}_add(x, y ^ ${hex(sign)});
}
fn ${name}_is_nan(x: u32) -> bool {
  return (x & ${hex(sign - 1)}) > ${hex(infinity)};
}
fn ${name}_key(x: u32) -> i32 {
  // Orders like the numbers; both zeros are 0.
  let m = i32(x & ${hex(sign - 1)});
  return select(m, -m, (x & ${hex(sign)}) != 0u);
}
fn ${name}_lt(x: u32, y: u32) -> bool {
  return ${name}_key(x) < ${name}_key(y) && !${name}_is_nan(x) && !${name}_is_nan(y);
}
fn ${name}_le(x: u32, y: u32) -> bool {
  return ${name}_key(x) <= ${name}_key(y) && !${name}_is_nan(x) && !${name}_is_nan(y);
}
fn ${name}_eq(x: u32, y: u32) -> bool {
  return ${name}_key(x) == ${name}_key(y) && !${name}_is_nan(x) && !${name}_is_nan(y);
}
fn ${name}_maximum(x: u32, y: u32) -> u32 {
  // NaN wins.
  let r = select(x, y, ${name}_key(y) > ${name}_key(x));
  return select(r, ${hex(nan)}, ${name}_is_nan(x) || ${name}_is_nan(y));
}
fn ${name}_minimum(x: u32, y: u32) -> u32 {
  let r = select(x, y, ${name}_key(y) < ${name}_key(x));
  return select(r, ${hex(nan)}, ${name}_is_nan(x) || ${name}_is_nan(y));
}
`;
}

for (const layout of layouts) defineLibrary(arithmetic(layout));

defineLibrary(/* wgsl */ `
fn f16_add(x: u32, y: u32) -> u32 {
  return f16_add_bits(x, y);
}
fn f16_mul(x: u32, y: u32) -> u32 {
  return f16_mul_bits(x, y);
}
fn bf16_add(x: u32, y: u32) -> u32 {
  return bf16_add_bits(x, y);
}
fn bf16_mul(x: u32, y: u32) -> u32 {
  return bf16_mul_bits(x, y);
}
fn f32_add(x: u32, y: u32) -> u32 {
  // The adapter's own addition where no subnormal can take part and nothing overflows: with both magnitudes at least 2^-102 the sum is
  // zero or a multiple of 2^-125. WGSL promises + and x correctly rounded there.
  let ex = (x >> 23u) & 0xffu;
  let ey = (y >> 23u) & 0xffu;
  if (min(ex, ey) > 25u && max(ex, ey) < 254u) {
    let r = bitcast<u32>(bitcast<f32>(x) + bitcast<f32>(y));
    return select(r, 0u, (x ^ y) == 0x80000000u);
  }
  return f32_add_bits(x, y);
}
fn f32_mul(x: u32, y: u32) -> u32 {
  let ex = (x >> 23u) & 0xffu;
  let ey = (y >> 23u) & 0xffu;
  let e = ex + ey;
  if (min(ex, ey) > 0u && max(ex, ey) < 255u && e > 128u && e < 380u) {
    return bitcast<u32>(bitcast<f32>(x) * bitcast<f32>(y));
  }
  return f32_mul_bits(x, y);
}
fn f32_sqrt(x: u32) -> u32 {
  // Digit by digit: the root of a significand scaled to 50 bits has 25 bits, the last one for rounding, the remainder is sticky.
  if ((x & 0x7fffffffu) == 0u || x == 0x7f800000u) {
    return x;
  }
  if (x > 0x7f800000u) {
    return 0x7fc00000u;
  }
  let n = f32_normalised(x);
  let odd = (n.y & 1u) == 0u; // the unbiased exponent n.y - 127 is odd
  let m = select(n.x << 1u, n.x << 2u, odd); // value = m 2^(2 e - 24); m 2^24 has 50 bits at most
  let e = (i32(n.y) - 127 - select(0, 1, odd)) / 2;
  // Two bits of m 2^24 come down at each step.
  var root = 0u;
  var rest = 0u;
  for (var k = 0u; k < 25u; k++) {
    let down = select(0u, (m >> ((24u - 2u * k) & 31u)) & 3u, k < 13u);
    rest = (rest << 2u) | down;
    let trial = (root << 2u) | 1u;
    let fits = rest >= trial;
    rest = select(rest, rest - trial, fits);
    root = (root << 1u) | select(0u, 1u, fits);
  }
  // root: 25 bits, leading one at bit 24. It can't be a tie (a square root of 24 bits is never halfway), so bit 0 decides.
  let r = (root >> 1u) + (root & 1u);
  return (u32(e + 126) << 23u) + r;
}
`);
