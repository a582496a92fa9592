/** Piecewise activation functions and their backward kernels: relu, leaky_relu, prelu, elu, hardtanh, hardsigmoid, hardswish. */
import { scalarTypeName } from '../formats/dtype';
import { activationSamples, backwardKernel, float, scalarAttr } from './activation-backward';
import { checkScalar, elementwise, gradientFromInput, gradientFromOutput, unary, vector } from './elementwise';
import { type Attrs, type TensorSpec, TorchError } from './record';

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
  samples: activationSamples,
});

export const thresholdBackward = backwardKernel({
  name: 'threshold_backward',
  wgsl: {
    kind: 'elementwise',
    // The threshold is compared as a double: only one that float32 holds can be compared there.
    bits: (attrs) => {
      const threshold = scalarAttr(attrs, 'threshold', 0);
      return Math.fround(threshold) === threshold ? 'select(a, 0u, f32_le(b, threshold))' : null;
    },
    parameters: { threshold: 0 },
  },
  doc: 'gradOutput where x > threshold (NaN counts as above), else 0: at exactly 0 the gradient of relu is 0.',
  params: 'threshold: Scalar',
  kernel: ({ attrs }) => {
    const threshold = scalarAttr(attrs, 'threshold', 0);
    return (g, x) => (x <= threshold ? 0 : g);
  },
  second: null,
  ulp: 0,
});

export const leakyRelu = unary({
  name: 'leaky_relu',
  doc: 'x where x > 0, else negative_slope * x (the slope is read in float32).',
  params: 'negative_slope: Scalar',
  floatOnly: 'leaky_relu_cpu',
  promotion: 'same',
  kernel: ({ attrs, step }) => {
    const slope = step(scalarAttr(attrs, 'negative_slope', 0.01));
    return (x) => (x > 0 ? x : x * slope);
  },
  gradName: 'LeakyRelu',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('leaky_relu_backward', [gradOutput, x], attrs)),
  samples: [vector(activationSamples), vector(activationSamples, { negative_slope: float(0.2) })],
});

export const leakyReluBackward = backwardKernel({
  name: 'leaky_relu_backward',
  doc: 'gradOutput where x > 0, else negative_slope * gradOutput.',
  params: 'negative_slope: Scalar',
  kernel: ({ attrs, step }) => {
    const slope = step(scalarAttr(attrs, 'negative_slope', 0.01));
    return (g, x) => (x > 0 ? g : g * slope);
  },
  second: null,
  ulp: 0,
});

export const prelu = elementwise({
  name: '_prelu_kernel',
  doc: 'x where x > 0, else weight * x; weight is broadcast (one value, or one a channel, reshaped by the caller).',
  params: 'self: Tensor, weight: Tensor',
  promotion: 'same',
  check: ([x, weight]) => {
    if (x.dtype === weight.dtype) return;
    throw new TorchError(
      'RuntimeError',
      `prelu: Type promoting not supported. Got ${scalarTypeName[x.dtype]} and ${scalarTypeName[weight.dtype]}`,
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
  const scale = step(scalarAttr(attrs, 'scale', 1));
  return {
    negative: step(step(scalarAttr(attrs, 'alpha', 1)) * scale),
    positive: scale,
    inputScale: step(scalarAttr(attrs, 'input_scale', 1)),
  };
}

export const elu = unary({
  name: 'elu',
  doc: 'scale * x where x > 0, else scale * alpha * (e^(x * input_scale) - 1). selu and celu are elu with other scalars.',
  params: 'alpha: Scalar, scale: Scalar, input_scale: Scalar',
  floatOnly: 'elu_cpu',
  promotion: 'same',
  kernel: ({ attrs, step }) => {
    const { negative, positive, inputScale } = eluScalars(attrs, step);
    // PyTorch takes x < 0 for the exponential branch, so NaN and zeros go through the product.
    return (x) => (x < 0 ? step(Math.expm1(step(x * inputScale))) * negative : x * positive);
  },
  gradName: 'Elu',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('elu_backward', [gradOutput, x], attrs)),
  ulp: 2,
  samples: [vector(activationSamples), vector(activationSamples, { alpha: float(0.3) })],
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
  second: (b, x, attrs) => {
    const { negative, inputScale } = eluScalars(attrs, (v) => v);
    return b.where(b.le(x, 0), b.mul(b.exp(b.mul(x, inputScale)), negative * inputScale * inputScale), 0);
  },
});

// ---- hardtanh

function hardtanhLimits([x]: readonly TensorSpec[], attrs: Attrs): void {
  for (const name of ['min_val', 'max_val']) checkScalar(scalarAttr(attrs, name, name === 'min_val' ? -1 : 1), x.dtype);
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
    const low = round(scalarAttr(attrs, 'min_val', -1));
    const high = round(scalarAttr(attrs, 'max_val', 1));
    // biome-ignore lint/complexity/useMathMinMax: they differ in the sign of a zero at the limit.
    return (x) => (x < low ? low : x > high ? high : x);
  },
  gradName: 'Hardtanh',
  gradient: gradientFromInput((b, gradOutput, x, { attrs }) => b.op('hardtanh_backward', [gradOutput, x], attrs)),
  samples: [vector(activationSamples), vector(activationSamples, { min_val: float(-0.3), max_val: float(0.3) })],
});

export const hardtanhBackward = backwardKernel({
  name: 'hardtanh_backward',
  doc: 'gradOutput strictly inside (min_val, max_val), 0 at and beyond the limits; NaN passes it on.',
  params: 'min_val: Scalar, max_val: Scalar',
  kernel: ({ attrs, round }) => {
    const low = round(scalarAttr(attrs, 'min_val', -1));
    const high = round(scalarAttr(attrs, 'max_val', 1));
    return (g, x) => (x <= low || x >= high ? 0 : g);
  },
  second: null,
  ulp: 0,
});

// ---- hardsigmoid, hardswish, mish

const sixth = Math.fround(1 / 6);

export const hardsigmoid = unary({
  name: 'hardsigmoid',
  doc: 'min(max(x + 3, 0), 6) / 6.',
  floatOnly: 'hardsigmoid_cpu',
  promotion: 'same',
  kernel:
    ({ step }) =>
    (x) =>
      Math.min(Math.max(step(x + 3), 0), 6) / 6,
  gradName: 'Hardsigmoid',
  gradient: gradientFromInput((b, gradOutput, x) => b.op('hardsigmoid_backward', [gradOutput, x])),
  samples: activationSamples,
});

export const hardsigmoidBackward = backwardKernel({
  name: 'hardsigmoid_backward',
  doc: 'gradOutput / 6 strictly inside (-3, 3), else 0.',
  kernel:
    ({ dtype }) =>
    (g, x) =>
      x > -3 && x < 3 ? g * (dtype === 'float64' ? 1 / 6 : sixth) : 0,
  second: null,
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
  samples: activationSamples,
});

export const hardswishBackward = backwardKernel({
  name: 'hardswish_backward',
  doc: '0 for x <= -3, gradOutput for x >= 3, between them gradOutput * (x / 3 + 1/2).',
  kernel:
    ({ step }) =>
    (g, x) =>
      x <= -3 ? 0 : x < 3 ? g * step(step(x / 3) + 0.5) : g,
  second: (b, x) => b.where(b.op('logical_and', [b.gt(x, -3), b.lt(x, 3)]), b.full(x, x.shape, 1 / 3), 0),
  ulp: 0,
});
