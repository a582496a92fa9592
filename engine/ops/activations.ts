/**
 * Activation functions and their backward kernels. The backward of each is an op of its own where PyTorch has one, because it rounds
 * once where a composition of multiplications would round several times in 16 bits.
 */
import { fma32 } from '../formats/float32-arithmetic';
import {
  checkScalar,
  cudaFloat32,
  elementwise,
  gradientFromInput,
  gradientFromOutput,
  unary,
  vector,
} from './elementwise';
import { type Attrs, type Sample, type Scalar, type TensorSpec, TorchError } from './record';
import { erf } from './special-functions';

const f32 = Math.fround;
const exp32 = (x: number): number => f32(Math.exp(x));
const scalar = (attrs: Attrs, name: string, otherwise: number): number =>
  (attrs[name] as Scalar | undefined)?.value ?? otherwise;
const float = (value: number): Scalar => ({ value, kind: 'float' });

const specials = [0, -0, 1, -1, 0.5, -3, 6, 20.5, 2 ** -24, Infinity, -Infinity, Number.NaN];
const gradAndValue: readonly Sample[] = [
  {
    inputs: [
      { shape: [6], values: [1, -1, 2, 0.5, 3, 1] },
      { shape: [6], values: [0.5, -0.5, 0, 0.75, -0.25, 1] },
    ],
  },
];

/** A backward kernel of (gradOutput, x or y). float32 formulas round each step. */
function backwardKernel(options: {
  readonly name: string;
  readonly doc: string;
  readonly params?: string;
  readonly kernel: Parameters<typeof elementwise>[0]['kernel'];
  readonly secondDerivative: Parameters<typeof elementwise>[0]['gradient'];
  readonly samples?: readonly Sample[];
  readonly ulp?: number;
}) {
  const { params, secondDerivative, samples = gradAndValue, ulp = 2, ...rest } = options;
  return elementwise({
    ...rest,
    params: `grad_output: Tensor, self: Tensor${params ? `, ${params}` : ''}`,
    wgsl: 'host',
    gradient: secondDerivative,
    tolerance: { float32: { ulp, source: 'as the forward function' } },
    samples,
  });
}

// ---- sigmoid, tanh: backward from the output

export const sigmoid = unary({
  name: 'sigmoid',
  doc: '1 / (1 + e^-x), each step rounded to float32. Never NaN for numbers: e^-x = inf gives 0.',
  f32: (x) => 1 / f32(1 + exp32(-x)),
  f64: (x) => 1 / (1 + Math.exp(-x)),
  gradName: 'Sigmoid',
  gradient: gradientFromOutput((b, gradOutput, y) => b.op('sigmoid_backward', [gradOutput, y])),
  ulp: 2,
  samples: specials,
});

export const sigmoidBackward = backwardKernel({
  name: 'sigmoid_backward',
  doc: 'gradOutput * (1 - y) * y, where y = sigmoid(x). float16 rounds each step to float16, bfloat16 only the result.',
  kernel: ({ dtype, step, round }) => {
    const each = dtype === 'float16' ? round : step;
    return (g, y) => each(g * each(1 - y)) * y;
  },
  secondDerivative: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [g, y] }) => [
      b.op('sigmoid_backward', [gradOutput, y]),
      b.mul(b.mul(gradOutput, g), b.sub(1, b.mul(y, 2))),
    ],
  },
});

export const tanhBackward = backwardKernel({
  name: 'tanh_backward',
  doc: 'gradOutput * (1 - y^2), where y = tanh(x).',
  kernel:
    ({ step }) =>
    (g, y) =>
      g * step(1 - step(y * y)),
  secondDerivative: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [g, y] }) => [
      b.op('tanh_backward', [gradOutput, y]),
      b.mul(b.mul(b.mul(gradOutput, g), y), -2),
    ],
  },
});

// ---- relu and its relatives

export const relu = unary({
  name: 'relu',
  doc: 'max(x, 0). Keeps NaN, and -0 as -0.',
  promotion: 'same',
  // biome-ignore lint/complexity/useMathMinMax: Math.max(-0, 0) is 0; PyTorch keeps -0.
  f32: (x) => (x < 0 ? 0 : x),
  check: ([x]) => {
    if (x.dtype === 'bool') throw new TorchError('RuntimeError', 'Boolean inputs not supported for relu');
  },
  wgsl: { bits: 'select(a, 0u, a > 0x80000000u && a <= 0xff800000u)' }, // negative numbers, not -0 and not NaN
  gradName: 'Relu',
  gradient: gradientFromOutput((b, gradOutput, y) =>
    b.op('threshold_backward', [gradOutput, y], { threshold: float(0) }),
  ),
  samples: specials,
});

