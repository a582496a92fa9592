/** From an op call to its kernels: the record's `wgsl` field names the builder. */
import type { KernelCall, KernelPlan } from './kernel';

/** The dispatches that compute this call, or null where no kernel covers it and the reference has to serve it. */
export function planFor(call: KernelCall): KernelPlan | null {
  const { wgsl } = call.record;
  if (wgsl === 'host') return null;
  return null;
}
