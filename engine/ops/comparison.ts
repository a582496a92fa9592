/** Comparisons and tests giving bool, and logic on bool and integers. Nothing flows back through them. */
import { type DType, isFloating } from '../formats/dtype';
import { comparison, elementwise, notImplementedFor, vector } from './elementwise';

export const eq = comparison({
  name: 'eq',
  doc: 'self == other. NaN equals nothing; 0 equals -0. A Python number is first rounded to the tensor dtype: half(0.1) == 0.1.',
  holds: (a, b) => a === b,
  wgsl: { kind: 'elementwise', bits: 'f32_eq(a, b)', int: 'a == b' },
});

export const ne = comparison({
  name: 'ne',
  doc: 'self != other. True where either is NaN.',
  holds: (a, b) => a !== b,
  wgsl: { kind: 'elementwise', bits: '!f32_eq(a, b)', int: 'a != b' },
});

export const lt = comparison({
  name: 'lt',
  doc: 'self < other. False where either is NaN.',
  holds: (a, b) => a < b,
  wgsl: { kind: 'elementwise', bits: 'f32_lt(a, b)', int: 'bitcast<i32>(a) < bitcast<i32>(b)' },
});

export const le = comparison({
  name: 'le',
  doc: 'self <= other. False where either is NaN.',
  holds: (a, b) => a <= b,
  wgsl: { kind: 'elementwise', bits: 'f32_le(a, b)', int: 'bitcast<i32>(a) <= bitcast<i32>(b)' },
});

export const gt = comparison({
  name: 'gt',
  doc: 'self > other. False where either is NaN.',
  holds: (a, b) => a > b,
  wgsl: { kind: 'elementwise', bits: 'f32_lt(b, a)', int: 'bitcast<i32>(a) > bitcast<i32>(b)' },
});

export const ge = comparison({
  name: 'ge',
  doc: 'self >= other. False where either is NaN.',
  holds: (a, b) => a >= b,
  wgsl: { kind: 'elementwise', bits: 'f32_le(b, a)', int: 'bitcast<i32>(a) >= bitcast<i32>(b)' },
});

export const logicalAnd = comparison({
  name: 'logical_and',
  doc: 'Both not zero. NaN counts as true.',
  holds: (a, b) => a !== 0 && b !== 0,
  wgsl: { kind: 'elementwise', bits: '(a << 1u) != 0u && (b << 1u) != 0u', int: 'a != 0u && b != 0u' },
});

export const logicalOr = comparison({
  name: 'logical_or',
  doc: 'Either not zero. NaN counts as true.',
  holds: (a, b) => a !== 0 || b !== 0,
  wgsl: { kind: 'elementwise', bits: '((a | b) << 1u) != 0u', int: '(a | b) != 0u' },
});

export const logicalXor = comparison({
  name: 'logical_xor',
  doc: 'Exactly one not zero. NaN counts as true.',
  holds: (a, b) => (a !== 0) !== (b !== 0),
  wgsl: { kind: 'elementwise', bits: '((a << 1u) != 0u) != ((b << 1u) != 0u)', int: '(a != 0u) != (b != 0u)' },
});

/** A test of one element. */
function predicate(name: string, doc: string, bits: string, int: string, holds: (x: number) => boolean) {
  return elementwise({
    name,
    doc,
    promotion: 'same',
    f32: (x) => (holds(x) ? 1 : 0),
    resultDtype: () => 'bool',
    wgsl: { kind: 'elementwise', bits, int },
    gradient: 'not differentiable',
    samples: [vector([0, -0, 1, -1, 2 ** -24, Infinity, -Infinity, Number.NaN])],
  });
}

export const logicalNot = predicate(
  'logical_not',
  'Whether the element is zero. NaN gives false.',
  '(a << 1u) == 0u',
  'a == 0u',
  (x) => x === 0,
);
export const isNaNTest = predicate(
  'isnan',
  'Whether the element is NaN.',
  '(a & 0x7fffffffu) > 0x7f800000u',
  'false',
  Number.isNaN,
);
export const isInfTest = predicate(
  'isinf',
  'Whether the element is +inf or -inf.',
  '(a & 0x7fffffffu) == 0x7f800000u',
  'false',
  (x) => Math.abs(x) === Infinity,
);
export const isFiniteTest = predicate(
  'isfinite',
  'Whether the element is neither infinite nor NaN.',
  '(a & 0x7fffffffu) < 0x7f800000u',
  'true',
  Number.isFinite,
);
export const isPosInfTest = predicate(
  'isposinf',
  'Whether the element is +inf.',
  'a == 0x7f800000u',
  'false',
  (x) => x === Infinity,
);
export const isNegInfTest = predicate(
  'isneginf',
  'Whether the element is -inf.',
  'a == 0xff800000u',
  'false',
  (x) => x === -Infinity,
);
export const signBit = predicate(
  'signbit',
  'Whether the sign bit is set: negative numbers, -0 and -inf. The engine keeps no sign of NaN.',
  'a >= 0x80000000u && !f32_is_nan(a)',
  'a >= 0x80000000u',
  (x) => x < 0 || Object.is(x, -0),
);

