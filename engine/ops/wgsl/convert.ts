/**
 * Conversions between float32 patterns and 16-bit patterns, and from integers, by integer code only: WGSL promises no rounding
 * mode for quantising, and may flush subnormals and assume NaN and infinity away. All patterns are u32; 16-bit ones in the low half.
 */
import { defineLibrary } from './link';

defineLibrary(/* wgsl */ `
fn f32_to_f16(u: u32) -> u32 {
  // Nearest even; 65520 and above is infinity; NaN is the one quiet NaN.
  let s = (u >> 16u) & 0x8000u;
  let a = u & 0x7fffffffu;
  let r = a - 0x38000000u;                               // rebias 127 -> 15 (wraps if small; unused then)
  let n = (r + 0xfffu + ((r >> 13u) & 1u)) >> 13u;       // normal result; a carry may reach 0x7c00
  let sh = clamp(126u - min(a >> 23u, 126u), 1u, 25u);   // 14..25: the last kept bit weighs 2^-24
  let m = (a & 0x7fffffu) | 0x800000u;
  let d = (m + ((1u << (sh - 1u)) - 1u) + ((m >> sh) & 1u)) >> sh;
  var h = select(n, d, a < 0x38800000u);
  h = select(h, 0x7c00u, a >= 0x47800000u);
  return select(h | s, 0x7e00u, a > 0x7f800000u);
}
fn f16_to_f32(h: u32) -> u32 {
  // Exact. A subnormal is normalised: its leading one becomes the hidden bit.
  let s = (h & 0x8000u) << 16u;
  let a = h & 0x7fffu;
  let n = (a << 13u) + select(0x38000000u, 0x70000000u, a >= 0x7c00u);
  let lz = countLeadingZeros(a);
  let d = select(0u, ((134u - lz) << 23u) + ((a << ((lz - 8u) & 31u)) & 0x7fffffu), a != 0u);
  return s | select(n, d, a < 0x400u);
}
fn f32_to_bf16(u: u32) -> u32 {
  let r = (u + 0x7fffu + ((u >> 16u) & 1u)) >> 16u;
  return select(r, 0x7fc0u, (u & 0x7fffffffu) > 0x7f800000u);
}
fn bf16_to_f32(h: u32) -> u32 {
  return (h & 0xffffu) << 16u;
}
fn i32_to_f32(x: u32) -> u32 {
  // Nearest even: the magnitude's leading one is moved to bit 31, the 8 bits below the significand decide.
  let s = x & 0x80000000u;
  let m = select(x, 0u - x, s != 0u);
  let lz = countLeadingZeros(m);
  let n = m << (lz & 31u);
  let q = (n + 0x7fu + ((n >> 8u) & 1u));
  let carry = select(0u, 1u, q < n);
  let f = (q >> 8u) & 0x7fffffu;
  return select(s | (((158u - lz + carry) << 23u) + f), 0u, m == 0u);
}
fn f32_to_i32(u: u32) -> u32 {
  // Truncates towards zero; out of range and NaN give the smallest integer, as x86 does.
  let e = (u >> 23u) & 0xffu;
  let m = (u & 0x7fffffu) | 0x800000u;
  let left = m << ((e - 150u) & 31u);
  let right = m >> ((150u - e) & 31u);
  var v = select(right, left, e >= 150u);
  v = select(v, 0u, e < 127u);
  v = select(v, 0u - v, (u & 0x80000000u) != 0u);
  return select(v, 0x80000000u, e >= 158u);
}
fn f16_value(h: u32) -> f32 {
  // Exact, without a subnormal float32 on the way: a subnormal m 2^-24 is (2^-14 + m 2^-24) - 2^-14.
  let a = (h & 0x7fffu) << 13u;
  let n = a + select(0x38000000u, 0x70000000u, a >= 0x0f800000u);
  let d = bitcast<u32>(bitcast<f32>(a + 0x38800000u) - 0.00006103515625);
  return bitcast<f32>(select(n, d, a < 0x00800000u) | ((h & 0x8000u) << 16u));
}
fn f16x4_to_f32(h: vec4<u32>) -> vec4<f32> {
  // Exact and without a subnormal float32: a subnormal float16 m 2^-24 is (2^-14 + m 2^-24) - 2^-14.
  let a = (h & vec4<u32>(0x7fffu)) << vec4<u32>(13u);
  let normal = a + select(vec4<u32>(0x38000000u), vec4<u32>(0x70000000u), a >= vec4<u32>(0x0f800000u));
  let subnormal = bitcast<vec4<u32>>(bitcast<vec4<f32>>(a + vec4<u32>(0x38800000u)) - vec4<f32>(0.00006103515625));
  let magnitude = select(normal, subnormal, a < vec4<u32>(0x00800000u));
  return bitcast<vec4<f32>>(magnitude | ((h & vec4<u32>(0x8000u)) << vec4<u32>(16u)));
}
fn f16_from_sum(u: u32) -> u32 {
  // Nearest even of a finite float32: a result below 2^-14 is rounded by one float32 addition, whose last bit weighs 2^-24.
  let a = u & 0x7fffffffu;
  let d = bitcast<u32>(bitcast<f32>(a) + 0.5) - 0x3f000000u;
  let n = (a - 0x38000000u + 0xfffu + ((a >> 13u) & 1u)) >> 13u;
  let h = select(select(n, 0x7c00u, a >= 0x477ff000u), d, a < 0x38800000u);
  return ((u >> 16u) & 0x8000u) | h;
}
fn f16x4_from_sum(u: vec4<u32>) -> vec4<u32> {
  // The same, four at a time.
  let a = u & vec4<u32>(0x7fffffffu);
  let d = bitcast<vec4<u32>>(bitcast<vec4<f32>>(a) + vec4<f32>(0.5)) - vec4<u32>(0x3f000000u);
  let n = (a - vec4<u32>(0x38000000u) + vec4<u32>(0xfffu) + ((a >> vec4<u32>(13u)) & vec4<u32>(1u))) >> vec4<u32>(13u);
  let h = select(min(n, vec4<u32>(0x7c00u)), d, a < vec4<u32>(0x38800000u));
  return ((u >> vec4<u32>(16u)) & vec4<u32>(0x8000u)) | h;
}
fn f16_add(x: u32, y: u32) -> u32 {
  // Two float16 values: the float32 sum is a multiple of 2^-24 below 2^17, so neither subnormal nor out of range. Classes are decided on bits.
  let ax = x & 0x7fffu;
  let ay = y & 0x7fffu;
  let most = max(ax, ay);
  let opposite = ((x ^ y) & 0x8000u) != 0u;
  let r = f16_from_sum(bitcast<u32>(f16_value(x) + f16_value(y)));
  let finite = select(r, x & y & 0x8000u, (r & 0x7fffu) == 0u);
  let special = select(0x7e00u, select(x, y, ay > ax), (most == 0x7c00u) & !((ax == ay) & opposite));
  return select(finite, special, most >= 0x7c00u);
}
fn f16_sub(x: u32, y: u32) -> u32 {
  return f16_add(x, y ^ 0x8000u);
}
fn f16_mul(x: u32, y: u32) -> u32 {
  let s = (x ^ y) & 0x8000u;
  let ax = x & 0x7fffu;
  let ay = y & 0x7fffu;
  let most = max(ax, ay);
  let r = f16_from_sum(bitcast<u32>(f16_value(ax) * f16_value(ay))) | s;
  let special = select(s | 0x7c00u, 0x7e00u, (most > 0x7c00u) | (min(ax, ay) == 0u));
  return select(r, special, most >= 0x7c00u);
}
`);
