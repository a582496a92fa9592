/** + - * / and what is built of them. Inputs broadcast; 16-bit dtypes compute in float32 and round once. */
import { type DType, isFloating, isHalf } from '../formats/dtype';
import { fma32 } from '../formats/float32-arithmetic';
import { elementCount } from './broadcast';
import {
  checkScalar,
  computeDtype,
  elementwise,
  type KernelContext,
  notImplementedFor,
  rounder,
  vectors,
} from './elementwise';
import {
  type Attrs,
  type Differentiable,
  type GradientContext,
  type Scalar,
  type TensorSpec,
  TorchError,
  type Value,
  type WgslElementwise,
} from './record';

export const alphaOf = (attrs: Attrs): number => (attrs.alpha as Scalar | undefined)?.value ?? 1;

function checkAlpha(inputs: readonly TensorSpec[], attrs: Attrs): void {
  const alpha = attrs.alpha as Scalar | undefined;
  if (!alpha) return;
  const dtype = computeDtype(inputs);
  if (alpha.kind === 'bool' && dtype !== 'bool') {
    throw new TorchError('RuntimeError', 'Boolean alpha only supported for Boolean results.');
  }
  if (alpha.kind === 'float' && !isFloating(dtype)) {
    throw new TorchError(
      'RuntimeError',
      'For integral input tensors, argument alpha must not be a floating point number.',
    );
  }
  checkScalar(alpha.value, dtype);
}

/**
 * a + alpha * b for elements of `dtype`. 16-bit: h(a + h(h(alpha) * b)); float32: one fused multiply-add, as PyTorch's kernels
 * for machines with FMA have. The caller stores the result, which rounds it.
 */
export function addScaled(dtype: DType, alpha: number): (a: number, b: number) => number {
  if (dtype === 'bool') return (a, b) => (a !== 0 || (alpha !== 0 && b !== 0) ? 1 : 0);
  if (alpha === 1) return (a, b) => a + b;
  if (alpha === -1) return (a, b) => a - b;
  if (dtype === 'float32') return (a, b) => fma32(b, Math.fround(alpha), a);
  const round = rounder(dtype);
  const scale = round(alpha);
  return (a, b) => a + round(scale * b);
}

/** int32 products need all 64 bits before they wrap; int64 ones beyond 2^53 raise on store. */
const product = (dtype: DType): ((a: number, b: number) => number) => (dtype === 'int32' ? Math.imul : (a, b) => a * b);

