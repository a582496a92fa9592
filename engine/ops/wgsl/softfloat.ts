/**
 * float32 arithmetic on bit patterns: correctly rounded to nearest even, with subnormals, infinities and NaN, on every adapter.
 *
 * The `_bits` forms execute no floating-point operation, so flushing of subnormals, fast maths and "NaN is absent" can't touch them.
 * `f32_add` and `f32_mul` let the adapter's own + and x do the work where nothing but normal numbers can take part; WGSL promises
 * correct rounding there, and the start-up self-test checks it. 16-bit arithmetic is this arithmetic with one rounding on store,
 * which is what PyTorch does.
 *
 * Significands are held with their leading one at bit 29 (30 after a carry): six or seven bits below the last kept one, the lowest
 * of them sticky (it says whether anything nonzero was shifted out), make the final rounding exact.
 */
import { defineLibrary } from './link';

defineLibrary(/* wgsl */ `
fn f32_is_nan(x: u32) -> bool {
  return (x & 0x7fffffffu) > 0x7f800000u;
}
fn f32_key(x: u32) -> i32 {
  // Orders like the numbers; both zeros are 0.
  let m = i32(x & 0x7fffffffu);
  return select(m, -m, x >= 0x80000000u);
}
fn f32_lt(x: u32, y: u32) -> bool {
  return f32_key(x) < f32_key(y) && !f32_is_nan(x) && !f32_is_nan(y);
}
fn f32_le(x: u32, y: u32) -> bool {
  return f32_key(x) <= f32_key(y) && !f32_is_nan(x) && !f32_is_nan(y);
}
fn f32_eq(x: u32, y: u32) -> bool {
  return f32_key(x) == f32_key(y) && !f32_is_nan(x) && !f32_is_nan(y);
}
fn f32_maximum(x: u32, y: u32) -> u32 {
  // NaN wins.
  let r = select(x, y, f32_key(y) > f32_key(x));
  return select(r, 0x7fc00000u, f32_is_nan(x) || f32_is_nan(y));
}
fn f32_minimum(x: u32, y: u32) -> u32 {
  let r = select(x, y, f32_key(y) < f32_key(x));
  return select(r, 0x7fc00000u, f32_is_nan(x) || f32_is_nan(y));
}
fn f32_pack(s: u32, R: u32, e: u32) -> u32 {
  // R has its leading one at bit 30 (lower only for subnormals, where e = 1). A carry runs into the exponent; overflow is infinity.
  let q = (R + 0x3fu + ((R >> 7u) & 1u)) >> 7u;
  return s | min(((e - 1u) << 23u) + q, 0x7f800000u);
}
fn f32_round(s: u32, R0: u32, e0: i32) -> u32 {
  // R0 has its leading one at bit 30 or 29, e0 is the biased exponent of bit 30. Shifts subnormals down first.
  let c = select(1u, 0u, (R0 & 0x40000000u) != 0u);
  let R1 = R0 << c;
  let e1 = e0 - i32(c);
  let t = u32(clamp(1 - e1, 0, 31));
  let Q = R1 >> t;
  let R = Q | select(0u, 1u, (Q << t) != R1);
  return f32_pack(s, R, u32(clamp(e1, 1, 255)));
}
fn f32_normalised(a: u32) -> vec2<u32> {
  // Of a nonzero finite magnitude: significand with its leading one at bit 23, biased exponent (two's complement: may be <= 0).
  let subnormal = a < 0x800000u;
  let k = select(0u, countLeadingZeros(a | 1u) - 8u, subnormal);
  let m = select((a & 0x7fffffu) | 0x800000u, a << k, subnormal);
  return vec2<u32>(m, select(a >> 23u, 1u - k, subnormal));
}
fn f32_add_bits(x: u32, y: u32) -> u32 {
  let ax = x & 0x7fffffffu;
  let ay = y & 0x7fffffffu;
  let big = select(x, y, ay > ax);
  let ab = max(ax, ay);
  let al = min(ax, ay);
  let eb = max(ab >> 23u, 1u);
  let el = max(al >> 23u, 1u);
  let mb = ((ab & 0x7fffffu) | select(0u, 0x800000u, ab >= 0x800000u)) << 6u;
  let ml = ((al & 0x7fffffu) | select(0u, 0x800000u, al >= 0x800000u)) << 6u;
  let d = min(eb - el, 31u);
  let shifted = ml >> d;
  let S = shifted | select(0u, 1u, (shifted << d) != ml);
  let opposite = ((x ^ y) & 0x80000000u) != 0u;
  let R = select(mb + S, mb - S, opposite);
  // An exact zero is +0 unless both operands are negative.
  let s = select(big & 0x80000000u, x & y & 0x80000000u, R == 0u);
  let n = select(min(countLeadingZeros(R | 1u) - 1u, eb), eb, R == 0u);
  let finite = f32_pack(s, R << n, eb + 1u - n);
  let nan = ab > 0x7f800000u || (al == 0x7f800000u && opposite);
  return select(finite, select(big, 0x7fc00000u, nan), ab >= 0x7f800000u);
}
fn f32_mul_bits(x: u32, y: u32) -> u32 {
  let s = (x ^ y) & 0x80000000u;
  let ax = x & 0x7fffffffu;
  let ay = y & 0x7fffffffu;
  let nx = f32_normalised(ax);
  let ny = f32_normalised(ay);
  let P = u24_mul(nx.x, ny.x);
  // The 48-bit product's leading one (bit 47 or 46) comes to bit 30 or 29.
  let R = (P.x << 15u) | (P.y >> 17u) | select(0u, 1u, (P.y & 0x1ffffu) != 0u);
  let r = f32_round(s, R, i32(nx.y) + i32(ny.y) - 126);
  let big = max(ax, ay);
  let zero = min(ax, ay) == 0u;
  let special = select(s | 0x7f800000u, 0x7fc00000u, big > 0x7f800000u || zero);
  return select(select(r, s, zero), special, big >= 0x7f800000u);
}
fn u24_mul(x: u32, y: u32) -> vec2<u32> {
  // 24 x 24 bits in halves of 12: (high, low) words of the 48-bit product.
  let xh = x >> 12u;
  let xl = x & 0xfffu;
  let yh = y >> 12u;
  let yl = y & 0xfffu;
  let mid = xh * yl + xl * yh;
  let low = xl * yl + ((mid & 0xfffu) << 12u);
  let high = xh * yh + (mid >> 12u) + (low >> 24u); // units of 2^24
  return vec2<u32>(high >> 8u, (high << 24u) | (low & 0xffffffu));
}
fn f32_div(x: u32, y: u32) -> u32 {
  // WGSL allows 2.5 ulp for /, so division is always by integers.
  let s = (x ^ y) & 0x80000000u;
  let ax = x & 0x7fffffffu;
  let ay = y & 0x7fffffffu;
  let nx = f32_normalised(ax);
  let ny = f32_normalised(ay);
  let den = max(ny.x, 1u);
  // Long division, 8 + 8 + 8 + 6 bits: the quotient lies in (2^29, 2^31).
  let n0 = nx.x << 8u;
  let q0 = n0 / den;
  let n1 = (n0 - q0 * den) << 8u;
  let q1 = n1 / den;
  let n2 = (n1 - q1 * den) << 8u;
  let q2 = n2 / den;
  let n3 = (n2 - q2 * den) << 6u;
  let q3 = n3 / den;
  let q = (q0 << 22u) + (q1 << 14u) + (q2 << 6u) + q3;
  let R = q | select(0u, 1u, n3 != q3 * den);
  var r = f32_round(s, R, i32(nx.y) - i32(ny.y) + 127);
  r = select(r, s, ax == 0u);
  r = select(r, s | 0x7f800000u, ay == 0u || ax == 0x7f800000u);
  r = select(r, s, ay == 0x7f800000u);
  let invalid = max(ax, ay) > 0x7f800000u || (ax == 0u && ay == 0u) || (ax == 0x7f800000u && ay == 0x7f800000u);
  return select(r, 0x7fc00000u, invalid);
}
fn f32_add(x: u32, y: u32) -> u32 {
  // With both magnitudes zero or at least 2^-102 the sum is zero or a multiple of 2^-125: no subnormal takes part. Below 2^127 none
  // overflows. A loop that runs once or not at all skips the long way where a branch would not: SwiftShader runs both sides of an if
  // (and of && and ||, hence & and |).
  let ex = (x >> 23u) & 0xffu;
  let ey = (y >> 23u) & 0xffu;
  var r = bitcast<u32>(bitcast<f32>(x) + bitcast<f32>(y));
  r = select(r, x & y & 0x80000000u, (r << 1u) == 0u);
  var slow = (max(ex, ey) > 253u) | ((ex < 26u) & ((x << 1u) != 0u)) | ((ey < 26u) & ((y << 1u) != 0u));
  while (slow) {
    r = f32_add_bits(x, y);
    slow = false;
  }
  return r;
}
fn f32_sub(x: u32, y: u32) -> u32 {
  return f32_add(x, y ^ 0x80000000u);
}
fn f32_mul(x: u32, y: u32) -> u32 {
  // Normal operands whose product is certainly normal: the exponent fields say so. Zero times a finite number is a zero.
  let ex = (x >> 23u) & 0xffu;
  let ey = (y >> 23u) & 0xffu;
  let e = ex + ey;
  let zero = ((x << 1u) == 0u) | ((y << 1u) == 0u);
  var r = bitcast<u32>(bitcast<f32>(x) * bitcast<f32>(y));
  r = select(r, (x ^ y) & 0x80000000u, zero);
  var slow = (max(ex, ey) == 255u) | (!zero & ((min(ex, ey) == 0u) | (e <= 128u) | (e >= 380u)));
  while (slow) {
    r = f32_mul_bits(x, y);
    slow = false;
  }
  return r;
}
fn f32_sqrt(x: u32) -> u32 {
  // Digit by digit: the root of a significand scaled to 50 bits has 25 bits; the last one rounds.
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
  // root has its leading one at bit 24. A root of 24 bits is never halfway between two (its square would need 50), so bit 0 rounds.
  let r = (root >> 1u) + (root & 1u);
  return (u32(e + 126) << 23u) + r;
}
fn u64_shl(v: vec2<u32>, k: u32) -> vec2<u32> {
  // (high, low) words; k < 64.
  if (k == 0u) {
    return v;
  }
  if (k >= 32u) {
    return vec2<u32>(v.y << (k - 32u), 0u);
  }
  return vec2<u32>((v.x << k) | (v.y >> (32u - k)), v.y << k);
}
fn u64_shr_sticky(v: vec2<u32>, k: u32) -> vec2<u32> {
  // Bit 0 of the result also says whether a one was shifted out.
  if (k == 0u) {
    return v;
  }
  if (k >= 64u) {
    return vec2<u32>(0u, select(0u, 1u, (v.x | v.y) != 0u));
  }
  if (k >= 32u) {
    let j = k - 32u;
    let low = v.x >> j;
    let lost = v.y | (v.x - (low << j));
    return vec2<u32>(0u, low | select(0u, 1u, lost != 0u));
  }
  let low = (v.x << (32u - k)) | (v.y >> k);
  let lost = v.y << (32u - k);
  return vec2<u32>(v.x >> k, low | select(0u, 1u, lost != 0u));
}
fn f32_fma(x: u32, y: u32, z: u32) -> u32 {
  // x * y + z with one rounding. The product's 48 bits and z's 24 are aligned in 64, with their leading ones at bit 60 or 61.
  let ax = x & 0x7fffffffu;
  let ay = y & 0x7fffffffu;
  let az = z & 0x7fffffffu;
  if (max(max(ax, ay), az) >= 0x7f800000u || ax == 0u || ay == 0u || az == 0u) {
    // Something special: then the product's rounding can't matter, except that a zero z leaves just the product.
    if (az == 0u && ax != 0u && ay != 0u && max(ax, ay) < 0x7f800000u) {
      return f32_mul(x, y);
    }
    let p = select(f32_mul_bits(x, y), ((x ^ y) & 0x80000000u) | 0x3f800000u, max(ax, ay) < 0x7f800000u && ax != 0u && ay != 0u);
    return f32_add_bits(p, z);
  }
  let nx = f32_normalised(ax);
  let ny = f32_normalised(ay);
  let nz = f32_normalised(az);
  let sp = (x ^ y) & 0x80000000u;
  let sz = z & 0x80000000u;
  var p = u64_shl(u24_mul(nx.x, ny.x), 14u); // leading one at 61 or 60
  var c = vec2<u32>(nz.x << 6u, 0u); // leading one at 61
  let ep = i32(nx.y) + i32(ny.y) - 126; // biased exponent of bit 61
  let ez = i32(nz.y);
  let e = max(ep, ez);
  p = u64_shr_sticky(p, u32(min(e - ep, 64)));
  c = u64_shr_sticky(c, u32(min(e - ez, 64)));
  var r: vec2<u32>;
  var s = sp;
  if (sp == sz) {
    let low = p.y + c.y;
    r = vec2<u32>(p.x + c.x + select(0u, 1u, low < p.y), low);
  } else {
    let less = p.x < c.x || (p.x == c.x && p.y < c.y);
    let a = select(p, c, less);
    let b = select(c, p, less);
    r = vec2<u32>(a.x - b.x - select(0u, 1u, a.y < b.y), a.y - b.y);
    s = select(sp, sz, less);
  }
  if ((r.x | r.y) == 0u) {
    return 0u;
  }
  // Bring the leading one to bit 62, then keep 31 bits with a sticky one.
  let lz = select(countLeadingZeros(r.x), 32u + countLeadingZeros(r.y), r.x == 0u);
  let n = u64_shl(r, lz - 1u);
  let R = n.x | select(0u, 1u, n.y != 0u);
  return f32_round(s, R, e + 2 - i32(lz));
}
`);
