/** Ops that choose between elements: where, masked_fill, maximum, minimum, clamp, and replacements of special values. */
import { type DType, isFloating, scalarTypeName } from '../formats/dtype';
import { finfo } from '../formats/dtype-info';
import { readElements } from '../formats/host-elements';
import { checkScalar, type ElementwiseOptions, elementwise, type Formula, vector, vectors } from './elementwise';
import { type Builder, type Sample, type TensorSpec, TorchError, type Value } from './record';

export const where = elementwise({
  name: 'where',
  doc: 'self where condition is true, else other; all three broadcast. The side not chosen gets gradient 0, even if it is NaN.',
  params: 'condition: Tensor, self: Operand, other: Operand',
  promotes: [1, 2],
  check: ([condition]) => {
    if (condition.dtype === 'bool' || condition.dtype === 'uint8') return;
    throw new TorchError(
      'RuntimeError',
      `where expected condition to be a boolean tensor, but got a tensor with dtype ${scalarTypeName[condition.dtype]}`,
    );
  },
  computeFrom: 1,
  f32: (condition, a, b) => (condition !== 0 ? a : b),
  wgsl: { kind: 'elementwise', stored: 'select(c, b, a != 0u)', condition: true },
  gradName: 'Where',
  gradient: {
    saves: { inputs: [0] },
    backward: ({ b, gradOutput, inputs: [condition], needs }) => [
      null,
      needs[1] ? b.where(condition, gradOutput, 0) : null,
      needs[2] ? b.where(condition, 0, gradOutput) : null,
    ],
  },
  samples: [
    {
      inputs: [
        { shape: [4], values: [1, 0, 1, 0], dtype: 'bool' },
        { shape: [4], values: [1, 2, Infinity, -0] },
        { shape: [4], values: [-1, -2, Number.NaN, 0.1] },
      ],
    },
    {
      inputs: [
        { shape: [2, 1], values: [1, 0], dtype: 'bool' },
        { shape: [3], values: [1, 2, 3] },
        { shape: [], values: [0.1] },
      ],
    },
  ],
});

const cppBoolMaskName: Readonly<Record<DType, string>> = {
  float32: 'float',
  float64: 'double',
  float16: 'c10::Half',
  bfloat16: 'c10::BFloat16',
  int64: 'long int',
  int32: 'int',
  int16: 'short int',
  int8: 'signed char',
  uint8: 'unsigned char',
  bool: 'bool',
};

export const maskedFill = elementwise({
  name: 'masked_fill',
  doc: 'value where mask is true, else self. The result has the dtype of self; a value beyond its largest finite number raises.',
  params: 'self: Tensor, mask: Tensor, value: Operand',
  promotion: 'same',
  scalarOperand: 'checked',
  check: ([, mask, value]) => {
    if (mask.dtype !== 'bool') {
      throw new TorchError(
        'RuntimeError',
        `masked_fill_ only supports boolean masks, but got mask with dtype ${cppBoolMaskName[mask.dtype]}`,
      );
    }
    if (value.shape.length > 0) {
      throw new TorchError(
        'RuntimeError',
        `masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ${value.shape.length} dimension(s).`,
      );
    }
  },
  computeFrom: 0,
  checkValues: ([self, , value]) => checkScalar(readElements(value)[0], self.dtype),
  f32: (x, mask, value) => (mask !== 0 ? value : x),
  int: (x, mask, value) => (mask !== 0 ? Math.trunc(value) : x),
  wgsl: { kind: 'elementwise', stored: 'select(a, c, b != 0u)', condition: 1 },
  gradName: 'MaskedFill',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, gradOutput, inputs: [, mask], needs }) => [
      b.where(mask, 0, gradOutput),
      null,
      needs[2] ? b.where(mask, gradOutput, 0) : null,
    ],
  },
  samples: [
    {
      inputs: [
        { shape: [2, 2], values: [1, 2, Number.NaN, 4] },
        { shape: [2, 2], values: [0, 1, 1, 0], dtype: 'bool' },
        { shape: [], values: [-Infinity] },
      ],
    },
    {
      inputs: [
        { shape: [2, 2], values: [1, 2, 3, 4] },
        { shape: [2], values: [0, 1], dtype: 'bool' },
        { shape: [], values: [0.1] },
      ],
    },
  ],
});

const pairs: readonly Sample[] = [
  vectors([1, 5, 0, -0, Number.NaN, 1, Infinity], [2, 3, -0, 0, 1, Number.NaN, -Infinity]),
  {
    inputs: [
      { shape: [2, 1], values: [1, 4] },
      { shape: [3], values: [2, 4, 5] },
    ],
  },
];

