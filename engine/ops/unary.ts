/** Functions of one element: exponentials, logarithms, roots, trigonometry, rounding to integers. */
import { isFloating, isHalf } from '../formats/dtype';
import {
  cudaFloat32,
  elementwise,
  gradientFromInput,
  gradientFromOutput,
  gradientOnly,
  notImplementedFor,
  unary,
  vector,
  vectors,
} from './elementwise';
import { type Builder, type TensorSpec, TorchError, type Value } from './record';
import { complementaryErf, erfPolynomial32, erf as exactErf, roundHalfEven } from './special-functions';

const specials = [0, -0, 1, -1, 0.5, -0.5, 2, -3, 2 ** -24, Infinity, -Infinity, Number.NaN];
const square = (b: Builder, x: Value): Value => b.mul(x, x);
/** Steps have derivative zero wherever they have one; PyTorch's gradient is a tensor of zeros, not None. */
const zeroGradient = gradientOnly((b, gradOutput) => b.full(gradOutput, gradOutput.shape, 0));

export const exp = unary({
  name: 'exp',
  doc: 'e^x. float16 overflows to inf above x = 11.09 (65504 = e^11.0899), bfloat16 and float32 above 88.72.',
  f32: Math.exp,
  wgsl: { bits: 'f32_exp(a)' },
  gradName: 'Exp',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(gradOutput, y)), // d/dx e^x = e^x
  autocast: cudaFloat32,
  ulp: 1,
  samples: [0, -0, 1, -1, 11, 12, 88, 89, -17, -104, Infinity, -Infinity, Number.NaN],
});

export const exp2 = unary({
  name: 'exp2',
  doc: '2^x. float16 overflows at x = 16, bfloat16 and float32 at 128.',
  f32: (x) => 2 ** x,
  gradName: 'Exp2',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(b.mul(gradOutput, y), Math.LN2)), // 2^x = e^(x ln 2)
  ulp: 1,
  samples: [...specials, 15.99, 16, 127, 128, -24, -25, -26],
});

export const expm1 = unary({
  name: 'expm1',
  doc: 'e^x - 1, accurate near 0 where exp(x) - 1 cancels.',
  f32: Math.expm1,
  gradName: 'Expm1',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(gradOutput, b.add(y, 1))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 1e-4, 11, 88],
});

export const log = unary({
  name: 'log',
  doc: 'Natural logarithm. log(0) is -inf, of a negative number NaN.',
  f32: Math.log,
  wgsl: { bits: 'f32_log(a)' },
  gradName: 'Log',
  gradient: gradientFromInput((b, gradOutput, x) => b.div(gradOutput, x)),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 65504, 1e-7],
});

export const log2 = unary({
  name: 'log2',
  doc: 'Logarithm to base 2.',
  f32: Math.log2,
  gradName: 'Log2',
  gradient: gradientFromInput((b, gradOutput, x) => b.div(gradOutput, b.mul(x, Math.LN2))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 65504],
});

export const log10 = unary({
  name: 'log10',
  doc: 'Logarithm to base 10.',
  f32: Math.log10,
  gradName: 'Log10',
  gradient: gradientFromInput((b, gradOutput, x) => b.div(gradOutput, b.mul(x, Math.LN10))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 1000],
});

export const log1p = unary({
  name: 'log1p',
  doc: 'log(1 + x), accurate near 0. log1p(-1) is -inf.',
  f32: Math.log1p,
  gradName: 'Log1P',
  gradient: gradientFromInput((b, gradOutput, x) => b.div(gradOutput, b.add(x, 1))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 1e-4, 65504],
});

export const sqrt = unary({
  name: 'sqrt',
  doc: 'Square root, correctly rounded. sqrt(-0) is -0, of a negative number NaN.',
  f32: Math.sqrt,
  wgsl: { bits: 'f32_sqrt(a)' },
  gradName: 'Sqrt',
  gradient: gradientFromOutput((b, gradOutput, y) => b.div(gradOutput, b.mul(y, 2))), // inf at 0
  samples: [...specials, 4, 65504],
});