const pairs = [
  vectors([1, -0, 65504, Infinity, Number.NaN, 1, 2 ** -24], [2 ** -11, -0, 16, -Infinity, 1, -1, 2 ** -24]),
  {
    inputs: [
      { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
      { shape: [3], values: [0.1, 0.2, 0.3] },
    ],
  },
  {
    inputs: [
      { shape: [2, 1], values: [1, -2] },
      { shape: [], values: [0.1] },
    ],
  },
];

/** gradOutput * alpha, without a multiplication where alpha is 1. */
const scaledGradient = ({ b, gradOutput, attrs }: GradientContext, sign: 1 | -1): Value => {
  const factor = sign * alphaOf(attrs);
  if (factor === 1) return gradOutput;
  return factor === -1 ? b.neg(gradOutput) : b.mul(gradOutput, factor);
};

/** WGSL for x + factor * y. The sign of alpha moves into the operation: `sub` passes -alpha as its factor. */
const scaledSum = (factorOf: (attrs: Attrs) => number, x: string, y: string): WgslElementwise => ({
  kind: 'elementwise',
  bits: (attrs, dtype) => {
    const factor = factorOf(attrs);
    if (factor === 1) return `f32_add(${x}, ${y})`;
    if (factor === -1) return `f32_sub(${x}, ${y})`;
    const alpha = factor === alphaOf(attrs) ? 'alpha' : '(alpha ^ 0x80000000u)';
    return isHalf(dtype) ? `add_scaled_half(${x}, ${y}, ${alpha})` : `f32_fma(${alpha}, ${y}, ${x})`;
  },
  parameters: { alpha: 1 },
  roundParameters: true,
});

export const add = elementwise({
  name: 'add',
  doc: 'self + alpha * other, broadcast. inf + -inf is NaN; the sum of two negative zeros is negative. bool: logical or.',
  params: 'self: Tensor, other: Operand, alpha: Scalar',
  check: checkAlpha,
  kernel: ({ attrs, dtype }) => addScaled(dtype, alphaOf(attrs)),
  wgsl: scaledSum((attrs) => alphaOf(attrs), 'a', 'b'),
  gradName: 'Add',
  gradient: { saves: {}, backward: (g) => [g.gradOutput, scaledGradient(g, 1)] },
  samples: pairs,
});

/** Inputs as the caller gave them: a bool operand is refused even where promotion would make numbers of it. */
function rejectBoolSubtraction(inputs: readonly TensorSpec[]): void {
  const bools = inputs.filter((input) => input.dtype === 'bool').length;
  if (bools === 0) return;
  throw new TorchError(
    'RuntimeError',
    bools === 2
      ? 'Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.'
      : 'Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.',
  );
}

export const sub = elementwise({
  name: 'sub',
  doc: 'self - alpha * other, broadcast. inf - inf is NaN; x - x is +0.',
  params: 'self: Tensor, other: Operand, alpha: Scalar',
  validate: rejectBoolSubtraction,
  check: checkAlpha,
  kernel: ({ attrs, dtype }) => addScaled(dtype, -alphaOf(attrs)),
  wgsl: scaledSum((attrs) => -alphaOf(attrs), 'a', 'b'),
  gradName: 'Sub',
  gradient: { saves: {}, backward: (g) => [g.gradOutput, scaledGradient(g, -1)] },
  samples: pairs,
});

export const rsub = elementwise({
  name: 'rsub',
  doc: 'other - alpha * self: what `1 - x` runs.',
  params: 'self: Tensor, other: Operand, alpha: Scalar',
  validate: rejectBoolSubtraction,
  check: checkAlpha,
  kernel: ({ attrs, dtype }) => {
    const formula = addScaled(dtype, -alphaOf(attrs));
    return (a, b) => formula(b, a);
  },
  wgsl: scaledSum((attrs) => -alphaOf(attrs), 'b', 'a'),
  gradName: 'Rsub',
  gradient: { saves: {}, backward: (g) => [scaledGradient(g, -1), g.gradOutput] },
  samples: pairs,
});

export const mul = elementwise({
  name: 'mul',
  doc: 'self * other, broadcast. 0 * inf is NaN. A Python number is read in float32 even for 16-bit tensors. bool: logical and.',
  params: 'self: Tensor, other: Operand',
  scalarOperand: 'float32',
  kernel: ({ dtype }) => product(dtype),
  wgsl: { kind: 'elementwise', bits: 'f32_mul(a, b)' },
  gradName: 'Mul',
  gradient: {
    saves: { inputs: [0, 1], readBy: [{ inputs: [1] }, { inputs: [0] }] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      needs[0] ? b.mul(gradOutput, y) : null, // d(xy)/dx = y
      needs[1] ? b.mul(gradOutput, x) : null,
    ],
  },
  samples: pairs,
});

export const div = elementwise({
  name: 'div',
  doc: 'self / other as floats. x / 0 is ±inf, 0 / 0 NaN. A Python number as the divisor is read in float32.',
  params: 'self: Tensor, other: Operand',
  promotion: 'promote-float',
  scalarOperand: 'float32',
  f32: (a, b) => a / b,
  wgsl: { kind: 'elementwise', bits: 'f32_div(a, b)' },
  gradName: 'Div',
  gradient: {
    saves: { inputs: [0, 1], readBy: [{ inputs: [1] }, { inputs: [0, 1] }] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      needs[0] ? b.div(gradOutput, y) : null,
      needs[1] ? b.mul(b.neg(gradOutput), b.div(b.div(x, y), y)) : null, // -x / y^2, in PyTorch's order
    ],
  },
  samples: pairs,
});

/** PyTorch has no bool kernels for these. */
const rejectBool =
  (kernelName: string) =>
  (inputs: readonly TensorSpec[]): void => {
    if (computeDtype(inputs) === 'bool') throw notImplementedFor(kernelName, 'bool');
  };

const zeroDivision = (): TorchError => new TorchError('RuntimeError', 'ZeroDivisionError');

/** floor(a / b) as Python's //: from the exact remainder, so that a == (a // b) * b + a % b (c10/util/generic_math.h). */
function floorDivideFloat(step: (x: number) => number): (a: number, b: number) => number {
  return (a, b) => {
    if (b === 0) return a / b;
    const remainder = a % b;
    let quotient = step(step(a - remainder) / b);
    if (remainder !== 0 && b < 0 !== remainder < 0) quotient = step(quotient - 1);
    if (quotient === 0) return a / b > 0 || Object.is(a / b, 0) ? 0 : Number.isNaN(quotient) ? quotient : -0;
    const floor = Math.floor(quotient);
    return step(quotient - floor) > 0.5 ? step(floor + 1) : floor;
  };
}

function floorDivideInteger(a: number, b: number): number {
  if (b === 0) throw zeroDivision();
  return Math.floor(a / b);
}

const floorQuotient = {
  params: 'self: Tensor, other: Operand',
  scalarOperand: 'float32',
  check: rejectBool('div_floor_cpu'),
  // With a divisor of one element every step is rounded to float32 and the result once; otherwise each step to 16 bits.
  kernel: ({ dtype, inputs, round, step }) =>
    isFloating(dtype) ? floorDivideFloat(elementCount(inputs[1].shape) === 1 ? step : round) : floorDivideInteger,
  wgsl: 'host',
  samples: pairs.slice(1),
} satisfies Partial<Parameters<typeof elementwise>[0]>;

/** A rounded quotient is constant where it is differentiable (derivatives.yaml: div.Tensor_mode). */
const zeroGradient: Differentiable = {
  saves: {},
  backward: ({ b, gradOutput }) => {
    const zeros = b.full(gradOutput, gradOutput.shape, 0);
    return [zeros, zeros];
  },
};

export const floorDivide = elementwise({
  ...floorQuotient,
  name: 'floor_divide',
  doc: 'floor(self / other), computed from the remainder as Python does. Integers raise on division by 0; floats give ±inf or NaN.',
  gradient: 'not differentiable',
});

export const divFloor = elementwise({
  ...floorQuotient,
  name: 'div_floor',
  doc: "floor(self / other): `div(…, rounding_mode='floor')`; floor_divide with a gradient, which is zero.",
  gradName: 'Div',
  gradient: zeroGradient,
});

export const truncDivide = elementwise({
  name: 'trunc_divide',
  doc: "trunc(self / other): `div(…, rounding_mode='trunc')`.",
  params: 'self: Tensor, other: Operand',
  scalarOperand: 'float32',
  check: rejectBool('div_trunc_cpu'),
  kernel: ({ dtype, inputs, round, step }) => {
    if (!isFloating(dtype)) {
      return (a, b) => {
        if (b === 0) throw zeroDivision();
        return Math.trunc(a / b);
      };
    }
    // The quotient is rounded to 16 bits before it is truncated, unless the divisor is a single element (then to float32).
    const quotient = elementCount(inputs[1].shape) === 1 ? step : round;
    return (a, b) => Math.trunc(quotient(a / b));
  },
  wgsl: 'host',
  gradName: 'Div',
  gradient: zeroGradient,
  samples: pairs.slice(1),
});

/** a % b with the divisor's sign, as Python's %; floats: fmod, then one correction by b. */
function pythonRemainder({ dtype, step }: KernelContext): (a: number, b: number) => number {
  if (!isFloating(dtype)) {
    return (a, b) => {
      if (b === 0) throw zeroDivision();
      const remainder = a % b;
      return remainder !== 0 && b < 0 !== remainder < 0 ? remainder + b : remainder;
    };
  }
  return (a, b) => {
    const remainder = a % b;
    return remainder !== 0 && b < 0 !== remainder < 0 ? step(remainder + b) : remainder;
  };
}

export const remainder = elementwise({
  name: 'remainder',
  doc: 'self % other with the sign of the divisor, as in Python. x % 0 is NaN for floats and an error for integers.',
  params: 'self: Tensor, other: Operand',
  check: rejectBool('remainder_cpu'),
  kernel: pythonRemainder,
  wgsl: 'host',
  gradName: 'Remainder',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      gradOutput,
      needs[1] ? b.mul(b.neg(gradOutput), b.op('floor_divide', [x, y])) : null, // x % y = x - y * (x // y)
    ],
  },
  samples: [vectors([5, -5, 5, -5, 0.3, -0], [3, 3, -3, -3, 0.1, 2]), pairs[1]],
});

