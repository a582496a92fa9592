/**
 * Constructors for elementwise op records: they supply shape inference, broadcasting, the reference loop and rounding, so
 * that a record states only what is its own: the formula, the gradient, autocast, tolerance and samples.
 *
 * Formulas are functions of JavaScript numbers (doubles). What they return is rounded once on store: to float32, and for
 * float16 and bfloat16 from there to 16 bits, as PyTorch does, which computes these dtypes in float32 ("opmath"). A formula
 * of several float32 steps rounds each one itself with `f32` (Math.fround), and then gives `f64` for float64 tensors.
 */
import {
  allocateHost,
  type DType,
  type HostData,
  type HostTensor,
  isFloating,
  isHalf,
  scalarTypeName,
} from '../formats/dtype';
import { bfloat16, float16, float32 } from '../formats/float-format';
import { roundBfloat16, roundFloat16 } from '../formats/half';
import { type Elements, Int64RangeError, readElements, wrapInteger, writeElements } from '../formats/host-elements';
import { broadcastShapes, elementCount, type FlatOperand, flatOperand } from './broadcast';
import {
  type Attrs,
  type AutocastPolicy,
  type Builder,
  type Differentiable,
  defineOp,
  type GradientContext,
  type OpRecord,
  type Promotion,
  type Sample,
  type TensorSpec,
  type Tolerance,
  TorchError,
  type Value,
  type WgslElementwise,
  type WgslSource,
} from './record';

/** What a formula may depend on besides the elements. */
export interface KernelContext {
  readonly attrs: Attrs;
  /** The dtype computed in: that of the inputs after promotion. */
  readonly dtype: DType;
  readonly inputs: readonly TensorSpec[];
  /** Rounds to `dtype` (h in comments for 16-bit dtypes, float32 for float32; identity for float64 and integers). */
  readonly round: (x: number) => number;
  /** Rounds to the dtype of intermediate results: float32 for 16-bit and float32 tensors, identity otherwise. */
  readonly step: (x: number) => number;
}

export type Formula = (a: number, b: number, c: number) => number;

const identity = (x: number): number => x;

/** The rounding of one element of `dtype`. */
export function rounder(dtype: DType): (x: number) => number {
  if (dtype === 'float16') return roundFloat16;
  if (dtype === 'bfloat16') return roundBfloat16;
  return dtype === 'float32' ? Math.fround : identity;
}

/** How the formulas of a record are given; the most specific that applies is used. */
export interface Formulas {
  /** For float16, bfloat16 and float32 (and float64, where `f64` is absent). */
  readonly f32?: Formula;
  readonly f64?: Formula;
  /** For integers and bool. Without it they use f64, then f32. */
  readonly int?: Formula;
  /** For formulas that need attrs, the dtype or its rounding; wins over the others. */
  readonly kernel?: (context: KernelContext) => Formula;
}

function pickFormula(formulas: Formulas, attrs: Attrs, dtype: DType, inputs: readonly TensorSpec[]): Formula {
  if (formulas.kernel) {
    const step = isHalf(dtype) || dtype === 'float32' ? Math.fround : identity;
    return formulas.kernel({ attrs, dtype, inputs, round: rounder(dtype), step });
  }
  const { f32, f64, int } = formulas;
  const chosen = isFloating(dtype) ? (dtype === 'float64' ? (f64 ?? f32) : f32) : (int ?? f64 ?? f32);
  if (!chosen) throw new Error('a record has no formula for its dtype');
  return chosen;
}

/** The dtype in which inputs are computed: 16-bit where one input is (a one-element operand may be float32, see scalarOperand). */
export function computeDtype(inputs: readonly TensorSpec[]): DType {
  const half = inputs.find((input) => isHalf(input.dtype));
  return (half ?? inputs[0]).dtype;
}

/** Stores results: floats are rounded, integers wrap. Turns the engine's int64 range error into one that Python sees. */
export function store(dtype: DType, values: Elements): HostData {
  if (isFloating(dtype)) return writeElements(dtype, values);
  try {
    const out = allocateHost(dtype, values.length);
    for (let i = 0; i < values.length; i++) out[i] = wrapInteger(values[i], dtype);
    return out;
  } catch (error) {
    if (error instanceof Int64RangeError) throw new TorchError('RuntimeError', error.message);
    throw error;
  }
}

