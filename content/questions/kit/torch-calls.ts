/**
 * The engine as generators call it: on the reference backend, synchronously, an op by its name and its parameters' names. Autocast and
 * type promotion are the engine's own, so an answer is what the learner's script would print.
 */
import type { DType } from '@/engine/formats/dtype';
import { type Bridge, createBridge } from '@/engine/session/bridge';

/** A tensor by its handle. */
export interface T {
  readonly handle: number;
}

/** A Python number: int and float promote differently. */
export interface PythonNumber {
  readonly kind: 'int' | 'float';
  readonly value: number;
}

export const int = (value: number): PythonNumber => ({ kind: 'int', value });
export const float = (value: number): PythonNumber => ({ kind: 'float', value });

export type Argument = T | PythonNumber | readonly number[] | number | string | boolean | null;

type Slot = number | string | boolean | null;

const isTensor = (x: unknown): x is T => typeof x === 'object' && x !== null && 'handle' in x;
const isNumber = (x: unknown): x is PythonNumber => typeof x === 'object' && x !== null && 'kind' in x;
/** The bridge's codes for Python's numbers (docs/ARCHITECTURE.md, "Bridge"). */
const code = ({ kind }: PythonNumber): number => (kind === 'int' ? -2 : -3);

/** One engine for all questions: making one costs more than answering. */
let shared: Bridge | undefined;

export class TorchCalls {
  private readonly bridge = (shared ??= createBridge());
  private readonly handles: number[] = [];
  /** Ops run so far: an answer that ran none was made up. */
  calls = 0;

  /** torch.tensor(values, dtype=…): 0-dim from a number, one-dim from a list; `shape` for anything else. */
  tensor(
    values: number | readonly number[],
    dtype: DType,
    options: { readonly shape?: readonly number[]; readonly device?: 'cpu' | 'cuda' } = {},
  ): T {
    const flat = typeof values === 'number' ? [values] : values;
    const shape = options.shape ?? (typeof values === 'number' ? [] : [values.length]);
    return this.own(this.bridge.from_values([...flat], dtype, options.device ?? 'cpu', ...shape));
  }

  /** Runs an op and gives its first output. Arguments by the names in its record; those left out are null. */
  op(name: string, args: Readonly<Record<string, Argument>>): T {
    this.calls++;
    return this.own(this.bridge.op(name, ...this.slots(name, args)));
  }

  /** Runs an op with two outputs. */
  ops2(name: string, args: Readonly<Record<string, Argument>>): readonly [T, T] {
    const first = this.op(name, args);
    return [first, this.own(first.handle + 1)];
  }

  add = (self: T, other: T | PythonNumber): T => this.op('add', { self, other, alpha: int(1) });
  mul = (self: T, other: T | PythonNumber): T => this.op('mul', { self, other });
  div = (self: T, other: T | PythonNumber): T => this.op('div', { self, other });
  sum = (self: T): T => this.op('sum', { self });
  exp = (self: T): T => this.op('exp', { self });
  /** self.to(dtype) */
  to = (self: T, dtype: DType): T => {
    this.calls++;
    return this.own(this.bridge.cast(self.handle, dtype));
  };

  /** The only element. */
  item = (self: T): number => this.bridge.item(self.handle) as number;
  values = (self: T): number[] => Array.from(this.bridge.values(self.handle) as Float64Array);
  /** "torch.float16" */
  dtype = (self: T): string => `torch.${this.bridge.meta(self.handle).split('|')[0]}`;

  /** with torch.autocast(device, dtype=dtype): body() */
  autocast<R>(device: 'cpu' | 'cuda', dtype: DType, body: () => R): R {
    this.bridge.autocast_set(device, true, dtype);
    this.bridge.autocast_enter();
    try {
      return body();
    } finally {
      this.bridge.autocast_exit();
      this.bridge.autocast_set(device, false, dtype);
    }
  }

  /** Frees every tensor that was made here. */
  release(): void {
    for (const handle of this.handles.splice(0)) this.bridge.free(handle);
  }

  private own(handle: number): T {
    this.handles.push(handle);
    return { handle };
  }

  private slots(name: string, args: Readonly<Record<string, Argument>>): Slot[] {
    const params = this.bridge.op_params(name);
    if (params === null) throw new Error(`the engine has no op "${name}"`);
    const known = new Set<string>();
    const slots = params.split(',').flatMap((param): Slot[] => {
      const [key, kind] = param.split(':').map((part) => part.trim());
      known.add(key);
      const value = args[key] ?? null;
      const wrong = () => new Error(`${name}: argument "${key}" must be a ${kind}`);
      switch (kind) {
        case 'Tensor':
        case 'Tensor?':
          if (isTensor(value)) return [value.handle];
          if (value === null && kind === 'Tensor?') return [0];
          throw wrong();
        case 'Operand':
        case 'Operand?':
        case 'Scalar':
        case 'Scalar?':
          if (isTensor(value)) return [value.handle, 0];
          if (isNumber(value)) return [code(value), value.value];
          if (value === null && kind.endsWith('?')) return [0, 0];
          throw wrong();
        case 'int[]':
        case 'int[]?':
          if (Array.isArray(value)) return [value.length, ...(value as number[])];
          if (value === null) return [-1];
          throw wrong();
        default:
          if (isTensor(value) || isNumber(value) || Array.isArray(value)) throw wrong();
          if (value === null && !kind.endsWith('?')) return kind === 'bool' ? [false] : [0];
          return [value as Slot];
      }
    });
    for (const key of Object.keys(args)) if (!known.has(key)) throw new Error(`${name} has no parameter "${key}"`);
    return slots;
  }
}
