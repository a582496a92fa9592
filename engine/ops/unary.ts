/** Functions of one element: exponentials, logarithms, roots, trigonometry, rounding. */
import { cudaFloat32, gradientFromOutput, unary } from './elementwise';

export const exp = unary({
  name: 'exp',
  doc: 'e^x. float16 overflows to inf above x = 11.09 (65504 = e^11.0899), bfloat16 and float32 above 88.72.',
  f32: Math.exp,
  wgsl: 'exp(a)',
  gradName: 'Exp',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(gradOutput, y)), // d/dx e^x = e^x
  autocast: cudaFloat32,
  ulp: 1,
  samples: [0, -0, 1, -1, 11, 12, 88, 89, -17, -104, Infinity, -Infinity, Number.NaN],
});
