/** Calls ops through the bridge, with promotion and autocast, as Python does. */
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { opTable } from '@/engine/ops/record';
import { type Bridge, createBridge } from '@/engine/session/bridge';

/** A tensor of the bridge under test. */
export class Handle {
  constructor(readonly h: number) {}
}

/** A Python int, as opposed to a float. */
export class Int {
  constructor(readonly value: number) {}
}
export const int = (value: number): Int => new Int(value);

export type Argument = Handle | Int | number | boolean | string | null;

const slotsOf: Readonly<Record<string, (x: Argument) => (number | boolean | string | null)[]>> = {
  Tensor: (x) => [(x as Handle).h],
  Operand: (x) => (x instanceof Handle ? [x.h, 0] : number(x)),
  'Operand?': (x) => (x === null ? [0, 0] : x instanceof Handle ? [x.h, 0] : number(x)),
  Scalar: (x) => number(x),
  'Scalar?': (x) => (x === null ? [0, 0] : number(x)),
};

function number(x: Argument): number[] {
  if (x instanceof Int) return [-2, x.value];
  if (typeof x === 'boolean') return [-1, Number(x)];
  if (typeof x === 'number') return [-3, x];
  throw new Error(`not a number: ${String(x)}`);
}

export class Dispatch {
  readonly b: Bridge = createBridge();

  op(name: string, ...args: Argument[]): Handle {
    const record = opTable.get(name);
    if (!record) throw new Error(`no op "${name}"`);
    const kinds = record.params.split(',').map((part) => part.split(':')[1].trim());
    const slots = kinds.flatMap((kind, i) => {
      const arg = args[i] ?? null;
      if (arg === null && kind === 'Scalar') return number(int(1)); // alpha= and value= default to 1
      return slotsOf[kind]?.(arg) ?? [arg as number | boolean | string | null];
    });
    return new Handle(this.b.op(name, ...slots));
  }

  tensor(values: readonly number[], dtype: DType, shape: readonly number[] = [values.length]): Handle {
    return new Handle(this.b.from_values(Float64Array.from(values), dtype, 'cpu', ...shape));
  }

  dtype(x: Handle): string {
    return this.b.meta(x.h).split('|')[0];
  }

  bits(x: Handle): string {
    return this.b.bits(x.h) as string;
  }

  /** A tensor as the goldens write it. */
  host(x: Handle): Pick<HostTensor, 'dtype' | 'shape'> & { readonly bits: number[] } {
    const [dtype, , shape] = this.b.meta(x.h).split('|');
    const floating = dtype.includes('float');
    return {
      dtype: dtype as DType,
      shape: shape === '' ? [] : shape.split(',').map(Number),
      bits: this.bits(x)
        .split(' ')
        .map((word) => (floating ? Number.parseInt(word, 16) : Number(word))),
    };
  }
}