/** The gradient of an extremum goes to the chosen operand; where they are equal, half to each. */
function extremumGradient(better: 'gt' | 'lt'): ElementwiseOptions['gradient'] {
  const share = (b: Builder, gradOutput: Value, mine: Value, theirs: Value): Value =>
    b.where(b.eq(mine, theirs), b.div(gradOutput, 2), b.where(b.op(better, [theirs, mine]), 0, gradOutput));
  return {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      needs[0] ? share(b, gradOutput, x, y) : null,
      needs[1] ? share(b, gradOutput, y, x) : null,
    ],
  };
}

export const maximum = elementwise({
  name: 'maximum',
  doc: 'The larger of two elements; NaN if either is. Of two zeros, the first.',
  params: 'self: Tensor, other: Tensor',
  f32: (a, b) => (Number.isNaN(a) || b < a || a === b ? a : b), // b where b is larger or NaN
  wgsl: { kind: 'elementwise', bits: 'f32_maximum(a, b)' },
  gradName: 'Maximum',
  gradient: extremumGradient('gt'),
  samples: pairs,
});

export const minimum = elementwise({
  name: 'minimum',
  doc: 'The smaller of two elements; NaN if either is. Of two zeros, the first.',
  params: 'self: Tensor, other: Tensor',
  f32: (a, b) => (Number.isNaN(a) || b > a || a === b ? a : b),
  wgsl: { kind: 'elementwise', bits: 'f32_minimum(a, b)' },
  gradName: 'Minimum',
  gradient: extremumGradient('lt'),
  samples: pairs,
});

/** fmax and fmin pass the other's gradient only where it was chosen (grad.masked_fill in derivatives.yaml). */
function numberExtremumGradient(chosen: 'ge' | 'le'): ElementwiseOptions['gradient'] {
  const first = (b: Builder, x: Value, y: Value): Value =>
    b.op('logical_or', [b.op(chosen, [x, y]), b.op('isnan', [y])]);
  return {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y] }) => [
      b.where(first(b, x, y), gradOutput, 0),
      b.where(first(b, x, y), 0, gradOutput),
    ],
  };
}

/** Of two equal elements (zeros of different sign) PyTorch's kernels take the first, the bfloat16 ones of fmax and fmin the second. */
const ofEqual =
  (dtype: DType, choose: (a: number, b: number) => number): Formula =>
  (a, b) =>
    a === b ? (dtype === 'bfloat16' ? b : a) : choose(a, b);

export const fmax = elementwise({
  name: 'fmax',
  doc: 'The larger of two elements; a number wins over NaN.',
  params: 'self: Tensor, other: Tensor',
  kernel: ({ dtype }) => ofEqual(dtype, (a, b) => (Number.isNaN(b) || b < a ? a : b)),
  wgsl: 'host',
  gradName: 'Fmax',
  gradient: numberExtremumGradient('ge'),
  samples: pairs,
});

export const fmin = elementwise({
  name: 'fmin',
  doc: 'The smaller of two elements; a number wins over NaN.',
  params: 'self: Tensor, other: Tensor',
  kernel: ({ dtype }) => ofEqual(dtype, (a, b) => (Number.isNaN(b) || b > a ? a : b)),
  wgsl: 'host',
  gradName: 'Fmin',
  gradient: numberExtremumGradient('le'),
  samples: pairs,
});

const clampLow: Formula = (x, low) => (Number.isNaN(x) || !(x < low || Number.isNaN(low)) ? x : low);
const clampHigh: Formula = (x, high) => (Number.isNaN(x) || !(x > high || Number.isNaN(high)) ? x : high);