/** Applies a formula over broadcast inputs and stores the result in `out.dtype`. */
export function mapElements(inputs: readonly HostTensor[], out: TensorSpec, formula: Formula): HostData {
  const n = elementCount(out.shape);
  const operands = inputs.map((input) => flatOperand(readElements(input), input.shape, out.shape));
  if (isHalf(out.dtype) || out.dtype === 'float32') {
    // float32 here is the first of the two roundings of 16-bit dtypes.
    const results = new Float32Array(n);
    if (operands.every(isFloat32Operand)) fillFloat32(results, operands, formula);
    else fillAny(results, operands, formula);
    return out.dtype === 'float32' ? results : store(out.dtype, results);
  }
  const results = new Float64Array(n);
  fillAny(results, operands, formula);
  return out.dtype === 'float64' ? results : store(out.dtype, results);
}

interface Float32Operand {
  readonly values: Float32Array;
  readonly step: 0 | 1;
}
const isFloat32Operand = (x: FlatOperand): x is Float32Operand => x.values instanceof Float32Array;

/** out[i] = formula(a[i], b[i], c[i]) where every array is a Float32Array: engines compile loops over one kind of array far better. */
function fillFloat32(out: Float32Array, [a, b, c]: readonly Float32Operand[], formula: Formula): void {
  const n = out.length;
  const { values: va, step: sa } = a;
  if (!b) {
    for (let i = 0; i < n; i++) out[i] = formula(va[i * sa], 0, 0);
  } else if (!c) {
    const { values: vb, step: sb } = b;
    for (let i = 0; i < n; i++) out[i] = formula(va[i * sa], vb[i * sb], 0);
  } else {
    const { values: vb, step: sb } = b;
    const { values: vc, step: sc } = c;
    for (let i = 0; i < n; i++) out[i] = formula(va[i * sa], vb[i * sb], vc[i * sc]);
  }
}

/** The same for arrays of any kinds. */
function fillAny(out: Float32Array | Float64Array, [a, b, c]: readonly FlatOperand[], formula: Formula): void {
  const n = out.length;
  const { values: va, step: sa } = a;
  if (!b) {
    for (let i = 0; i < n; i++) out[i] = formula(va[i * sa], 0, 0);
  } else if (!c) {
    const { values: vb, step: sb } = b;
    for (let i = 0; i < n; i++) out[i] = formula(va[i * sa], vb[i * sb], 0);
  } else {
    const { values: vb, step: sb } = b;
    const { values: vc, step: sc } = c;
    for (let i = 0; i < n; i++) out[i] = formula(va[i * sa], vb[i * sb], vc[i * sc]);
  }
}

/** From this many elements on, a unary op of a 16-bit dtype looks its results up instead of computing them. */
const tableThreshold = 16384;
const tables = new Map<string, Uint16Array>();

/** All 65,536 results of a unary formula by input pattern; the last 64 tables are kept (128 KiB each). */
function tableOf(key: string, dtype: DType, formula: Formula): Uint16Array {
  const known = tables.get(key);
  if (known) return known;
  const shape = [65536];
  const data = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
  const table = mapElements([{ dtype, shape, data }], { dtype, shape }, formula) as Uint16Array;
  if (tables.size >= 64) tables.delete(tables.keys().next().value as string);
  tables.set(key, table);
  return table;
}

function lookUp(table: Uint16Array, bits: Uint16Array): Uint16Array {
  const out = new Uint16Array(bits.length);
  for (let i = 0; i < out.length; i++) out[i] = table[bits[i]];
  return out;
}

/** PyTorch's error for a dtype that an op's kernel doesn't have. */
export const notImplementedFor = (kernelName: string, dtype: DType): TorchError =>
  new TorchError('NotImplementedError', `"${kernelName}" not implemented for '${scalarTypeName[dtype]}'`);

const cppName: Partial<Record<DType, string>> = {
  float16: 'c10::Half',
  bfloat16: 'c10::BFloat16',
  float32: 'float',
  float64: 'double',
  int64: 'int64_t',
  int32: 'int',
  int16: 'int16_t',
  int8: 'int8_t',
  uint8: 'uint8_t',
  bool: 'bool',
};

const integerRange: Partial<Record<DType, readonly [number, number]>> = {
  int64: [-(2 ** 63), 2 ** 63],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int8: [-128, 127],
  // A negative number is allowed for unsigned types and wraps (c10::overflows with strict_unsigned = false).
  uint8: [-255, 255],
};