export const fmod = elementwise({
  name: 'fmod',
  doc: 'Remainder with the sign of the dividend, as C: x - trunc(x / y) * y, exact.',
  params: 'self: Tensor, other: Operand',
  check: rejectBool('fmod_cpu'),
  kernel: ({ dtype }) =>
    isFloating(dtype)
      ? (a, b) => a % b
      : (a, b) => {
          if (b === 0) throw zeroDivision();
          return a % b;
        },
  wgsl: 'host',
  gradName: 'Fmod',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      gradOutput,
      needs[1] ? b.mul(b.neg(gradOutput), b.op('trunc_divide', [x, y])) : null,
    ],
  },
  samples: [vectors([5, -5, 5, -5, 0.3, -0], [3, 3, -3, -3, 0.1, 2]), pairs[1]],
});

// ---- three operands

const triples = [vectors([1, -2, 0.5, Infinity], [2, 3, 0.25, 1], [0.5, -4, 3, 2])];

export const lerp = elementwise({
  name: 'lerp',
  doc: 'self + weight * (end - self); from the far end for |weight| >= 0.5, so that weight 1 gives end exactly. One rounding in 16 bits.',
  params: 'self: Tensor, end: Tensor, weight: Operand',
  promotion: 'same',
  scalarOperand: 'float32',
  floatOnly: 'lerp_kernel_scalar',
  check: ([self, end, weight], attrs) => {
    const cpp: Partial<Record<DType, string>> = {
      float16: 'c10::Half',
      bfloat16: 'c10::BFloat16',
      float32: 'float',
      float64: 'double',
      int64: 'long int',
      int32: 'int',
      int16: 'short int',
      int8: 'signed char',
      uint8: 'unsigned char',
    };
    const mismatch = (name: string, got: DType): TorchError =>
      new TorchError(
        'RuntimeError',
        `expected dtype ${cpp[self.dtype] ?? self.dtype} for \`${name}\` but got dtype ${cpp[got] ?? got}`,
      );
    if (end.dtype !== self.dtype) throw mismatch('end', end.dtype);
    if (!attrs.wrapped_2 && weight.dtype !== self.dtype && weight.shape.length > 0)
      throw mismatch('weight', weight.dtype);
  },
  kernel: ({ dtype, step }) => lerpFormula(dtype, step),
  wgsl: 'host',
  gradName: 'Lerp',
  gradient: {
    saves: { inputs: [0, 1, 2], readBy: [{ inputs: [2] }, { inputs: [2] }, { inputs: [0, 1] }] },
    backward: ({ b, gradOutput, inputs: [self, end, weight], needs }) => [
      needs[0] ? b.mul(gradOutput, weight.value === undefined ? b.sub(1, weight) : 1 - weight.value) : null,
      needs[1] ? b.mul(gradOutput, weight.value ?? weight) : null,
      needs[2] ? b.mul(gradOutput, b.sub(end, self)) : null,
    ],
  },
  samples: [vectors([1, 2, -3, 0], [2, 1, 5, 65504], [0.1, 0.7, 0.5, 1])],
});