export const thresholdBackward = backwardKernel({
  name: 'threshold_backward',
  doc: 'gradOutput where x > threshold (NaN counts as above), else 0: at exactly 0 the gradient of relu is 0.',
  params: 'threshold: Scalar',
  kernel: ({ attrs }) => {
    const threshold = scalar(attrs, 'threshold', 0);
    return (g, x) => (x <= threshold ? 0 : g);
  },
  secondDerivative: {
    saves: { inputs: [1] },
    backward: ({ b, gradOutput, inputs: [, x], attrs }) => [b.op('threshold_backward', [gradOutput, x], attrs), null],
  },
  ulp: 0,
});

export const leakyRelu = unary({
  name: 'leaky_relu',
  doc: 'x where x > 0, else negative_slope * x (the slope is read in float32).',
  params: 'negative_slope: Scalar',
  floatOnly: 'leaky_relu_cpu',
  kernel: ({ attrs, step }) => {
    const slope = step(scalar(attrs, 'negative_slope', 0.01));
    return (x) => (x > 0 ? x : x * slope);
  },
  gradName: 'LeakyRelu',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('leaky_relu_backward', [gradOutput, x], attrs)),
  samples: [vector(specials), vector(specials, { negative_slope: float(0.2) })],
});

export const leakyReluBackward = backwardKernel({
  name: 'leaky_relu_backward',
  doc: 'gradOutput where x > 0, else negative_slope * gradOutput.',
  params: 'negative_slope: Scalar',
  kernel: ({ attrs, step }) => {
    const slope = step(scalar(attrs, 'negative_slope', 0.01));
    return (g, x) => (x > 0 ? g : g * slope);
  },
  secondDerivative: {
    saves: { inputs: [1] },
    backward: ({ b, gradOutput, inputs: [, x], attrs }) => [b.op('leaky_relu_backward', [gradOutput, x], attrs), null],
  },
  ulp: 0,
});

export const prelu = elementwise({
  name: '_prelu_kernel',
  doc: 'x where x > 0, else weight * x; weight is broadcast (one value, or one a channel, reshaped by the caller).',
  params: 'self: Tensor, weight: Tensor',
  promotion: 'same',
  check: ([x, weight]) => {
    if (x.dtype === weight.dtype) return;
    const names = { float16: 'Half', bfloat16: 'BFloat16', float32: 'Float', float64: 'Double' } as Record<
      string,
      string
    >;
    throw new TorchError(
      'RuntimeError',
      `prelu: Type promoting not supported. Got ${names[x.dtype] ?? x.dtype} and ${names[weight.dtype] ?? weight.dtype}`,
    );
  },
  f32: (x, weight) => (x > 0 ? x : weight * x),
  wgsl: 'host',
  gradName: 'PreluKernel',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, weight] }) => [
      b.where(b.gt(x, 0), gradOutput, b.mul(gradOutput, weight)),
      b.where(b.gt(x, 0), 0, b.mul(gradOutput, x)),
    ],
  },
  autocast: { cpu: 'lower_precision_fp', cuda: 'lower_precision_fp' },
  samples: [
    {
      inputs: [
        { shape: [2, 3], values: [1, -1, 0, -2, 3, -0.5] },
        { shape: [1], values: [0.25] },
      ],
    },
  ],
});

interface EluScalars {
  /** Coefficient of e^(x * inputScale) - 1, of x, and of x inside the exponential. */
  readonly negative: number;
  readonly positive: number;
  readonly inputScale: number;
}

function eluScalars(attrs: Attrs, step: (x: number) => number): EluScalars {
  const scale = step(scalar(attrs, 'scale', 1));
  return {
    negative: step(step(scalar(attrs, 'alpha', 1)) * scale),
    positive: scale,
    inputScale: step(scalar(attrs, 'input_scale', 1)),
  };
}

