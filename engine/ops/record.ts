/**
 * What one op is: a single record, readable top to bottom. `defineOp` registers it; nothing else has to change to add
 * an op. A record imports formats only; it never knows a backend.
 */
import type { DType, HostData, HostTensor } from '../formats/dtype';

/** dtype and shape of an input or output. */
export interface TensorSpec {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A Python number that met a tensor op. `kind` drives type promotion ("wrapped number" in ATen). */
export interface Scalar {
  readonly value: number;
  readonly kind: 'bool' | 'int' | 'float';
}

export type AttrValue = number | boolean | string | null | Scalar | readonly number[];
export type Attrs = Readonly<Record<string, AttrValue>>;

/**
 * How the promoted dtype of the inputs is found.
 *  - 'promote': PyTorch's rules over all tensor inputs and scalars (add, mul, where, cat)
 *  - 'promote-float': the same, then integers become the default float dtype (div, exp, mean-like unary)
 *  - 'same': inputs are passed as they are; `infer` checks them and raises PyTorch's text on a mismatch (matmul, losses)
 */
export type Promotion = 'promote' | 'promote-float' | 'same';

/**
 * Parameters in calling order, as Python passes them over the bridge. One line of a small language:
 *   "self: Tensor, other: Operand, alpha: Scalar"
 * Kinds: Tensor | Tensor? | Tensor[] | Operand (Tensor or number) | Operand? | Scalar | Scalar? | int | int? | float | float? |
 *        bool | str | dtype? | int[] | int[]?
 * Tensor, Tensor?, Tensor[], Operand become `inputs` (an absent optional is dropped and named in attrs as `has_<name>: boolean`);
 * the others become attrs by name. An Operand that is a number becomes a 0-dim input (bool, int64 or float64 before
 * promotion, as in ATen) and sets the attr `wrapped_<i>: true`, where i is its position in `inputs`.
 */
export type ParamList = string;

/** Autocast's treatment, by PyTorch's own names (aten/src/ATen/autocast_mode.h). 'none': runs in its inputs' dtype. */
export type AutocastPolicy = 'lower_precision_fp' | 'fp32' | 'fp32_set_opt_dtype' | 'promote' | 'banned' | 'none';

export interface Tolerance {
  /** Units in the last place of the output dtype within which any implementation must lie. 0: exact bits. */
  readonly ulp: number;
  readonly source: string;
}

/**
 * How the WebGPU backend runs the op. 'host' means that the reference serves it (correct, slower, and visible in the
 * trace); 'table' means a 65,536-entry table made by the reference for 16-bit inputs; everything else is WGSL, owned by
 * engine/ops/wgsl/ and described there.
 */
export type WgslSource = 'host' | WgslElementwise | WgslKernel;
export interface WgslElementwise {
  readonly kind: 'elementwise';
  /** WGSL expression over f32 operands `a`, `b`, `c` giving f32; bool outputs give a WGSL bool. */
  readonly f32?: string;
  /** 'table': 16-bit inputs use 65,536 results of the reference. The object form is accepted and ignored: `bits` serves 16-bit inputs. */
  readonly half?: 'table' | { readonly float16: string; readonly bfloat16: string };
  /**
   * WGSL expression over float32 patterns (u32) `a`, `b`, `c` giving a pattern, or a WGSL bool for bool outputs; takes precedence over
   * `f32`. 16-bit operands are widened exactly and the result is rounded once. `round_(x)` rounds an intermediate to the dtype
   * computed in. Functions: engine/ops/wgsl/softfloat.ts. A function where the formula depends on attrs or the dtype computed in.
   */
  readonly bits?: string | ((attrs: Attrs, dtype: DType) => string | null);
  /** WGSL expression over elements as stored (u32), for ops that move values without computing; every dtype, inputs and output alike. */
  readonly stored?: string;
  /** WGSL expression over int32, int64 (held as int32) or bool elements (u32 words). */
  readonly int?: string;
  /** Which input is a bool condition, taking no part in the choice of an expression (true: the first). */
  readonly condition?: boolean | number;
  /** Scalar attrs that expressions may name, as float32 patterns, with the value of an absent one. */
  readonly parameters?: Readonly<Record<string, number>>;
  /** Whether PyTorch rounds those scalars to a 16-bit dtype first. */
  readonly roundParameters?: boolean;
}
export interface WgslKernel {
  readonly kind: 'kernel';
  /** Name of a kernel builder exported by engine/ops/wgsl/. */
  readonly kernel: string;
}

/**
 * A differentiable tensor as gradient formulas see it: opaque, shape and dtype readable. The engine's Tensor implements it.
 */
export interface Value {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The number itself, where the operand was a Python number and not a tensor. */
  readonly value?: number;
}

/**
 * Builder that gradient formulas use. Every call is itself a differentiable op (so create_graph works), runs outside
 * autocast, and accepts plain numbers where an operand is a scalar.
 */
export interface Builder {
  /** Any registered op by name: inputs in order, attrs by name. Returns its first output; `ops` returns all. */
  op(name: string, inputs: readonly (Value | number)[], attrs?: Attrs): Value;
  ops(name: string, inputs: readonly (Value | number)[], attrs?: Attrs): Value[];
  add(a: Value, b: Value | number): Value;
  sub(a: Value | number, b: Value | number): Value;
  mul(a: Value, b: Value | number): Value;
  div(a: Value | number, b: Value | number): Value;
  neg(a: Value): Value;
  exp(a: Value): Value;
  where(condition: Value, a: Value | number, b: Value | number): Value;
  /** Comparisons give bool tensors. */
  eq(a: Value, b: Value | number): Value;
  gt(a: Value, b: Value | number): Value;
  lt(a: Value, b: Value | number): Value;
  ge(a: Value, b: Value | number): Value;
  le(a: Value, b: Value | number): Value;
  sum(a: Value, dims: readonly number[] | null, keepdim: boolean): Value;
  cast(a: Value, dtype: DType): Value;
  matmul(a: Value, b: Value): Value;
  /** Views. */
  transpose(a: Value, d0: number, d1: number): Value;
  reshape(a: Value, shape: readonly number[]): Value;
  unsqueeze(a: Value, dim: number): Value;
  expand(a: Value, shape: readonly number[]): Value;
  slice(a: Value, dim: number, start: number, stop: number, step?: number): Value;
  /** A new tensor on the same device, filled with `value`. */
  full(like: Value, shape: readonly number[], value: number, dtype?: DType): Value;
}

/** What a gradient formula gets. Reading an input or output that `saves` doesn't list is an error at test time. */
export interface GradientContext {
  readonly b: Builder;
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  readonly attrs: Attrs;
  /** Gradient of the loss with respect to each output (null where an output wasn't used). */
  readonly gradOutputs: readonly (Value | null)[];
  /** gradOutputs[0], which is what nearly every op needs. */
  readonly gradOutput: Value;
  readonly needs: readonly boolean[];
}

export interface Differentiable {
  /** Which tensors the formula reads; everything else is released after the forward. */
  readonly saves: {
    readonly inputs?: readonly number[];
    readonly outputs?: readonly number[];
    /**
     * Which of these the gradient of input i reads (all of them where absent). What no wanted gradient reads isn't saved, as in
     * PyTorch: x * w keeps x only if w requires grad. The formula must then not touch it.
     */
    readonly readBy?: readonly { readonly inputs?: readonly number[]; readonly outputs?: readonly number[] }[];
  };
  /**
   * One gradient an input, or null. A gradient may have the broadcast shape and a wider dtype: dispatch sums it down to the
   * input's shape and casts it to the input's dtype.
   */
  readonly backward: (g: GradientContext) => readonly (Value | null)[];
}

export interface OpRecord {
  /** ATen's name without overload: "add", "_softmax" only where PyTorch's own public name is private. */
  readonly name: string;
  /** One sentence; shapes; edge cases (NaN, signed zero, empty). */
  readonly doc: string;
  readonly params: ParamList;
  readonly promotion: Promotion;
  /** Which inputs take part in promotion and are cast to its result; all of them by default. `where` leaves its condition out. */
  readonly promotes?: readonly number[];
  /**
   * The dtype in which a one-element operand is read when the result is 16-bit. PyTorch rounds it to the result dtype for add,
   * sub, remainder, pow ('result', the default) but only to float32 for mul and div ('float32'; second operand only: on the
   * left a 0-dim tensor is rounded to the result dtype). 'checked': as 'result', but a Python number whose finite magnitude is
   * beyond the result dtype's largest raises scalarOverflow (elementwise.ts); first operands are exempt (2e6 ** half is inf).
   */
  readonly scalarOperand?: 'result' | 'float32' | 'checked';
  /** Name as autograd prints it in messages ("Exp" gives `output 0 of Exp` and `<ExpBackward0>`). */
  readonly gradName?: string;
  /** Inputs (by parameter name) that PyTorch refuses to differentiate, and the function's name in its text. */
  readonly refusesGrad?: { readonly name: string; readonly inputs: readonly string[] };
  /**
   * Checks on the inputs as the caller gave them, before promotion (`1.5 - bool_tensor`); `value` where one is a Python number.
   * Raises TorchError.
   */
  readonly validate?: (inputs: readonly (TensorSpec & { readonly value?: number })[], attrs: Attrs) => void;
  /** Output specs from input specs (after promotion and casts). Raises TorchError with PyTorch's text on bad input. */
  readonly infer: (inputs: readonly TensorSpec[], attrs: Attrs) => readonly TensorSpec[];
  /** The definition: contiguous host inputs (not yet broadcast) to fresh contiguous host outputs, bit for bit what PyTorch's scalar path gives. */
  readonly reference: (
    inputs: readonly HostTensor[],
    attrs: Attrs,
    outputs: readonly TensorSpec[],
  ) => readonly HostData[];
  readonly wgsl: WgslSource;
  readonly gradient: Differentiable | 'not differentiable';
  readonly autocast: { readonly cpu: AutocastPolicy; readonly cuda: AutocastPolicy };
  readonly tolerance: { readonly half: Tolerance; readonly float32: Tolerance };
  /** Interesting inputs for table-driven tests: each entry is one call. Values are rounded to the dtype under test. */
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly inputs: readonly {
    readonly shape: readonly number[];
    readonly values: readonly number[];
    readonly dtype?: DType;
  }[];
  readonly attrs?: Attrs;
}

const table = new Map<string, OpRecord>();

/** Registers a record. A second record of the same name is an error. */
export function defineOp(record: OpRecord): OpRecord {
  if (table.has(record.name)) throw new Error(`op "${record.name}" is defined twice`);
  table.set(record.name, record);
  return record;
}

export const opTable: ReadonlyMap<string, OpRecord> = table;

/** An error that Python re-raises as `pythonType` with exactly this text. */
export class TorchError extends Error {
  constructor(
    readonly pythonType:
      | 'RuntimeError'
      | 'ValueError'
      | 'TypeError'
      | 'IndexError'
      | 'NotImplementedError'
      | 'AttributeError'
      | 'AssertionError',
    message: string,
  ) {
    super(message);
    this.name = pythonType;
  }
}