/** Shared with Adam's exp_avg.lerp_(grad, 1 - beta1). 16-bit and float32 tensors compute with fused multiply-adds in float32. */
export function lerpFormula(dtype: DType, step: (x: number) => number): (a: number, b: number, w: number) => number {
  if (dtype === 'float64') {
    return (a, b, w) => (Math.abs(w) < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w));
  }
  return (a, b, w) => {
    const difference = step(b - a);
    return Math.abs(w) < 0.5 ? fma32(w, difference, a) : fma32(-difference, step(1 - w), b);
  };
}

const valueFactor = (attrs: Attrs): number => (attrs.value as Scalar | undefined)?.value ?? 1;

/** self + value * t1 * t2: (value * t1) rounded, then one fused multiply-add; one rounding more for 16 bits. */
export function addcmulFormula(dtype: DType, value: number): (a: number, b: number, c: number) => number {
  if (!isFloating(dtype)) {
    const whole = Math.trunc(value);
    return (a, b, c) => a + whole * b * c;
  }
  if (dtype === 'float64') return (a, b, c) => a + value * b * c;
  const scale = Math.fround(value);
  return (a, b, c) => fma32(Math.fround(scale * b), c, a);
}

/** self + value * t1 / t2, a rounding to float32 after each operation. */
export function addcdivFormula(dtype: DType, value: number): (a: number, b: number, c: number) => number {
  if (dtype === 'float64') return (a, b, c) => a + (value * b) / c;
  const scale = Math.fround(value);
  return (a, b, c) => a + Math.fround(Math.fround(scale * b) / c);
}

