/** What the records of activation functions share: reading scalar attrs, and the form of their backward kernels. */
import { elementwise, type Formulas } from './elementwise';
import type { Attrs, Builder, Differentiable, OpRecord, Sample, Scalar, Value, WgslSource } from './record';

export const scalarAttr = (attrs: Attrs, name: string, otherwise: number): number =>
  (attrs[name] as Scalar | undefined)?.value ?? otherwise;
export const float = (value: number): Scalar => ({ value, kind: 'float' });

export const activationSamples = [0, -0, 1, -1, 0.5, -3, 6, 20.5, 2 ** -24, Infinity, -Infinity, Number.NaN];
export const gradAndValue: readonly Sample[] = [
  {
    inputs: [
      { shape: [6], values: [1, -1, 2, 0.5, 3, 1] },
      { shape: [6], values: [0.5, -0.5, 0, 0.75, -0.25, 1] },
    ],
  },
];

export interface BackwardKernelOptions extends Formulas {
  readonly name: string;
  readonly doc: string;
  /** Parameters after gradOutput and x (or y). */
  readonly params?: string;
  /** f''(x) as ops, for gradients of gradients; null where it is 0 wherever it exists. */
  readonly second: ((b: Builder, x: Value, attrs: Attrs) => Value) | null;
  readonly samples?: readonly Sample[];
  readonly ulp?: number;
  readonly wgsl?: WgslSource;
}

/**
 * The backward kernel gradOutput * f'(x): an op of its own where PyTorch has one, because it rounds once where a composition of
 * multiplications would round several times in 16 bits.
 */
export function backwardKernel(options: BackwardKernelOptions): OpRecord {
  const { params, second, samples = gradAndValue, ulp = 2, name, wgsl = 'host', ...rest } = options;
  const gradient: Differentiable = {
    saves: { inputs: second ? [0, 1] : [1] },
    backward: ({ b, gradOutput, inputs: [g, x], attrs, needs }) => [
      b.op(name, [gradOutput, x], attrs),
      second && needs[1] ? b.mul(b.mul(gradOutput, g), second(b, x, attrs)) : null,
    ],
  };
  return elementwise({
    ...rest,
    name,
    params: `grad_output: Tensor, self: Tensor${params ? `, ${params}` : ''}`,
    wgsl,
    gradient,
    tolerance: { float32: { ulp, source: 'as the forward function' } },
    samples,
  });
}
