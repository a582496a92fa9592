/** Formulas of several rounded steps that more than one record or kernel uses, on float32 patterns. */
import { defineLibrary } from './link';

defineLibrary(/* wgsl */ `
fn add_scaled_half(a: u32, b: u32, alpha: u32) -> u32 {
  // h(a + h(alpha b)): the product is rounded to the 16-bit dtype before the addition.
  return f32_add(a, round_(f32_mul(alpha, b)));
}
fn squared(x: u32) -> u32 {
  return f32_mul(x, x);
}
fn f32_raised(x: u32, low: u32) -> u32 {
  // clamp's lower bound: NaN stays, a NaN bound wins over a number.
  return select(x, low, !f32_is_nan(x) && (f32_lt(x, low) || f32_is_nan(low)));
}
fn f32_lowered(x: u32, high: u32) -> u32 {
  return select(x, high, !f32_is_nan(x) && (f32_lt(high, x) || f32_is_nan(high)));
}
`);