/** Whether a finite Python number is beyond the range of `dtype` (c10::overflows). Infinity and NaN never are for floating dtypes. */
export function overflows(value: number, dtype: DType): boolean {
  const range = integerRange[dtype];
  if (range) return !(value >= range[0] && value <= range[1]);
  if (!Number.isFinite(value)) return false;
  if (dtype === 'float16') return Math.abs(value) > float16.max;
  if (dtype === 'bfloat16') return Math.abs(value) > bfloat16.max;
  return dtype === 'float32' && Math.abs(value) > float32.max;
}

/** `value cannot be converted to type c10::Half without overflow` */
export const scalarOverflow = (dtype: DType): TorchError =>
  new TorchError('RuntimeError', `value cannot be converted to type ${cppName[dtype]} without overflow`);

/** Raises scalarOverflow if `value` doesn't fit. */
export function checkScalar(value: number, dtype: DType): void {
  if (overflows(value, dtype)) throw scalarOverflow(dtype);
}

/** A gradient formula that reads nothing but gradOutput, the inputs, or the output; saves exactly what it names. */
export const gradientOnly = (
  backward: (b: Builder, gradOutput: Value, g: GradientContext) => Value,
): Differentiable => ({
  saves: {},
  backward: (g) => [backward(g.b, g.gradOutput, g)],
});
export const gradientFromInput = (
  backward: (b: Builder, gradOutput: Value, input: Value, g: GradientContext) => Value,
): Differentiable => ({ saves: { inputs: [0] }, backward: (g) => [backward(g.b, g.gradOutput, g.inputs[0], g)] });
export const gradientFromOutput = (
  backward: (b: Builder, gradOutput: Value, output: Value, g: GradientContext) => Value,
): Differentiable => ({ saves: { outputs: [0] }, backward: (g) => [backward(g.b, g.gradOutput, g.outputs[0], g)] });

/** One element past rounding: what 16-bit results must be, everywhere. */
export const exactHalf: Tolerance = { ulp: 0, source: 'computed in float32, one rounding on store: defined bits' };
/** + - * / and selections are correctly rounded by IEEE 754. */
export const exactFloat32: Tolerance = { ulp: 0, source: 'IEEE 754 basic operation' };
/** PyTorch's own float32 library functions differ by this much between machines (SLEEF, MKL). */
export const libraryFloat32 = (ulp: number): Tolerance => ({
  ulp,
  source: 'vendor maths libraries behind PyTorch differ by this much',
});

export const noAutocast: OpRecord['autocast'] = { cpu: 'none', cuda: 'none' };
/** On CUDA's float32 list (aten/src/ATen/autocast_mode.h, AT_FORALL_FP32); the CPU list leaves it alone. */
export const cudaFloat32: OpRecord['autocast'] = { cpu: 'none', cuda: 'fp32' };

export interface ElementwiseOptions extends Formulas {
  readonly name: string;
  readonly doc: string;
  readonly params?: string;
  readonly promotion?: Promotion;
  readonly promotes?: readonly number[];
  readonly scalarOperand?: OpRecord['scalarOperand'];
  readonly gradName?: string;
  /** Position of the input whose dtype is the computing dtype, where that isn't any 16-bit one or the first. */
  readonly computeFrom?: number;
  /** dtype of the result, where it isn't the computing dtype. */
  readonly resultDtype?: (dtype: DType, attrs: Attrs) => DType;
  /** Name of ATen's kernel in the NotImplementedError for integers and bool; absent where they are allowed. */
  readonly floatOnly?: string;
  readonly validate?: OpRecord['validate'];
  /** Extra checks on specs and attrs; raises TorchError. */
  readonly check?: (inputs: readonly TensorSpec[], attrs: Attrs) => void;
  /** Checks that need the elements; raises TorchError. */
  readonly checkValues?: (inputs: readonly HostTensor[], attrs: Attrs) => void;
  readonly wgsl: WgslSource;
  readonly gradient: Differentiable | 'not differentiable';
  readonly autocast?: { readonly cpu: AutocastPolicy; readonly cuda: AutocastPolicy };
  readonly tolerance?: Partial<OpRecord['tolerance']>;
  readonly samples: readonly Sample[];
}

