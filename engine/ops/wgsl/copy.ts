/** Copies between strided windows. */
import type { KernelInput, KernelPlan, StridedInput } from './kernel';

/** Writes `source` through `destination`; `fresh` means that the destination is a whole contiguous buffer. */
export function copyPlan(_destination: StridedInput, _source: KernelInput, _fresh: boolean): KernelPlan | null {
  return null;
}
