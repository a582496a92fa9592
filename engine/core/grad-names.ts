/**
 * How `grad_fn` names an op: "AddBackward0". PyTorch numbers the overloads of one op (tools/autograd/derivatives.yaml, in order) and names
 * composite ops by the last op that they call; both are told apart here by shapes and attributes.
 */
import { isHalf } from '../formats/dtype';
import type { Attrs, OpRecord, Value } from '../ops/record';

type Naming = (inputs: readonly Value[], attrs: Attrs) => string;

const hasDims = (attrs: Attrs): boolean => attrs.dim !== undefined && attrs.dim !== null;

const special: Readonly<Record<string, Naming>> = {
  sum: (_, attrs) => (hasDims(attrs) ? 'SumBackward1' : 'SumBackward0'),
  mean: (_, attrs) => (hasDims(attrs) ? 'MeanBackward1' : 'MeanBackward0'),
  prod: (_, attrs) => (hasDims(attrs) ? 'ProdBackward1' : 'ProdBackward0'),
  max: () => 'MaxBackward1',
  min: () => 'MinBackward1',
  rsub: (_, attrs) => (attrs.wrapped_1 ? 'RsubBackward1' : 'RsubBackward0'),
  pow: (_, attrs) => (attrs.wrapped_0 ? 'PowBackward2' : attrs.wrapped_1 ? 'PowBackward0' : 'PowBackward1'),
  lerp: (_, attrs) => (attrs.wrapped_2 ? 'LerpBackward0' : 'LerpBackward1'),
  clamp: (_, attrs) => (attrs.wrapped_1 ? 'ClampBackward1' : 'ClampBackward0'),
  // Composites, named by their last op.
  l1_loss: (_, { reduction }) => ['AbsBackward0', 'MeanBackward0', 'SumBackward0'][reduction as number],
  rms_norm: ([input]) => (isHalf(input.dtype) ? 'ToCopyBackward0' : 'MulBackward0'),
  cosine_similarity: () => 'SumBackward1',
  matmul: ([a, b]) =>
    a.shape.length > 2 || b.shape.length > 2
      ? 'UnsafeViewBackward0'
      : b.shape.length === 2
        ? 'MmBackward0'
        : a.shape.length === 2
          ? 'MvBackward0'
          : 'DotBackward0',
  linear: ([input], attrs) => {
    const rank = input.shape.length;
    if (attrs.has_bias) return rank === 2 ? 'AddmmBackward0' : 'ViewBackward0';
    return rank === 2 ? 'MmBackward0' : rank === 1 ? 'SqueezeBackward4' : 'UnsafeViewBackward0';
  },
};

export function gradNameOf(record: OpRecord, inputs: readonly Value[], attrs: Attrs): string {
  const naming = special[record.name];
  if (naming !== undefined) return naming(inputs, attrs);
  const base = record.gradName ?? record.name;
  return /Backward\d*$/.test(base) ? base : `${base}Backward0`;
}

/** Ops that PyTorch lets through the forward and refuses in backward: "derivative for aten::floor_divide is not implemented". */
export const derivativeNotImplemented: ReadonlySet<string> = new Set(['floor_divide', 'heaviside']);

/** Ops without an overload for numbers: PyTorch wraps those as tensors, and next_functions has a None for them. */
export const numbersAreTensors: ReadonlySet<string> = new Set([
  'add',
  'sub',
  'mul',
  'div',
  'maximum',
  'minimum',
  'where',
]);