export const rsqrt = unary({
  name: 'rsqrt',
  doc: '1 / sqrt(x). 16-bit: the square root is rounded before the division, as in PyTorch. rsqrt(0) is inf.',
  kernel:
    ({ round }) =>
    (x) =>
      1 / round(Math.sqrt(x)),
  gradName: 'Rsqrt',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(b.mul(gradOutput, -0.5), b.op('pow', [y, 3]))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 4, 3, 65504],
});

export const reciprocal = unary({
  name: 'reciprocal',
  doc: '1 / x. Of a float16 subnormal below 1.5e-5 it is inf.',
  f32: (x) => 1 / x,
  wgsl: { bits: 'f32_div(0x3f800000u, a)' },
  gradName: 'Reciprocal',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(b.neg(gradOutput), square(b, y))), // -1 / x^2
  autocast: cudaFloat32,
  samples: [...specials, 3, 1e-5],
});

export const sin = unary({
  name: 'sin',
  doc: 'Sine of an angle in radians. sin(inf) is NaN.',
  f32: Math.sin,
  gradName: 'Sin',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.op('cos', [x]))),
  ulp: 1,
  samples: [...specials, 3, 100],
});

export const cos = unary({
  name: 'cos',
  doc: 'Cosine of an angle in radians. cos(inf) is NaN.',
  f32: Math.cos,
  gradName: 'Cos',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.neg(b.op('sin', [x])))),
  ulp: 1,
  samples: [...specials, 3, 100],
});

export const tan = unary({
  name: 'tan',
  doc: 'Tangent of an angle in radians.',
  f32: Math.tan,
  gradName: 'Tan',
  gradient: gradientFromOutput((b, gradOutput, y) => b.mul(gradOutput, b.add(square(b, y), 1))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 1.5],
});

/** rsqrt(1 - x^2), in PyTorch's order of operations. */
const rsqrtOneMinusSquare = (b: Builder, x: Value): Value => b.op('rsqrt', [b.add(b.mul(b.neg(x), x), 1)]);

export const asin = unary({
  name: 'asin',
  doc: 'Inverse sine, in [-pi/2, pi/2]. NaN outside [-1, 1].',
  f32: Math.asin,
  gradName: 'Asin',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, rsqrtOneMinusSquare(b, x))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: specials,
});

export const acos = unary({
  name: 'acos',
  doc: 'Inverse cosine, in [0, pi]. NaN outside [-1, 1].',
  f32: Math.acos,
  gradName: 'Acos',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.neg(rsqrtOneMinusSquare(b, x)))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: specials,
});

export const atan = unary({
  name: 'atan',
  doc: 'Inverse tangent, in [-pi/2, pi/2].',
  f32: Math.atan,
  gradName: 'Atan',
  gradient: gradientFromInput((b, gradOutput, x) => b.div(gradOutput, b.add(square(b, x), 1))),
  ulp: 1,
  samples: specials,
});

export const sinh = unary({
  name: 'sinh',
  doc: 'Hyperbolic sine. float16 overflows above 11.78.',
  f32: Math.sinh,
  gradName: 'Sinh',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.op('cosh', [x]))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 11.7, 12],
});

export const cosh = unary({
  name: 'cosh',
  doc: 'Hyperbolic cosine. float16 overflows above 11.78.',
  f32: Math.cosh,
  gradName: 'Cosh',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.op('sinh', [x]))),
  autocast: cudaFloat32,
  ulp: 1,
  samples: [...specials, 11.7, 12],
});

export const tanh = unary({
  name: 'tanh',
  wgsl: { bits: 'f32_tanh(a)' },
  doc: 'Hyperbolic tangent, in [-1, 1].',
  f32: Math.tanh,
  gradName: 'Tanh',
  gradient: gradientFromOutput((b, gradOutput, y) => b.op('tanh_backward', [gradOutput, y])),
  ulp: 1,
  samples: [...specials, 9, 10],
});

export const erf = unary({
  name: 'erf',
  doc: 'Error function. 16-bit dtypes: from the polynomial that PyTorch uses for them, with an error of 1.5e-7.',
  kernel: ({ dtype }) => (isHalf(dtype) ? erfPolynomial32 : exactErf),
  gradName: 'Erf',
  gradient: gradientFromInput((b, gradOutput, x) =>
    b.mul(b.mul(b.exp(b.neg(square(b, x))), 2 / Math.sqrt(Math.PI)), gradOutput),
  ),
  ulp: 1,
  samples: [...specials, 3, 4],
});

