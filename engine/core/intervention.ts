/**
 * What-ifs on a traced run: one op, found by its place in the run, is computed otherwise, and the run goes on from there. The counterfactuals of
 * the first-nonfinite tracer are such runs: the same script, the same kernels, one difference.
 */
import { isFloating, isHalf } from '../formats/dtype';
import type { Plan } from './dispatch';
import type { Engine } from './engine';
import { type Input, NumberOperand, Tensor } from './tensor';

export interface Intervention {
  /** `nth` of the op in the trace of the run as written. */
  readonly at: number;
  /**
   * 'float32': the op's 16-bit inputs are cast up and autocast leaves it alone, as in an island with autocast disabled and .float() on its
   * inputs; its result stays float32, and an op that takes one dtype only and meets it has its 16-bit inputs cast up too.
   * A number: the op's first floating input is multiplied by it.
   */
  readonly change: 'float32' | number;
}

const isHalfTensor = (x: Input): x is Tensor => x instanceof Tensor && isHalf(x.dtype);

/** The inputs of the op that the intervention is about. */
export function intervene(engine: Engine, change: Intervention['change'], inputs: readonly Input[]): Input[] {
  if (change === 'float32') return inputs.map((x) => (isHalfTensor(x) ? engine.cast(x, 'float32') : x));
  const first = inputs.findIndex((x) => x instanceof Tensor && isFloating(x.dtype));
  return inputs.map((x, i) => {
    if (i !== first) return x;
    const paused = engine.autocastPaused;
    engine.autocastPaused = true;
    try {
      return engine.op('mul', [x, new NumberOperand(change, 'float')], { wrapped_1: true })[0];
    } finally {
      engine.autocastPaused = paused;
    }
  });
}

/** Downstream of a widened op: inputs of an op that refuses mixed dtypes (a matrix product, say) meet in float32. */
export function meetInFloat32(engine: Engine, plan: Plan, inputs: readonly Input[]): readonly Input[] {
  if (plan.record.promotion !== 'same') return inputs;
  const wide = inputs.some((x) => x instanceof Tensor && x.dtype === 'float32');
  if (!wide || !inputs.some(isHalfTensor)) return inputs;
  return inputs.map((x) => (isHalfTensor(x) ? engine.cast(x, 'float32') : x));
}
