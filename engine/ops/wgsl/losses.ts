/** mse_loss and its backward: the losses of single elements, each rounded to the dtype, then the reduction in its own order. */
import { roundToDtype } from '../../formats/host-elements';
import type { WgslElementwise } from '../record';
import { elementwisePlan } from './elementwise';
import { isConstant, type KernelCall, type KernelPlan, numel } from './kernel';
import { meanPlan, sumPlan } from './reduce';

const MEAN = 1;
const NONE = 0;
/** (a - b)^2, the difference rounded before it is squared. */
const square: WgslElementwise = { kind: 'elementwise', bits: 'squared(round_(f32_sub(a, b)))' };
/** h(h(slope * h(b - c)) * a): a is the gradient that comes in, slope is 2 / n for the mean and 2 for the sum. */
const slope: WgslElementwise = {
  kind: 'elementwise',
  bits: 'f32_mul(round_(f32_mul(slope, round_(f32_sub(b, c)))), a)',
  parameters: { slope: 2 },
};

export function mseLossPlan(call: KernelCall): KernelPlan | null {
  const [a, b] = call.inputs;
  const [out] = call.outputs;
  const each = elementShape(call.inputs);
  if (!each || a.dtype !== b.dtype) return null;
  const losses = elementwisePlan({ ...call, outputs: [{ dtype: out.dtype, shape: each }] }, square);
  if (call.attrs.reduction === NONE || !losses) return losses;
  const temporary = losses.temporaries?.length ?? 0;
  const reduce = call.attrs.reduction === MEAN ? meanPlan : sumPlan;
  const reduction = reduce({
    ...call,
    inputs: [{ dtype: out.dtype, shape: [numel(each)], strides: [1], offset: 0 }],
    attrs: { dim: null, keepdim: false, dtype: null },
  });
  if (!reduction || reduction.temporaries?.length) return null;
  return {
    ...losses,
    temporaries: [...(losses.temporaries ?? []), 4 * numel(each)],
    dispatches: [
      ...losses.dispatches.map((d) => ({
        ...d,
        bindings: d.bindings.map((bind) =>
          bind.from === 'output' ? { ...bind, from: 'temporary' as const, index: temporary } : bind,
        ),
      })),
      ...reduction.dispatches.map((d) => ({
        ...d,
        bindings: d.bindings.map((bind) =>
          bind.from === 'input' ? { ...bind, from: 'temporary' as const, index: temporary } : bind,
        ),
      })),
    ],
  };
}

export function mseLossBackwardPlan(call: KernelCall): KernelPlan | null {
  const [out] = call.outputs;
  const n = numel(out.shape);
  const factor = roundToDtype(2 * (call.attrs.reduction === MEAN ? 1 / n : 1), out.dtype);
  if (call.inputs.some((input) => input.dtype !== out.dtype)) return null;
  return elementwisePlan({ ...call, attrs: { slope: factor } }, slope);
}

/** The broadcast shape of two operands. */
function elementShape(inputs: KernelCall['inputs']): number[] | null {
  const shapes = inputs.map((input) => (isConstant(input) ? [] : input.shape));
  const rank = Math.max(...shapes.map((shape) => shape.length));
  const shape = Array.from({ length: rank }, (_, d) => Math.max(...shapes.map((s) => s[d - rank + s.length] ?? 1)));
  return shape.includes(0) ? null : shape;
}