// ---- the same dtype in and out; integers stay integers

export const neg = unary({
  name: 'neg',
  doc: '-x; changes the sign of zero, inf and NaN too. Unsigned integers wrap.',
  promotion: 'same',
  f32: (x) => -x,
  int: (x) => 0 - x,
  check: ([x]) => {
    if (x.dtype !== 'bool') return;
    throw new TorchError(
      'RuntimeError',
      'Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.',
    );
  },
  wgsl: { bits: 'a ^ 0x80000000u' },
  gradName: 'Neg',
  gradient: gradientOnly((b, gradOutput) => b.neg(gradOutput)),
  samples: specials,
});

const rejectBool =
  (kernelName: string) =>
  ([x]: readonly TensorSpec[]): void => {
    if (x.dtype === 'bool') throw notImplementedFor(kernelName, 'bool');
  };

export const abs = unary({
  name: 'abs',
  doc: '|x|. abs(-0) is 0; the smallest signed integer wraps to itself.',
  promotion: 'same',
  f32: Math.abs,
  check: rejectBool('abs_cpu'),
  wgsl: { bits: 'a & 0x7fffffffu' },
  gradName: 'Abs',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.op('sgn', [x]))), // 0 at 0
  samples: specials,
});

/** PyTorch's sign: (0 < x) - (x < 0), so NaN gives 0 and -0 gives 0. */
const signOf = (x: number): number => (x > 0 ? 1 : x < 0 ? -1 : 0);

export const sign = unary({
  name: 'sign',
  wgsl: { bits: 'select((a & 0x80000000u) | 0x3f800000u, 0u, (a << 1u) == 0u || f32_is_nan(a))' },
  doc: '-1, 0 or 1. Zeros and NaN give 0.',
  promotion: 'same',
  f32: signOf,
  gradName: 'Sign',
  gradient: zeroGradient,
  samples: specials,
});

export const sgn = unary({
  name: 'sgn',
  wgsl: { bits: 'select((a & 0x80000000u) | 0x3f800000u, 0u, (a << 1u) == 0u || f32_is_nan(a))' },
  doc: 'The same as sign for real numbers.',
  promotion: 'same',
  f32: signOf,
  gradName: 'Sgn',
  gradient: zeroGradient,
  samples: specials,
});

export const floor = unary({
  name: 'floor',
  doc: 'Largest integer not above x, in the same dtype.',
  promotion: 'same',
  f32: Math.floor,
  wgsl: 'floor(a)',
  check: rejectBool('floor_vml_cpu'),
  gradName: 'Floor',
  gradient: zeroGradient,
  samples: [...specials, 2.5, -2.5],
});

export const ceil = unary({
  name: 'ceil',
  doc: 'Smallest integer not below x; ceil(-0.5) is -0.',
  promotion: 'same',
  f32: Math.ceil,
  int: (x) => x,
  wgsl: 'ceil(a)',
  check: rejectBool('ceil_vml_cpu'),
  gradName: 'Ceil',
  gradient: zeroGradient,
  samples: [...specials, 2.5, -2.5],
});

export const trunc = unary({
  name: 'trunc',
  doc: 'x without its fraction; trunc(-0.5) is -0.',
  promotion: 'same',
  f32: Math.trunc,
  wgsl: 'trunc(a)',
  check: rejectBool('trunc_vml_cpu'),
  gradName: 'Trunc',
  gradient: zeroGradient,
  samples: [...specials, 2.5, -2.5],
});

export const frac = unary({
  name: 'frac',
  doc: 'x - trunc(x), with the sign of x.',
  promotion: 'same',
  floatOnly: 'frac_cpu',
  f32: (x) => x - Math.trunc(x), // inf - inf is NaN
  gradName: 'Frac',
  gradient: gradientOnly((_, gradOutput) => gradOutput),
  samples: [...specials, 2.5, -2.5],
});

