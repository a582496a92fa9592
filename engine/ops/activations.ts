/** Smooth activation functions and their backward kernels: sigmoid, tanh, gelu, silu, mish, softplus, logsigmoid. */
import { fma32 } from '../formats/float32-arithmetic';
import { activationSamples, backwardKernel, float, gradAndValue, scalarAttr } from './activation-backward';
import { cudaFloat32, gradientFromInput, gradientFromOutput, unary, vector } from './elementwise';
import { type Attrs, type TensorSpec, TorchError } from './record';
import { erf } from './special-functions';

const f32 = Math.fround;
const exp32 = (x: number): number => f32(Math.exp(x));

// ---- sigmoid, tanh: backward from the output

export const sigmoid = unary({
  name: 'sigmoid',
  wgsl: { bits: 'f32_logistic(a)' },
  doc: '1 / (1 + e^-x), each step rounded to float32. Never NaN for numbers: e^-x = inf gives 0.',
  f32: (x) => 1 / f32(1 + exp32(-x)),
  f64: (x) => 1 / (1 + Math.exp(-x)),
  gradName: 'Sigmoid',
  gradient: gradientFromOutput((b, gradOutput, y) => b.op('sigmoid_backward', [gradOutput, y])),
  ulp: 2,
  samples: activationSamples,
});

export const sigmoidBackward = backwardKernel({
  name: 'sigmoid_backward',
  wgsl: {
    kind: 'elementwise',
    bits: (_, dtype) =>
      dtype === 'float16'
        ? 'f32_mul(round_(f32_mul(a, round_(f32_sub(0x3f800000u, b)))), b)'
        : 'f32_mul(f32_mul(a, f32_sub(0x3f800000u, b)), b)',
  },
  doc: 'gradOutput * (1 - y) * y, where y = sigmoid(x). float16 rounds each step to float16, bfloat16 only the result.',
  kernel: ({ dtype, step, round }) => {
    const each = dtype === 'float16' ? round : step;
    return (g, y) => each(g * each(1 - y)) * y;
  },
  second: (b, y) => b.sub(1, b.mul(y, 2)),
});

export const tanhBackward = backwardKernel({
  name: 'tanh_backward',
  wgsl: { kind: 'elementwise', bits: 'f32_mul(a, f32_fma(b ^ 0x80000000u, b, 0x3f800000u))' },
  doc: 'gradOutput * (1 - y^2), where y = tanh(x); 1 - y^2 is one fused multiply-add.',
  kernel: ({ dtype }) => (dtype === 'float64' ? (g, y) => g * (1 - y * y) : (g, y) => g * fma32(-y, y, 1)),
  second: (b, y) => b.mul(y, -2),
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
  promotion: 'same',
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
  samples: [vector(activationSamples), vector(activationSamples, { approximate: 'tanh' })],
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
  second: (b, x, attrs) => {
    const square = b.mul(x, x);
    if (attrs.approximate !== 'tanh') {
      const density = b.mul(b.exp(b.mul(square, -0.5)), 1 / Math.sqrt(2 * Math.PI));
      return b.mul(density, b.sub(2, square)); // phi(x) (2 - x^2)
    }
    const beta = Math.sqrt(2 / Math.PI);
    const t = b.op('tanh', [b.mul(b.mul(x, b.add(b.mul(square, 0.044715), 1)), beta)]);
    const u1 = b.mul(b.add(b.mul(square, 3 * 0.044715), 1), beta); // derivative of tanh's argument
    const u2 = b.mul(x, 6 * 0.044715 * beta);
    const bend = b.mul(b.mul(x, 0.5), b.sub(u2, b.mul(b.mul(t, 2), b.mul(u1, u1))));
    return b.mul(b.sub(1, b.mul(t, t)), b.add(u1, bend));
  },
  samples: [...gradAndValue, { ...gradAndValue[0], attrs: { approximate: 'tanh' } }],
  ulp: 4,
});

// ---- silu, softplus, logsigmoid