// ---- bits

type Bitwise32 = (a: number, b: number) => number;
type Bitwise64 = (a: bigint, b: bigint) => bigint;

/** Bitwise work is exact in 32 bits; int64 values outside that range go through BigInt. */
function bitwiseFormula(small: Bitwise32, large: Bitwise64): (a: number, b: number) => number {
  return (a, b) =>
    (a | 0) === a && (b | 0) === b ? small(a, b) : Number(BigInt.asIntN(64, large(BigInt(a), BigInt(b))));
}

function bitwise(name: string, doc: string, small: Bitwise32, large: Bitwise64) {
  return elementwise({
    name,
    doc,
    params: 'self: Tensor, other: Operand',
    check: ([{ dtype }]) => {
      if (isFloating(dtype)) throw notImplementedFor(`${name}_cpu`, dtype);
    },
    int: bitwiseFormula(small, large),
    wgsl: 'host',
    gradient: 'not differentiable',
    samples: [
      {
        inputs: [
          { shape: [4], values: [0, 1, 1, 0], dtype: 'bool' },
          { shape: [4], values: [0, 1, 0, 1], dtype: 'bool' },
        ],
      },
      {
        inputs: [
          { shape: [3], values: [5, -1, 12], dtype: 'int64' },
          { shape: [3], values: [3, 7, 10], dtype: 'int64' },
        ],
      },
    ],
  });
}

export const bitwiseAnd = bitwise(
  'bitwise_and',
  'Bitwise and of integers or bool.',
  (a, b) => a & b,
  (a, b) => a & b,
);
export const bitwiseOr = bitwise(
  'bitwise_or',
  'Bitwise or of integers or bool.',
  (a, b) => a | b,
  (a, b) => a | b,
);
export const bitwiseXor = bitwise(
  'bitwise_xor',
  'Bitwise exclusive or of integers or bool.',
  (a, b) => a ^ b,
  (a, b) => a ^ b,
);

export const bitwiseNot = elementwise({
  name: 'bitwise_not',
  doc: '~x: all bits flipped (-x - 1); logical not for bool.',
  promotion: 'same',
  check: ([{ dtype }]) => {
    if (isFloating(dtype)) throw notImplementedFor('bitwise_not_cpu', dtype);
  },
  kernel: ({ dtype }: { dtype: DType }) => (dtype === 'bool' ? (x) => (x === 0 ? 1 : 0) : (x) => -x - 1),
  wgsl: 'host',
  gradient: 'not differentiable',
  samples: [
    { inputs: [{ shape: [2], values: [0, 1], dtype: 'bool' }] },
    { inputs: [{ shape: [3], values: [0, 5, -7], dtype: 'int32' }] },
  ],
});

const widthOf: Partial<Record<DType, number>> = { int64: 64, int32: 32, int16: 16, int8: 8, uint8: 8 };

/** Shifts by the width or more, or by a negative amount, give 0 (right shifts of negative numbers: -1), as ATen defines them. */
function shift(name: string, doc: string, left: boolean) {
  return elementwise({
    name,
    doc,
    params: 'self: Tensor, other: Operand',
    check: ([{ dtype }]) => {
      if (isFloating(dtype) || dtype === 'bool') throw notImplementedFor(left ? 'lshift_cpu' : 'rshift_cpu', dtype);
    },
    kernel: ({ dtype }) => {
      const width = widthOf[dtype] ?? 64;
      if (left) return (a, b) => (b < 0 || b >= width ? 0 : a * 2 ** b);
      return (a, b) => (b < 0 || b >= width ? (a < 0 ? -1 : 0) : Math.floor(a / 2 ** b));
    },
    wgsl: 'host',
    gradient: 'not differentiable',
    samples: [
      {
        inputs: [
          { shape: [4], values: [1, 5, -8, 3], dtype: 'int64' },
          { shape: [4], values: [3, 0, 1, 2], dtype: 'int64' },
        ],
      },
    ],
  });
}

export const leftShift = shift('bitwise_left_shift', 'self * 2^other for integers.', true);
export const rightShift = shift('bitwise_right_shift', 'floor(self / 2^other) for integers.', false);
