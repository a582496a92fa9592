/** The Builder that gradient formulas are written with: every call is a differentiable op, outside autocast. */
import type { DType } from '../formats/dtype';
import type { Attrs, Builder, Value } from '../ops/record';
import { call, planOf } from './dispatch';
import type { Engine } from './engine';
import { asInput } from './op-node';
import { type Device, type Input, NumberOperand, type Tensor } from './tensor';
import { expandView, reshapeView, sliceView, transposeView, unsqueezeView } from './views';

const none: Attrs = {};

/** Records see which inputs are numbers by `wrapped_<i>` (record.ts, ParamList). */
function withWrapped(inputs: readonly Input[], attrs: Attrs): Attrs {
  let out = attrs;
  inputs.forEach((x, i) => {
    if (x instanceof NumberOperand) out = { ...out, [`wrapped_${i}`]: true };
  });
  return out;
}

export class GradientBuilder implements Builder {
  constructor(private readonly engine: Engine) {}

  ops(name: string, inputs: readonly (Value | number)[], attrs: Attrs = none): Tensor[] {
    const { engine } = this;
    const paused = engine.autocastPaused;
    engine.autocastPaused = true;
    try {
      const converted: Input[] = inputs.map((x) =>
        typeof x === 'number' ? new NumberOperand(x, 'float') : asInput(x),
      );
      return call(engine, planOf(name), converted, withWrapped(converted, attrs));
    } finally {
      engine.autocastPaused = paused;
    }
  }

  op(name: string, inputs: readonly (Value | number)[], attrs: Attrs = none): Tensor {
    return this.ops(name, inputs, attrs)[0];
  }

  add(a: Value, b: Value | number): Value {
    return this.op('add', [a, b]);
  }
  sub(a: Value | number, b: Value | number): Value {
    return typeof a === 'number' ? this.op('rsub', [b, a]) : this.op('sub', [a, b]);
  }
  mul(a: Value, b: Value | number): Value {
    return this.op('mul', [a, b]);
  }
  div(a: Value | number, b: Value | number): Value {
    return typeof a === 'number' ? this.op('mul', [this.op('reciprocal', [b]), a]) : this.op('div', [a, b]);
  }
  neg(a: Value): Value {
    return this.op('neg', [a]);
  }
  exp(a: Value): Value {
    return this.op('exp', [a]);
  }
  where(condition: Value, a: Value | number, b: Value | number): Value {
    return this.op('where', [condition, a, b]);
  }
  eq(a: Value, b: Value | number): Value {
    return this.op('eq', [a, b]);
  }
  gt(a: Value, b: Value | number): Value {
    return this.op('gt', [a, b]);
  }
  lt(a: Value, b: Value | number): Value {
    return this.op('lt', [a, b]);
  }
  ge(a: Value, b: Value | number): Value {
    return this.op('ge', [a, b]);
  }
  le(a: Value, b: Value | number): Value {
    return this.op('le', [a, b]);
  }
  sum(a: Value, dims: readonly number[] | null, keepdim: boolean): Value {
    return this.op('sum', [a], { dim: dims, keepdim, dtype: null });
  }
  cast(a: Value, dtype: DType): Value {
    const input = asInput(a);
    return input.dtype === dtype && !(input instanceof NumberOperand) ? input : this.op('_to_copy', [a], { dtype });
  }
  matmul(a: Value, b: Value): Value {
    return this.op('matmul', [a, b]);
  }
  transpose(a: Value, d0: number, d1: number): Value {
    return transposeView(this.engine, asInput(a) as Tensor, d0, d1);
  }
  reshape(a: Value, shape: readonly number[]): Value {
    return reshapeView(this.engine, asInput(a) as Tensor, shape);
  }
  unsqueeze(a: Value, dim: number): Value {
    return unsqueezeView(this.engine, asInput(a) as Tensor, dim);
  }
  expand(a: Value, shape: readonly number[]): Value {
    return expandView(this.engine, asInput(a) as Tensor, shape);
  }
  slice(a: Value, dim: number, start: number, stop: number, step = 1): Value {
    return sliceView(this.engine, asInput(a) as Tensor, dim, start, stop, step);
  }
  full(like: Value, shape: readonly number[], value: number, dtype?: DType): Value {
    // Tensors and what stands for unsaved ones have a device; a number has none.
    const { device } = like as { readonly device?: Device };
    if (device === undefined) throw new Error('full: `like` is a number; use gradOutput');
    return this.engine.full(shape, value, dtype ?? like.dtype, device);
  }
}