export const silu = unary({
  name: 'silu',
  wgsl: { bits: 'f32_div(a, f32_add(0x3f800000u, f32_exp(a ^ 0x80000000u)))' },
  doc: 'x * sigmoid(x), computed as x / (1 + e^-x).',
  floatOnly: 'silu_cpu',
  promotion: 'same',
  f32: (x) => x / f32(1 + exp32(-x)),
  f64: (x) => x / (1 + Math.exp(-x)),
  gradName: 'Silu',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('silu_backward', [gradOutput, x])),
  ulp: 2,
  samples: activationSamples,
});

export const siluBackward = backwardKernel({
  name: 'silu_backward',
  wgsl: { kind: 'elementwise', bits: 'silu_slope(a, b)' },
  doc: 'gradOutput * s * (1 + x * (1 - s)), where s = sigmoid(x).',
  kernel:
    ({ step }) =>
    (g, x) => {
      const s = step(1 / step(1 + step(Math.exp(-x))));
      return step(g * s) * step(1 + step(x * step(1 - s)));
    },
  second: (b, x) => {
    const s = b.op('sigmoid', [x]);
    return b.mul(b.mul(s, b.sub(1, s)), b.add(b.mul(x, b.sub(1, b.mul(s, 2))), 2)); // s (1 - s) (2 + x (1 - 2 s))
  },
});

export const softplus = unary({
  name: 'softplus',
  doc: 'log(1 + e^(beta x)) / beta; x itself where beta x > threshold.',
  params: 'beta: Scalar, threshold: Scalar',
  floatOnly: 'softplus_cpu',
  promotion: 'same',
  kernel: ({ attrs, step }) => {
    const beta = step(scalarAttr(attrs, 'beta', 1));
    const threshold = step(scalarAttr(attrs, 'threshold', 20));
    return (x) => {
      const scaled = step(x * beta);
      return scaled > threshold ? x : step(Math.log1p(step(Math.exp(scaled)))) / beta;
    };
  },
  gradName: 'Softplus',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('softplus_backward', [gradOutput, x], attrs)),
  autocast: cudaFloat32,
  ulp: 2,
  samples: [vector(activationSamples), vector(activationSamples, { beta: float(2), threshold: float(20) })],
});

export const softplusBackward = backwardKernel({
  name: 'softplus_backward',
  doc: 'gradOutput * z / (z + 1) with z = e^(beta x); gradOutput where beta x > threshold.',
  params: 'beta: Scalar, threshold: Scalar',
  kernel: ({ attrs, step }) => {
    const beta = step(scalarAttr(attrs, 'beta', 1));
    const threshold = step(scalarAttr(attrs, 'threshold', 20));
    return (g, x) => {
      const scaled = step(x * beta);
      if (scaled > threshold) return g;
      const z = step(Math.exp(scaled));
      return step(g * z) / step(z + 1);
    };
  },
  second: (b, x, attrs) => {
    const beta = scalarAttr(attrs, 'beta', 1);
    const scaled = b.mul(x, beta);
    const s = b.op('sigmoid', [scaled]);
    return b.where(b.gt(scaled, scalarAttr(attrs, 'threshold', 20)), 0, b.mul(b.mul(s, b.sub(1, s)), beta));
  },
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
  samples: activationSamples,
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
  second: (b, x) => {
    const s = b.op('sigmoid', [x]);
    return b.neg(b.mul(s, b.sub(1, s)));
  },
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
  samples: activationSamples,
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
  second: (b, x) => {
    const s = b.op('sigmoid', [x]);
    const t = b.op('tanh', [b.op('softplus', [x])]);
    const t1 = b.mul(b.sub(1, b.mul(t, t)), s); // dt/dx = (1 - t^2) s
    const inner = b.sub(b.sub(1, s), b.mul(b.mul(t, s), 2));
    return b.mul(t1, b.add(b.mul(x, inner), 2)); // t' (2 + x (1 - s - 2 t s))
  },
});
