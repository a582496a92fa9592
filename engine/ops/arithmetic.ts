/** + - * / and what is built of them. Inputs broadcast; 16-bit dtypes compute in float32 and round once. */
import { isFloating, isHalf } from '../formats/dtype';
import { fma32 } from '../formats/float32-arithmetic';
import { checkScalar, computeDtype, elementwise, type KernelContext, vectors } from './elementwise';
import { type Attrs, type Scalar, type TensorSpec, TorchError } from './record';

const alphaOf = (attrs: Attrs): number => (attrs.alpha as Scalar | undefined)?.value ?? 1;

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

/** a + alpha * b. 16-bit: h(a + h(h(alpha) * b)); float32: one fused multiply-add, as PyTorch's vectorised kernel has. */
function addScaled({ dtype, round }: KernelContext, alpha: number): (a: number, b: number) => number {
  if (dtype === 'bool') return (a, b) => (a !== 0 || (alpha !== 0 && b !== 0) ? 1 : 0);
  if (alpha === 1) return (a, b) => a + b;
  if (alpha === -1) return (a, b) => a - b;
  if (dtype === 'float32') return (a, b) => fma32(b, Math.fround(alpha), a);
  const scale = round(alpha);
  return (a, b) => a + round(scale * b);
}

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

export const add = elementwise({
  name: 'add',
  doc: 'self + alpha * other, broadcast. inf + -inf is NaN; the sum of two negative zeros is negative. bool: logical or.',
  params: 'self: Tensor, other: Operand, alpha: Scalar',
  check: checkAlpha,
  kernel: (context) => addScaled(context, alphaOf(context.attrs)),
  wgsl: {
    kind: 'elementwise',
    bits: (attrs, dtype) =>
      ({ 1: 'f32_add(a, b)', '-1': 'f32_sub(a, b)' })[alphaOf(attrs)] ??
      (isHalf(dtype) ? 'add_scaled_half(a, b, alpha)' : 'f32_fma(alpha, b, a)'),
    parameters: { alpha: 1 },
    roundParameters: true,
  },
  gradName: 'Add',
  gradient: {
    saves: {},
    backward: ({ b, gradOutput, attrs }) => [
      gradOutput,
      alphaOf(attrs) === 1 ? gradOutput : b.mul(gradOutput, alphaOf(attrs)),
    ],
  },
  samples: pairs,
});

export const mul = elementwise({
  name: 'mul',
  doc: 'self * other, broadcast. 0 * inf is NaN. A Python number is read in float32 even for 16-bit tensors. bool: logical and.',
  params: 'self: Tensor, other: Operand',
  scalarOperand: 'float32',
  f32: (a, b) => a * b,
  int: (a, b) => a * b,
  wgsl: { kind: 'elementwise', bits: 'f32_mul(a, b)' },
  gradName: 'Mul',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      needs[0] ? b.mul(gradOutput, y) : null, // d(xy)/dx = y
      needs[1] ? b.mul(gradOutput, x) : null,
    ],
  },
  samples: pairs,
});