const cudaPromote = { cpu: 'none', cuda: 'promote' } as const;

export const addcmul = elementwise({
  name: 'addcmul',
  doc: 'self + value * tensor1 * tensor2, broadcast; 16-bit inputs compute in float32 and round once.',
  params: 'self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar',
  kernel: ({ attrs, dtype }) => addcmulFormula(dtype, valueFactor(attrs)),
  wgsl: 'host',
  gradName: 'Addcmul',
  gradient: {
    saves: { inputs: [1, 2], readBy: [{}, { inputs: [2] }, { inputs: [1] }] },
    backward: ({ b, gradOutput, inputs: [, t1, t2], attrs, needs }) => [
      gradOutput,
      needs[1] ? b.mul(gradOutput, b.mul(t2, valueFactor(attrs))) : null,
      needs[2] ? b.mul(gradOutput, b.mul(t1, valueFactor(attrs))) : null,
    ],
  },
  autocast: cudaPromote,
  samples: triples,
});

export const addcdiv = elementwise({
  name: 'addcdiv',
  doc: 'self + value * tensor1 / tensor2, broadcast; 16-bit inputs compute in float32 and round once.',
  params: 'self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar',
  check: (inputs) => {
    if (isFloating(inputs[0].dtype)) return;
    throw new TorchError(
      'RuntimeError',
      'Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.',
    );
  },
  kernel: ({ attrs, dtype }) => addcdivFormula(dtype, valueFactor(attrs)),
  wgsl: 'host',
  gradName: 'Addcdiv',
  gradient: {
    saves: { inputs: [1, 2], readBy: [{}, { inputs: [2] }, { inputs: [1, 2] }] },
    backward: ({ b, gradOutput, inputs: [, t1, t2], attrs, needs }) => [
      gradOutput,
      needs[1] ? b.mul(gradOutput, b.op('div', [valueFactor(attrs), t2])) : null,
      needs[2] ? b.mul(b.neg(gradOutput), b.div(b.mul(t1, valueFactor(attrs)), b.mul(t2, t2))) : null,
    ],
  },
  autocast: cudaPromote,
  samples: triples,
});
