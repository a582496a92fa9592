/** From an op call to its kernels: the record's `wgsl` field names the builder. */
import { castPlan, fillPlan } from './cast';
import { elementwisePlan } from './elementwise';
import type { KernelBuilder, KernelCall, KernelPlan } from './kernel';
import { addedProductPlan, linearPlan, matmulPlan } from './matmul';
import { meanPlan, sumPlan } from './reduce';
import { softmaxPlan } from './softmax';

/** Builders by the name that records use. */
const kernels: Readonly<Record<string, KernelBuilder>> = {
  matmul: matmulPlan,
  linear: linearPlan,
  'added product': addedProductPlan,
  cast: castPlan,
  fill: fillPlan,
  sum: sumPlan,
  mean: meanPlan,
  softmax: softmaxPlan,
};

/** The dispatches that compute this call, or null where no kernel covers it and the reference has to serve it. */
export function planFor(call: KernelCall): KernelPlan | null {
  const { wgsl } = call.record;
  if (wgsl === 'host') return null;
  if (wgsl.kind === 'elementwise') return elementwisePlan(call, wgsl);
  const builder = kernels[wgsl.kernel];
  if (!builder) throw new Error(`op ${call.record.name}: no WGSL kernel is called "${wgsl.kernel}"`);
  return builder(call);
}