export const elu = unary({
  name: 'elu',
  doc: 'scale * x where x > 0, else scale * alpha * (e^(x * input_scale) - 1). selu and celu are elu with other scalars.',
  params: 'alpha: Scalar, scale: Scalar, input_scale: Scalar',
  floatOnly: 'elu_cpu',
  kernel: ({ attrs, step }) => {
    const { negative, positive, inputScale } = eluScalars(attrs, step);
    // PyTorch takes x < 0 for the exponential branch, so NaN and zeros go through the product.
    return (x) => (x < 0 ? step(Math.expm1(step(x * inputScale))) * negative : x * positive);
  },
  gradName: 'Elu',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('elu_backward', [gradOutput, x], attrs)),
  ulp: 2,
  samples: [vector(specials), vector(specials, { alpha: float(0.3) })],
});

export const eluBackward = backwardKernel({
  name: 'elu_backward',
  doc: 'gradOutput * scale where x > 0, else gradOutput * input_scale * scale * alpha * e^(x * input_scale).',
  params: 'alpha: Scalar, scale: Scalar, input_scale: Scalar',
  kernel: ({ attrs, step }) => {
    const { negative, positive, inputScale } = eluScalars(attrs, step);
    return (g, x) =>
      x <= 0 ? step(step(g * inputScale) * negative) * step(Math.exp(step(x * inputScale))) : g * positive;
  },
  secondDerivative: 'not differentiable',
});

// ---- gelu

const SQRT_HALF = f32(Math.SQRT1_2);
const SQRT_2_OVER_PI = f32(Math.sqrt(2 / Math.PI));
const CUBIC = f32(0.044715);