/** Fills in a record whose single output has the broadcast shape of its inputs. */
export function elementwise(options: ElementwiseOptions): OpRecord {
  const { name, doc, promotion = 'promote', promotes, scalarOperand, gradName, computeFrom } = options;
  const computing = (inputs: readonly TensorSpec[]): DType =>
    computeFrom === undefined ? computeDtype(inputs) : inputs[computeFrom].dtype;
  return defineOp({
    name,
    doc,
    params: options.params ?? 'self: Tensor',
    promotion,
    ...(promotes && { promotes }),
    ...(scalarOperand && { scalarOperand }),
    ...(gradName && { gradName }),
    ...(options.validate && { validate: options.validate }),
    infer: (inputs, attrs) => {
      const dtype = computing(inputs);
      if (options.floatOnly && !isFloating(dtype)) throw notImplementedFor(options.floatOnly, dtype);
      options.check?.(inputs, attrs);
      const shape = broadcastShapes(...inputs.map((input) => input.shape));
      return [{ dtype: options.resultDtype?.(dtype, attrs) ?? dtype, shape }];
    },
    reference: (inputs, attrs, outputs) => {
      options.checkValues?.(inputs, attrs);
      const formula = pickFormula(options, attrs, computing(inputs), inputs);
      const [x] = inputs;
      if (inputs.length === 1 && isHalf(x.dtype) && x.dtype === outputs[0].dtype && x.data.length >= tableThreshold) {
        const table = tableOf(`${name} ${x.dtype} ${JSON.stringify(attrs)}`, x.dtype, formula);
        return [lookUp(table, x.data as Uint16Array)];
      }
      return [mapElements(inputs, outputs[0], formula)];
    },
    wgsl: options.wgsl,
    gradient: options.gradient,
    autocast: options.autocast ?? noAutocast,
    tolerance: { half: exactHalf, float32: exactFloat32, ...options.tolerance },
    samples: options.samples,
  });
}

/** A call on one vector with these values. */
export const vector = (values: readonly number[], attrs?: Attrs): Sample => ({
  inputs: [{ shape: [values.length], values }],
  ...(attrs && { attrs }),
});

/** A call on two vectors. */
export const vectors = (...operands: readonly (readonly number[])[]): Sample => ({
  inputs: operands.map((values) => ({ shape: [values.length], values })),
});

export interface UnaryOptions extends Omit<ElementwiseOptions, 'wgsl' | 'samples' | 'params' | 'tolerance'> {
  /** Further parameters, after `self`. */
  readonly params?: string;
  /** WGSL for float32; 16-bit inputs use a table of all 65,536 results. Without it the reference serves float32. */
  readonly wgsl?: string | Omit<WgslElementwise, 'kind' | 'half'>;
  /** Units in the last place allowed for float32; 0 where the function is exactly defined. */
  readonly ulp?: number;
  readonly samples: readonly number[] | readonly Sample[];
}

/** A function of one element. Integers become float32 first ('promote-float') unless `promotion` says otherwise. */
export function unary(options: UnaryOptions): OpRecord {
  const { params, wgsl, ulp, samples, ...rest } = options;
  return elementwise({
    promotion: 'promote-float',
    ...rest,
    params: params ? `self: Tensor, ${params}` : 'self: Tensor',
    wgsl: { kind: 'elementwise', half: 'table', ...(typeof wgsl === 'string' ? { f32: wgsl } : wgsl) },
    tolerance: { float32: ulp ? libraryFloat32(ulp) : exactFloat32 },
    samples: samples.every((s) => typeof s === 'number')
      ? [vector(samples as readonly number[])]
      : (samples as readonly Sample[]),
  });
}

/** A comparison of two operands giving bool. Nothing flows back through it. */
export function comparison(options: {
  readonly name: string;
  readonly doc: string;
  readonly holds: (a: number, b: number) => boolean;
  readonly wgsl: WgslSource;
}): OpRecord {
  const { holds, ...rest } = options;
  return elementwise({
    ...rest,
    f32: (a, b) => (holds(a, b) ? 1 : 0),
    params: 'self: Tensor, other: Operand',
    resultDtype: () => 'bool',
    gradient: 'not differentiable',
    samples: [
      vectors([1, 2, 3, Number.NaN, 0, Infinity], [2, 2, 2, Number.NaN, -0, Infinity]),
      {
        inputs: [
          { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
          { shape: [], values: [3] },
        ],
      },
      {
        inputs: [
          { shape: [2, 1], values: [1, 2] },
          { shape: [3], values: [1, 2, 3] },
        ],
      },
    ],
  });
}
