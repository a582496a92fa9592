/** Op calls: slots, laid out by the record's `params`, become inputs and attrs (docs/ARCHITECTURE.md, "Bridge"). */
import { call, callInPlace, callInto, type Plan, planOf } from '../../core/dispatch';
import type { Engine } from '../../core/engine';
import { type Input, NumberOperand } from '../../core/tensor';
import { type Attrs, type AttrValue, opTable, type Scalar } from '../../ops/record';
import type { Handles } from './handles';

/** What crosses the boundary. */
export type Slot = number | bigint | string | boolean | null | undefined;

const kindNames: readonly Scalar['kind'][] = ['float', 'bool', 'int', 'float'];

interface Decoder {
  readonly plan: Plan;
  readonly params: readonly { readonly name: string; readonly kind: string; readonly has: string }[];
}

const decoders = new Map<string, Decoder>();

function decoderOf(op: string): Decoder {
  const known = decoders.get(op);
  if (known !== undefined) return known;
  const plan = planOf(op);
  const params = plan.record.params
    .split(',')
    .map((p) => p.trim())
    .filter((p) => p !== '')
    .map((p) => {
      const [name, kind] = p.split(':').map((s) => s.trim());
      return { name, kind, has: `has_${name}` };
    });
  const decoder = { plan, params };
  decoders.set(op, decoder);
  return decoder;
}

const toNumber = (x: Slot): number => {
  if (typeof x === 'number') return x;
  if (typeof x === 'bigint' || typeof x === 'boolean') return Number(x);
  throw new Error(`a number was expected in a slot, not ${String(x)}`);
};

const wrappedNames = ['wrapped_0', 'wrapped_1', 'wrapped_2', 'wrapped_3'];

function decode(
  decoder: Decoder,
  handles: Handles,
  slots: readonly Slot[],
  at: number,
): { inputs: Input[]; attrs: Attrs } {
  const inputs: Input[] = [];
  const attrs: Record<string, AttrValue> = {};
  const { params } = decoder;
  for (let p = 0; p < params.length; p++) {
    const { name, kind, has } = params[p];
    switch (kind) {
      case 'Tensor':
        inputs.push(handles.get(toNumber(slots[at++])));
        break;
      case 'Tensor?': {
        const handle = toNumber(slots[at++]);
        attrs[has] = handle !== 0;
        if (handle !== 0) inputs.push(handles.get(handle));
        break;
      }
      case 'Tensor[]': {
        const n = toNumber(slots[at++]);
        for (let i = 0; i < n; i++) inputs.push(handles.get(toNumber(slots[at++])));
        break;
      }
      case 'Operand':
      case 'Operand?': {
        const first = toNumber(slots[at++]);
        const value = toNumber(slots[at++]);
        if (kind === 'Operand?') attrs[has] = first !== 0;
        if (first > 0) inputs.push(handles.get(first));
        else if (first < 0) {
          attrs[wrappedNames[inputs.length] ?? `wrapped_${inputs.length}`] = true;
          inputs.push(new NumberOperand(value, kindNames[-first]));
        }
        break;
      }
      case 'Scalar':
      case 'Scalar?': {
        const code = toNumber(slots[at++]);
        const value = toNumber(slots[at++]);
        attrs[name] = code === 0 ? null : { value, kind: kindNames[-code] };
        break;
      }
      case 'int[]':
      case 'int[]?': {
        const n = toNumber(slots[at++]);
        if (n < 0) {
          attrs[name] = null;
          break;
        }
        const list = new Array<number>(n);
        for (let i = 0; i < n; i++) list[i] = toNumber(slots[at++]);
        attrs[name] = list;
        break;
      }
      case 'int':
      case 'float':
        attrs[name] = toNumber(slots[at++]);
        break;
      case 'bool':
        attrs[name] = Boolean(slots[at++]);
        break;
      default: {
        // str, dtype?, int?, float?
        const x = slots[at++];
        attrs[name] = typeof x === 'bigint' ? Number(x) : (x ?? null);
      }
    }
  }
  if (at !== slots.length) {
    throw new Error(`${decoder.plan.record.name}: ${slots.length} slots for "${decoder.plan.record.params}"`);
  }
  return { inputs, attrs };
}

export function opFunctions(engine: Engine, handles: Handles) {
  return {
    /** op(name, ...slots): runs an op; the handle of its first output, further outputs have the following integers. */
    op(name: string, ...slots: Slot[]): number {
      try {
        const decoder = decoderOf(name);
        const { inputs, attrs } = decode(decoder, handles, slots, 0);
        return handles.addAll(call(engine, decoder.plan, inputs, attrs));
      } finally {
        engine.sweep();
      }
    },
    /** op_(name, target, ...slots): the same in place. `slots` are all of the op's, starting with `target` itself again. */
    op_(name: string, target: number, ...slots: Slot[]): number {
      try {
        const decoder = decoderOf(name);
        const { inputs, attrs } = decode(decoder, handles, slots, 0);
        if (inputs[0] !== handles.get(target)) throw new Error(`${name}_: the first input must be the target`);
        callInPlace(engine, decoder.plan, inputs, attrs);
        return target;
      } finally {
        engine.sweep();
      }
    },
    /** op_into(name, n, ...n targets, ...slots): runs an op and stores output i in target i. For ops that write several tensors. */
    op_into(name: string, n: number, ...rest: Slot[]): void {
      try {
        const decoder = decoderOf(name);
        const { inputs, attrs } = decode(decoder, handles, rest, n);
        callInto(
          engine,
          decoder.plan,
          inputs,
          attrs,
          rest.slice(0, n).map((h) => handles.get(toNumber(h))),
        );
      } finally {
        engine.sweep();
      }
    },
    /** op_params(name): the record's parameter list ("self: Tensor, other: Operand"), or null for an unknown op. */
    op_params(name: string): string | null {
      return opTable.get(name)?.params ?? null;
    },
    /** op_names(): every registered op, comma-separated. */
    op_names(): string {
      return [...opTable.keys()].join(',');
    },
  };
}