export const clamp = elementwise({
  name: 'clamp',
  doc: 'self limited to [min, max], each a number, a tensor or absent. NaN stays NaN; where min > max the result is max.',
  params: 'self: Tensor, min: Operand?, max: Operand?',
  scalarOperand: 'checked',
  check: (_: readonly TensorSpec[], attrs) => {
    if (attrs.has_min || attrs.has_max) return;
    throw new TorchError('RuntimeError', "torch.clamp: At least one of 'min' or 'max' must not be None");
  },
  kernel: ({ attrs }) => {
    if (!attrs.has_max) return clampLow;
    if (!attrs.has_min) return clampHigh;
    return (x, low, high) => {
      const raised = clampLow(x, low, 0);
      return Number.isNaN(raised) ? raised : clampHigh(raised, high, 0);
    };
  },
  wgsl: {
    kind: 'elementwise',
    bits: (attrs) => {
      if (!attrs.has_max) return 'f32_raised(a, b)';
      return attrs.has_min ? 'f32_lowered(f32_raised(a, b), c)' : 'f32_lowered(a, b)';
    },
  },
  gradName: 'Clamp',
  gradient: {
    saves: { inputs: [0, 1, 2] },
    backward: ({ b, gradOutput, inputs, attrs, needs }) => {
      const [x] = inputs;
      const bound = (i: number): Value | number => inputs[i].value ?? inputs[i];
      const low = attrs.has_min ? bound(1) : undefined;
      const high = attrs.has_max ? bound(attrs.has_min ? 2 : 1) : undefined;
      const and = (p: Value, q: Value): Value => b.op('logical_and', [p, q]);
      const aboveLow = low === undefined ? undefined : b.ge(x, low);
      const belowHigh = high === undefined ? undefined : b.le(x, high);
      const inside = aboveLow && belowHigh ? and(aboveLow, belowHigh) : (aboveLow ?? belowHigh)!;
      const gradients: (Value | null)[] = [needs[0] ? b.where(inside, gradOutput, 0) : null];
      if (low !== undefined) {
        const ordered = high === undefined || typeof low === 'number' ? undefined : b.lt(low, high);
        const chosen = (): Value => (ordered ? and(ordered, b.lt(x, low)) : b.lt(x, low));
        gradients.push(needs[1] ? b.where(chosen(), gradOutput, 0) : null);
      }
      if (high !== undefined) {
        const i = gradients.length;
        const chosen = (): Value =>
          low === undefined
            ? b.gt(x, high)
            : b.op('logical_or', [b.gt(x, high), typeof high === 'number' ? b.gt(x, high) : b.le(high, low)]);
        gradients.push(needs[i] ? b.where(chosen(), gradOutput, 0) : null);
      }
      return gradients;
    },
  },
  samples: [
    {
      inputs: [
        { shape: [6], values: [-2, -0, 0.05, 3, Number.NaN, Infinity] },
        { shape: [], values: [-0.1] },
        { shape: [], values: [0.1] },
      ],
      attrs: { has_min: true, has_max: true },
    },
    {
      inputs: [
        { shape: [3], values: [-2, 0.5, 3] },
        { shape: [], values: [1] },
      ],
      attrs: { has_min: true, has_max: false },
    },
    {
      inputs: [
        { shape: [3], values: [-2, 0.5, 3] },
        { shape: [3], values: [1, 0.25, -1] },
      ],
      attrs: { has_min: false, has_max: true },
    },
  ],
});

export const nanToNum = elementwise({
  name: 'nan_to_num',
  doc: 'NaN replaced by nan (default 0), +inf by posinf and -inf by neginf (defaults: the largest and smallest finite numbers).',
  params: 'self: Tensor, nan: float?, posinf: float?, neginf: float?',
  promotion: 'same',
  kernel: ({ attrs, dtype, round }) => {
    if (!isFloating(dtype)) return (x) => x;
    const nan = round((attrs.nan as number | null) ?? 0);
    const posinf = round((attrs.posinf as number | null) ?? finfo(dtype).max);
    const neginf = round((attrs.neginf as number | null) ?? finfo(dtype).min);
    return (x) => (Number.isNaN(x) ? nan : x === Infinity ? posinf : x === -Infinity ? neginf : x);
  },
  wgsl: { kind: 'elementwise', half: 'table' },
  gradName: 'NanToNum',
  gradient: {
    saves: { inputs: [0] },
    backward: ({ b, gradOutput, inputs: [x] }) => [b.mul(gradOutput, b.op('isfinite', [x]))],
  },
  samples: [vector([1, -0, Number.NaN, Infinity, -Infinity]), vector([Number.NaN, Infinity], { nan: 2, posinf: 3 })],
});

export const copysign = elementwise({
  name: 'copysign',
  doc: '|self| with the sign of other, zeros included.',
  params: 'self: Tensor, other: Operand',
  promotion: 'promote-float',
  f32: (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
  wgsl: 'host',
  gradName: 'Copysign',
  gradient: {
    saves: { inputs: [0], outputs: [0] },
    backward: ({ b, gradOutput, inputs: [x], outputs: [y] }) => {
      const ratio = b.where(b.eq(x, 0), 0, b.div(y, x));
      return [b.mul(gradOutput, ratio), b.full(gradOutput, gradOutput.shape, 0)];
    },
  },
  samples: [vectors([1, -2, 0, -0, 3], [-1, 1, -0, 0, 2])],
});

export const heaviside = elementwise({
  name: 'heaviside',
  doc: '0 where self < 0, values where self is 0, 1 where self > 0; NaN gives 0.',
  params: 'self: Tensor, values: Tensor',
  promotion: 'same',
  check: ([x, values]) => {
    if (x.dtype === values.dtype) return;
    throw new TorchError('RuntimeError', 'heaviside is not yet implemented for tensors with different dtypes.');
  },
  f32: (x, value) => (x === 0 ? value : x > 0 ? 1 : 0),
  wgsl: 'host',
  gradient: 'not differentiable',
  samples: [vectors([0, -1, 2, Number.NaN], [0.5, 0.5, 0.5, 0.5])],
});