export const round = unary({
  name: 'round',
  doc: 'Nearest integer, ties to even; `decimals` rounds to that many decimal places (negative: to tens, hundreds…).',
  promotion: 'same',
  params: 'decimals: int',
  kernel: ({ attrs, dtype, step }) => {
    const decimals = (attrs.decimals as number | undefined) ?? 0;
    if (decimals === 0 || !isFloating(dtype)) return roundHalfEven;
    const scale = step(10 ** Math.abs(decimals));
    return decimals > 0 ? (x) => roundHalfEven(step(x * scale)) / scale : (x) => roundHalfEven(step(x / scale)) * scale;
  },
  check: rejectBool('round_vml_cpu'),
  gradName: 'Round',
  gradient: zeroGradient,
  samples: [vector([...specials, 1.5, 2.5, -1.5, 0.4999]), vector([1.26, -3.1, 12.5], { decimals: 1 })],
});

// ---- less common ones

export const asinh = unary({
  name: 'asinh',
  doc: 'Inverse hyperbolic sine.',
  f32: Math.asinh,
  gradName: 'Asinh',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.op('rsqrt', [b.add(square(b, x), 1)]))),
  ulp: 1,
  samples: specials,
});

export const acosh = unary({
  name: 'acosh',
  doc: 'Inverse hyperbolic cosine; NaN below 1.',
  f32: Math.acosh,
  gradName: 'Acosh',
  gradient: gradientFromInput((b, gradOutput, x) => b.mul(gradOutput, b.op('rsqrt', [b.sub(square(b, x), 1)]))),
  ulp: 1,
  samples: [...specials, 1.5],
});

export const atanh = unary({
  name: 'atanh',
  doc: 'Inverse hyperbolic tangent; ±inf at ±1, NaN outside.',
  f32: Math.atanh,
  gradName: 'Atanh',
  gradient: gradientFromInput((b, gradOutput, x) => b.div(gradOutput, b.sub(1, square(b, x)))),
  ulp: 1,
  samples: specials,
});

export const erfc = unary({
  name: 'erfc',
  doc: '1 - erf(x), accurate where erf(x) is near 1.',
  f32: complementaryErf,
  gradName: 'Erfc',
  gradient: gradientFromInput((b, gradOutput, x) =>
    b.mul(b.mul(b.exp(b.neg(square(b, x))), -2 / Math.sqrt(Math.PI)), gradOutput),
  ),
  ulp: 1,
  samples: [...specials, 3, 4],
});

export const deg2rad = unary({
  name: 'deg2rad',
  doc: 'Degrees to radians.',
  kernel: ({ step }) => {
    const factor = step(Math.PI / 180);
    return (x) => x * factor;
  },
  gradName: 'Deg2Rad',
  gradient: gradientOnly((b, gradOutput) => b.op('deg2rad', [gradOutput])),
  samples: [...specials, 180],
});

export const rad2deg = unary({
  name: 'rad2deg',
  doc: 'Radians to degrees.',
  kernel: ({ step }) => {
    const factor = step(180 / Math.PI);
    return (x) => x * factor;
  },
  gradName: 'Rad2Deg',
  gradient: gradientOnly((b, gradOutput) => b.op('rad2deg', [gradOutput])),
  samples: [...specials, 3],
});

export const logit = unary({
  name: 'logit',
  doc: 'log(x / (1 - x)): the inverse of sigmoid. ±inf at 1 and 0.',
  kernel:
    ({ round }) =>
    (x) =>
      x === 1 ? Infinity : Math.log(round(x / round(1 - x))),
  gradName: 'Logit',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('logit_backward', [gradOutput, x])),
  ulp: 2,
  samples: [0, 0.25, 0.5, 0.999, 1, 2, -1, Number.NaN],
});

export const logitBackward = elementwise({
  name: 'logit_backward',
  doc: 'gradOutput / (x * (1 - x)): inf at 0 and 1, NaN outside of [0, 1].',
  params: 'grad_output: Tensor, self: Tensor',
  kernel:
    ({ round }) =>
    (g, x) =>
      x < 0 || x > 1 ? Number.NaN : x === 0 || x === 1 ? g * Infinity : g / round(x * round(1 - x)),
  wgsl: 'host',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [g, x] }) => {
      const bulge = b.mul(x, b.sub(1, x)); // derivative of 1 / bulge: (2 x - 1) / bulge^2
      const second = b.div(b.sub(b.mul(x, 2), 1), square(b, bulge));
      return [b.op('logit_backward', [gradOutput, x]), b.mul(b.mul(gradOutput, g), second)];
    },
  },
  samples: [vectors([1, 1, -1, 1], [0.25, 0, 1, 2])],
});
