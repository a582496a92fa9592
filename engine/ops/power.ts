/** Powers. Which formula applies depends on the dtype and on whether the exponent is a Python number, as in PyTorch's kernels. */
import { isFloating } from '../formats/dtype';
import {
  cudaFloat32,
  elementwise,
  type Formula,
  type KernelContext,
  libraryFloat32,
  unary,
  vectors,
} from './elementwise';
import { type Builder, TorchError, type Value } from './record';
import { powC } from './special-functions';

/** Integer powers by squaring would wrap; doubles are exact up to 2^53 and int64 raises beyond on store. Negative exponents: only of ±1. */
function integerPower(base: number, exponent: number): number {
  if (exponent >= 0) return base ** exponent;
  if (base === 1) return 1;
  if (base === -1) return exponent % 2 === 0 ? 1 : -1;
  return 0;
}

/**
 * x ** exponent for a Python number (aten/src/ATen/native/cpu/PowKernel.cpp). 0.5, -0.5, -1, 2, 3 and -2 are computed by sqrt,
 * division and multiplication, rounding to the dtype after each step; float16 always calls pow and rounds once.
 */
function numberExponent({ dtype, round }: KernelContext, exponent: number): Formula {
  if (exponent === 0) return () => 1;
  if (exponent === 1) return (x) => x;
  if (dtype === 'float16') return (x) => powC(x, exponent);
  if (exponent === 0.5) return Math.sqrt; // of -inf: NaN, where pow gives inf
  if (exponent === -0.5) return (x) => 1 / round(Math.sqrt(x));
  if (exponent === -1) return (x) => 1 / x;
  if (exponent === 2) return (x) => x * x;
  if (exponent === 3) return (x) => round(x * x) * x;
  if (exponent === -2) return (x) => 1 / round(x * x);
  return (x) => powC(x, exponent);
}

/** The exponent a Python number, or 1 - as a tensor - less: y - 1. */
const minusOne = (b: Builder, y: Value): Value | number => (y.value === undefined ? b.sub(y, 1) : y.value - 1);
const operand = (y: Value): Value | number => y.value ?? y;

export const pow = elementwise({
  name: 'pow',
  doc: 'self ** exponent. pow(x, 0) and pow(1, y) are 1 even for NaN; a negative base with a fractional exponent is NaN.',
  params: 'self: Operand, exponent: Operand',
  scalarOperand: 'checked',
  validate: ([base, exponent]) => {
    const integers = !isFloating(base.dtype) && !isFloating(exponent.dtype);
    if (integers && exponent.value !== undefined && exponent.value < 0) {
      throw new TorchError('RuntimeError', 'Integers to negative integer powers are not allowed.');
    }
  },
  check: (inputs) => {
    if (inputs.every((input) => input.dtype === 'bool')) {
      throw new TorchError('NotImplementedError', '"pow" not implemented for \'Bool\'');
    }
  },
  kernel: (context) => {
    const { attrs, dtype, round } = context;
    if (!isFloating(dtype)) {
      return integerPower;
    }
    if (!attrs.wrapped_1) return powC;
    let formula: Formula | undefined;
    let known = Number.NaN;
    return (x, exponent) => {
      if (formula === undefined || exponent !== known) {
        known = exponent;
        formula = numberExponent(context, round(exponent));
      }
      return formula(x, 0, 0);
    };
  },
  wgsl: { kind: 'elementwise', half: 'table' }, // x ** number
  gradName: 'Pow',
  gradient: {
    saves: { inputs: [0, 1], outputs: [0], readBy: [{ inputs: [0, 1] }, { inputs: [0, 1], outputs: [0] }] },
    backward: ({ b, gradOutput, inputs: [x, y], outputs: [result], needs }) => {
      const self = (): Value => {
        if (y.value === 0) return b.full(gradOutput, gradOutput.shape, 0);
        const power = b.op('pow', [operand(x), minusOne(b, y)]);
        const gradient = b.mul(gradOutput, y.value === undefined ? b.mul(y, power) : b.mul(power, y.value));
        return y.value === undefined ? b.where(b.eq(y, 0), 0, gradient) : gradient;
      };
      const exponent = (): Value => {
        // d x^y / dy = x^y log x, taken as 0 where x is 0 and y >= 0
        if (x.value !== undefined) {
          if (x.value === 0) return b.where(b.ge(y, 0), 0, b.mul(gradOutput, b.mul(result, Math.log(x.value))));
          return b.mul(gradOutput, b.mul(result, Math.log(x.value)));
        }
        const gradient = b.mul(gradOutput, b.mul(result, b.op('log', [x])));
        const atZero = b.op('logical_and', [b.eq(x, 0), b.ge(y, 0)]);
        return b.where(atZero, 0, gradient);
      };
      return [needs[0] ? self() : null, needs[1] ? exponent() : null];
    },
  },
  autocast: cudaFloat32,
  tolerance: { float32: libraryFloat32(2) },
  samples: [
    vectors([2, 4, 9, 0.5, 1, 3], [3, 0.5, -0.5, 2, Number.NaN, 0]),
    vectors([2, -2, 0], [3, 2, 0]),
    {
      inputs: [
        { shape: [5], values: [1, -2, 0.5, 40, 300] },
        { shape: [], values: [3] },
      ],
    },
  ],
});

export const square = unary({
  name: 'square',
  doc: 'x * x. float16 overflows above 255.9.',
  promotion: 'same',
  kernel: ({ dtype }) => (dtype === 'int32' ? (x) => Math.imul(x, x) : (x) => x * x),
  resultDtype: (dtype) => (dtype === 'bool' ? 'int64' : dtype), // square is pow(x, 2), and 2 is an int64
  wgsl: { bits: 'f32_mul(a, a)' },
  gradName: 'Pow',
  gradient: {
    saves: { inputs: [0] },
    backward: ({ b, gradOutput, inputs: [x] }) => [b.mul(gradOutput, b.mul(x, 2))],
  },
  samples: [0, -0, 1, -3, 255, 256, 2 ** -13, Infinity, -Infinity, Number.NaN],
});
