/** What reductions and softmax share: a contiguous input, seen as lines along one dim or as groups of dims. */
import { copyPlan } from './copy';
import { type Dispatch, isContiguous, type KernelPlan, numel, type StridedInput } from './kernel';

/** Where a kernel finds an operand: bound directly, or copied to scratch memory first because its layout was not contiguous. */
export interface Contiguous {
  readonly offset: number;
  readonly from: 'input' | 'temporary';
  readonly index: number;
}

/** Collects the dispatches of a plan: copies of strided inputs first, then the kernel itself. */
export class PlanBuilder {
  readonly dispatches: Dispatch[] = [];
  readonly temporaries: number[] = [];

  /** Input `index` as contiguous memory; null where it can't be copied. */
  contiguous(input: StridedInput, index: number): Contiguous | null {
    if (isContiguous(input.shape, input.strides)) return { offset: input.offset, from: 'input', index };
    const destination = { dtype: input.dtype, shape: input.shape, strides: [], offset: 0 };
    const copy = copyPlan(destination, input, true);
    if (!copy) return null;
    const at = this.temporary(4 * numel(input.shape));
    for (const dispatch of copy.dispatches) {
      const bindings = dispatch.bindings.map((b) =>
        b.from === 'output' ? { ...b, from: 'temporary' as const, index: at } : { ...b, index },
      );
      this.dispatches.push({ ...dispatch, bindings });
    }
    return { offset: 0, from: 'temporary', index: at };
  }

  temporary(bytes: number): number {
    return this.temporaries.push(bytes) - 1;
  }

  plan(tables?: KernelPlan['tables']): KernelPlan {
    return { dispatches: this.dispatches, temporaries: this.temporaries, tables };
  }
}