/** x * Phi(x) with Phi from erf; the scalar path of PyTorch, whose erf is the C library's. */
const geluErf32 = (x: number): number => f32(f32(x * 0.5) * f32(1 + f32(erf(f32(x * SQRT_HALF)))));
/** 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
const geluTanh32 = (x: number): number => {
  const inner = f32(SQRT_2_OVER_PI * fma32(CUBIC, f32(f32(x * x) * x), x));
  return f32(f32(0.5 * x) * f32(1 + f32(Math.tanh(inner))));
};

function geluApproximation(_: readonly TensorSpec[], attrs: Attrs): void {
  const approximate = attrs.approximate ?? 'none';
  if (approximate !== 'none' && approximate !== 'tanh') {
    throw new TorchError('RuntimeError', 'approximate argument must be either none or tanh.');
  }
}

export const gelu = unary({
  name: 'gelu',
  doc: "x * Phi(x), Phi the normal distribution function; approximate='tanh' uses 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).",
  params: 'approximate: str',
  floatOnly: 'GeluKernelImpl',
  check: geluApproximation,
  kernel: ({ attrs, dtype }) => {
    const tanh = attrs.approximate === 'tanh';
    if (dtype !== 'float64') return tanh ? geluTanh32 : geluErf32;
    return tanh
      ? (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))
      : (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2));
  },
  gradName: 'Gelu',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('gelu_backward', [gradOutput, x], attrs)),
  ulp: 4,
  samples: [vector(specials), vector(specials, { approximate: 'tanh' })],
});

export const geluBackward = backwardKernel({
  name: 'gelu_backward',
  doc: "gradOutput * (Phi(x) + x * phi(x)), phi the normal density; approximate='tanh' differentiates that formula.",
  params: 'approximate: str',
  kernel: ({ attrs, step }) => {
    if (attrs.approximate === 'tanh') {
      const beta = step(Math.sqrt(2 / Math.PI));
      const kappa = step(0.044715);
      return (g, x) => {
        const square = step(x * x);
        const inner = step(beta * step(x + step(kappa * step(square * x))));
        const t = step(Math.tanh(inner));
        const left = step(0.5 * x);
        const right = step(1 + t);
        const leftDerivative = step(0.5 * right);
        const tanhDerivative = step(1 - step(t * t));
        const innerDerivative = step(beta * step(1 + step(step(3 * kappa) * square)));
        return g * step(leftDerivative + step(step(left * tanhDerivative) * innerDerivative));
      };
    }
    const density = step(Math.sqrt(2 / Math.PI) * 0.5); // 1 / sqrt(2 pi)
    return (g, x) => {
      const cdf = step(0.5 * step(1 + step(erf(step(x * step(Math.SQRT1_2))))));
      const pdf = step(density * step(Math.exp(step(step(x * x) * -0.5))));
      return g * step(cdf + step(x * pdf));
    };
  },
  secondDerivative: 'not differentiable',
  samples: [...gradAndValue, { ...gradAndValue[0], attrs: { approximate: 'tanh' } }],
  ulp: 4,
});

// ---- silu, softplus, logsigmoid

export const silu = unary({
  name: 'silu',
  doc: 'x * sigmoid(x), computed as x / (1 + e^-x).',
  floatOnly: 'silu_cpu',
  promotion: 'same',
  f32: (x) => x / f32(1 + exp32(-x)),
  f64: (x) => x / (1 + Math.exp(-x)),
  gradName: 'Silu',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('silu_backward', [gradOutput, x])),
  ulp: 2,
  samples: specials,
});

export const siluBackward = backwardKernel({
  name: 'silu_backward',
  doc: 'gradOutput * s * (1 + x * (1 - s)), where s = sigmoid(x).',
  kernel:
    ({ step }) =>
    (g, x) => {
      const s = step(1 / step(1 + step(Math.exp(-x))));
      return step(g * s) * step(1 + step(x * step(1 - s)));
    },
  secondDerivative: 'not differentiable',
});

export const softplus = unary({
  name: 'softplus',
  doc: 'log(1 + e^(beta x)) / beta; x itself where beta x > threshold.',
  params: 'beta: Scalar, threshold: Scalar',
  floatOnly: 'softplus_cpu',
  promotion: 'same',
  kernel: ({ attrs, step }) => {
    const beta = step(scalar(attrs, 'beta', 1));
    const threshold = step(scalar(attrs, 'threshold', 20));
    return (x) => {
      const scaled = step(x * beta);
      return scaled > threshold ? x : step(Math.log1p(step(Math.exp(scaled)))) / beta;
    };
  },
  gradName: 'Softplus',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('softplus_backward', [gradOutput, x], attrs)),
  autocast: cudaFloat32,
  ulp: 2,
  samples: [vector(specials), vector(specials, { beta: float(2), threshold: float(20) })],
});

export const softplusBackward = backwardKernel({
  name: 'softplus_backward',
  doc: 'gradOutput * z / (z + 1) with z = e^(beta x); gradOutput where beta x > threshold.',
  params: 'beta: Scalar, threshold: Scalar',
  kernel: ({ attrs, step }) => {
    const beta = step(scalar(attrs, 'beta', 1));
    const threshold = step(scalar(attrs, 'threshold', 20));
    return (g, x) => {
      const scaled = step(x * beta);
      if (scaled > threshold) return g;
      const z = step(Math.exp(scaled));
      return step(g * z) / step(z + 1);
    };
  },
  secondDerivative: 'not differentiable',
});

export const logSigmoid = unary({
  name: 'log_sigmoid',
  doc: 'log(sigmoid(x)) as min(x, 0) - log1p(e^-|x|), which never overflows.',
  floatOnly: 'log_sigmoid_cpu',
  promotion: 'same',
  kernel:
    ({ step }) =>
    (x) =>
      Math.min(x, 0) - step(Math.log1p(step(Math.exp(-Math.abs(x))))),
  gradName: 'LogSigmoid',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('log_sigmoid_backward', [gradOutput, x])),
  ulp: 2,
  samples: specials,
});

export const logSigmoidBackward = backwardKernel({
  name: 'log_sigmoid_backward',
  doc: 'gradOutput * sigmoid(-x), from z = e^-|x|, which PyTorch keeps from the forward pass in the dtype of x.',
  kernel:
    ({ step, round }) =>
    (g, x) => {
      const z = round(Math.exp(-Math.abs(x)));
      const [maxDerivative, sign] = x < 0 ? [1, 1] : [0, -1];
      return g * step(maxDerivative - sign * step(z / step(1 + z)));
    },
  secondDerivative: 'not differentiable',
});

// ---- hardtanh

function hardtanhLimits([x]: readonly TensorSpec[], attrs: Attrs): void {
  for (const name of ['min_val', 'max_val']) checkScalar(scalar(attrs, name, name === 'min_val' ? -1 : 1), x.dtype);
}

export const hardtanh = unary({
  name: 'hardtanh',
  doc: 'x limited to [min_val, max_val]; NaN stays. relu6 is hardtanh(x, 0, 6).',
  params: 'min_val: Scalar, max_val: Scalar',
  promotion: 'same',
  check: (inputs, attrs) => {
    if (inputs[0].dtype === 'bool') {
      throw new TorchError('RuntimeError', 'Bool inputs not supported for hardtanh');
    }
    hardtanhLimits(inputs, attrs);
  },
  kernel: ({ attrs, round }) => {
    const low = round(scalar(attrs, 'min_val', -1));
    const high = round(scalar(attrs, 'max_val', 1));
    // biome-ignore lint/complexity/useMathMinMax: they differ in the sign of a zero at the limit.
    return (x) => (x < low ? low : x > high ? high : x);
  },
  gradName: 'Hardtanh',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('hardtanh_backward', [gradOutput, x], attrs)),
  samples: [vector(specials), vector(specials, { min_val: float(-0.3), max_val: float(0.3) })],
});

export const hardtanhBackward = backwardKernel({
  name: 'hardtanh_backward',
  doc: 'gradOutput strictly inside (min_val, max_val), 0 at and beyond the limits; NaN passes it on.',
  params: 'min_val: Scalar, max_val: Scalar',
  kernel: ({ attrs, round }) => {
    const low = round(scalar(attrs, 'min_val', -1));
    const high = round(scalar(attrs, 'max_val', 1));
    return (g, x) => (x <= low || x >= high ? 0 : g);
  },
  secondDerivative: {
    saves: { inputs: [1] },
    backward: ({ b, gradOutput, inputs: [, x], attrs }) => [b.op('hardtanh_backward', [gradOutput, x], attrs), null],
  },
  ulp: 0,
});

// ---- hardsigmoid, hardswish, mish

const sixth = f32(1 / 6);

export const hardsigmoid = unary({
  name: 'hardsigmoid',
  doc: 'min(max(x + 3, 0), 6) / 6.',
  floatOnly: 'hardsigmoid',
  promotion: 'same',
  kernel:
    ({ step }) =>
    (x) =>
      Math.min(Math.max(step(x + 3), 0), 6) / 6,
  gradName: 'Hardsigmoid',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('hardsigmoid_backward', [gradOutput, x])),
  samples: specials,
});

export const hardsigmoidBackward = backwardKernel({
  name: 'hardsigmoid_backward',
  doc: 'gradOutput / 6 strictly inside (-3, 3), else 0.',
  kernel:
    ({ dtype }) =>
    (g, x) =>
      x > -3 && x < 3 ? g * (dtype === 'float64' ? 1 / 6 : sixth) : 0,
  secondDerivative: {
    saves: { inputs: [1] },
    backward: ({ b, gradOutput, inputs: [, x] }) => [b.op('hardsigmoid_backward', [gradOutput, x]), null],
  },
  ulp: 0,
});

export const hardswish = unary({
  name: 'hardswish',
  doc: 'x * min(max(x + 3, 0), 6) / 6.',
  floatOnly: 'hardswish_cpu',
  promotion: 'same',
  kernel:
    ({ step }) =>
    (x) =>
      step(x * Math.min(Math.max(step(x + 3), 0), 6)) / 6,
  gradName: 'Hardswish',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('hardswish_backward', [gradOutput, x])),
  samples: specials,
});

export const hardswishBackward = backwardKernel({
  name: 'hardswish_backward',
  doc: '0 for x <= -3, gradOutput for x >= 3, between them gradOutput * (x / 3 + 1/2).',
  kernel:
    ({ step }) =>
    (g, x) =>
      x <= -3 ? 0 : x < 3 ? g * step(step(x / 3) + 0.5) : g,
  secondDerivative: 'not differentiable',
  ulp: 0,
});

export const mish = unary({
  name: 'mish',
  doc: 'x * tanh(log(1 + e^x)).',
  floatOnly: 'mish_cpu',
  promotion: 'same',
  kernel:
    ({ step }) =>
    (x) =>
      x * step(Math.tanh(step(Math.log1p(step(Math.exp(x)))))),
  gradName: 'Mish',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('mish_backward', [gradOutput, x])),
  ulp: 2,
  samples: specials,
});

export const mishBackward = backwardKernel({
  name: 'mish_backward',
  doc: 'gradOutput * (t + x * sigmoid(x) * (1 - t^2)), where t = tanh(log(1 + e^x)).',
  kernel:
    ({ step }) =>
    (g, x) => {
      const sigmoidX = step(1 / step(1 + step(Math.exp(-x))));
      const t = step(Math.tanh(step(Math.log1p(step(Math.exp(x))))));
      return g * step(t + step(step(x * sigmoidX) * step(1 - step(t * t))));
    },
  secondDerivative: 'not differentiable',
});
