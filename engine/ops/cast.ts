/** Conversion between dtypes, copies, and filling. */
import { type DType, isFloating } from '../formats/dtype';
import { readElements, writeElements } from '../formats/host-elements';
import { elementCount } from './broadcast';
import { checkScalar, exactFloat32, exactHalf, gradientOnly, noAutocast, store, unary, vector } from './elementwise';
import { defineOp, type Scalar } from './record';

const specials = [0, -0, 1, -2.7, 0.1, 65504, 65519, 65520, 2 ** -24, 2 ** -25, 3e38, Infinity, -Infinity, Number.NaN];

export const toCopy = defineOp({
  name: '_to_copy',
  doc: 'self in another dtype: floats round to nearest even (a double through float32 to 16 bits), float to integer truncates, to bool is "not zero". Differentiable: the gradient is converted back.',
  params: 'self: Tensor, dtype: dtype',
  promotion: 'same',
  gradName: 'ToCopy',
  infer: ([input], attrs) => [{ dtype: (attrs.dtype as DType | null) ?? input.dtype, shape: input.shape }],
  reference: ([input], _, [out]) => {
    const elements = readElements(input);
    // Integers wrap to a narrower integer; floats truncate, with x86's result for NaN and out-of-range values.
    if (!isFloating(input.dtype) && !isFloating(out.dtype) && out.dtype !== input.dtype)
      return [store(out.dtype, elements)];
    return [writeElements(out.dtype, elements)];
  },
  wgsl: { kind: 'kernel', kernel: 'cast' },
  gradient: { saves: {}, backward: ({ gradOutput }) => [gradOutput] },
  autocast: noAutocast,
  tolerance: { half: exactHalf, float32: exactFloat32 },
  samples: [
    vector(specials, { dtype: 'float16' }),
    vector(specials, { dtype: 'bfloat16' }),
    vector(specials, { dtype: 'float32' }),
    vector([1.5, -2.7, 0], { dtype: 'int64' }),
    vector(specials, { dtype: 'bool' }),
  ],
});

export const clone = unary({
  name: 'clone',
  doc: 'A copy with its own memory; the gradient passes through.',
  promotion: 'same',
  f32: (x) => x,
  wgsl: { stored: 'a' },
  gradName: 'Clone',
  gradient: gradientOnly((_, gradOutput) => gradOutput),
  samples: specials,
});

export const fill = defineOp({
  name: 'fill',
  doc: 'A tensor like self, every element value. More than one element: a finite value beyond the dtype’s largest raises; one element becomes inf.',
  params: 'self: Tensor, value: Scalar',
  promotion: 'same',
  gradName: 'Fill',
  infer: ([input], attrs) => {
    const { value } = attrs.value as Scalar;
    if (elementCount(input.shape) > 1) checkScalar(value, input.dtype);
    return [{ dtype: input.dtype, shape: input.shape }];
  },
  reference: (_, attrs, [out]) => {
    const { value } = attrs.value as Scalar;
    return [writeElements(out.dtype, new Float64Array(elementCount(out.shape)).fill(value))];
  },
  wgsl: { kind: 'kernel', kernel: 'fill' },
  gradient: { saves: {}, backward: ({ b, gradOutput }) => [b.full(gradOutput, gradOutput.shape, 0)] },
  autocast: noAutocast,
  tolerance: { half: exactHalf, float32: exactFloat32 },
  samples: [vector([1, 2, 3], { value: { value: 0.1, kind: 'float' } })],
});
