/** Formulas of several rounded steps that more than one record or kernel uses, on float32 patterns. */
import { defineLibrary } from './link';

defineLibrary(/* wgsl */ `
fn add_scaled_half(a: u32, b: u32, alpha: u32) -> u32 {
  // h(a + h(alpha b)): the product is rounded to the 16-bit dtype before the addition.
  return f32_add(a, round_(f32_mul(alpha, b)));
}
`);
