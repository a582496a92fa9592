/**
 * out[i] = f(a[i], b[i], c[i]) over broadcast, strided inputs.
 *
 * Operands reach the expression as float32 patterns (16-bit ones widened exactly), its result is narrowed by integer code on store:
 * for 16-bit dtypes this is PyTorch's "compute in float32, round once". An invocation makes one output word, which holds two 16-bit
 * elements. Two forms of every kernel: `flat`, where each operand is contiguous or a single element, and `strided` for everything else.
 * Big flat calls of cheap expressions, and of 16-bit sums and products, have a third, `wide` (wide.ts).
 * The expression is called in one place: compilers inline, and compile time is what a learner waits for.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { decodeFloat16 } from '../../formats/half';
import { writeElements } from '../../formats/host-elements';
import type { Attrs, Scalar, WgslElementwise } from '../record';
import './convert';
import './formulas';
import './softfloat';
import {
  type Binding,
  type Dispatch,
  f32Bits,
  groupSize,
  isConstant,
  type KernelCall,
  type KernelInput,
  type KernelPlan,
  mainHead,
  numel,
  storage,
} from './kernel';
import { link, reaches } from './link';
import { broadcastStrides, collapse } from './strides';
import { halfTable } from './table';
import { exponentTable, exponentTableName } from './transcendental';
import {
  markCount,
  repairGroups,
  repairMain,
  type Wide,
  wideForm,
  wideGroups,
  wideHalfForm,
  wideMain,
  wideMinimum,
} from './wide';

/** How an operand is read. */
type Mode = 'constant' | 'single' | 'flat' | 'strided';
interface OperandForm {
  readonly dtype: DType;
  readonly mode: Mode;
}

/** Words of the uniform slot. */
const word = { count: 0, rank: 1, offset: 4, dims: 8, strides: 16, parameters: 48 } as const;
const maxRank = 8;
const names = ['a', 'b', 'c'] as const;

/** `fits`: an int64 result is known to fit int32. */
export function elementwisePlan(call: KernelCall, wgsl: WgslElementwise, fits = false): KernelPlan | null {
  const { inputs, outputs } = call;
  const out = outputs[0];
  if (outputs.length !== 1 || inputs.length > 3) return null;
  // The device holds int64 as int32.
  if (inputs.some((x) => isConstant(x) && x.dtype === 'int64' && (x.constant | 0) !== x.constant)) return null;
  if (wgsl.half === 'table') {
    const plan = halfTable(call);
    if (plan) return plan;
  }
  const computeDtype = inputs.find((input) => isHalf(input.dtype))?.dtype ?? inputs[0].dtype;
  const parameters = Object.entries(wgsl.parameters ?? {});
  const expression = chooseExpression(wgsl, inputs, call.attrs, computeDtype, out.dtype, fits);
  if (!expression || parameters.length > 8) return null;

  const n = numel(out.shape);
  const { dims, strides } = collapse(
    out.shape,
    inputs.map((input) => (isConstant(input) ? [] : broadcastStrides(input, out.shape))),
  );
  if (dims.length > maxRank) return null;
  const uniforms = new Uint32Array(word.parameters + 8);
  uniforms[word.count] = n;
  uniforms[word.rank] = dims.length;
  uniforms.set(dims, word.dims);
  const forms = inputs.map((input, k): OperandForm => {
    if (isConstant(input)) {
      uniforms[word.offset + k] = constantPattern(input.constant, input.dtype);
      return { dtype: input.dtype, mode: 'constant' };
    }
    uniforms[word.offset + k] = input.offset;
    uniforms.set(strides[k], word.strides + k * maxRank);
    if (strides[k].every((stride) => stride === 0)) return { dtype: input.dtype, mode: 'single' };
    const flat = dims.length === 1 && strides[k][0] === 1;
    return { dtype: input.dtype, mode: flat ? 'flat' : 'strided' };
  });
  parameters.forEach(([name, fallback], k) => {
    const attr = call.attrs[name];
    const value =
      attr === undefined || attr === null ? fallback : typeof attr === 'object' ? (attr as Scalar).value : Number(attr);
    uniforms[word.parameters + k] = f32Bits(
      isHalf(computeDtype) && wgsl.roundParameters ? roundHalf(value, computeDtype) : value,
    );
  });

  const flat = forms.every((form) => form.mode !== 'strided');
  const kernelForms = flat
    ? forms
    : forms.map((f): OperandForm => (f.mode === 'flat' || f.mode === 'single' ? { ...f, mode: 'strided' } : f));
  const half = isHalf(out.dtype);
  const invocations = half ? Math.ceil(n / 2) : n;
  const bindings: Binding[] = [];
  inputs.forEach((input, index) => {
    if (!isConstant(input)) bindings.push({ from: 'input', index, access: 'read' });
  });
  const tables = reaches(expression.code, exponentTableName) ? [exponentTable] : [];
  if (tables.length > 0) bindings.push({ from: 'table', index: 0, access: 'read' });
  bindings.push({ from: 'output', index: 0, access: 'read_write' });
  // Where elements only move, dtypes of one width share a pipeline.
  const name = (dtype: DType) => (expression.moves ? (isHalf(dtype) ? '16' : '32') : dtype);
  const key = (form: string) =>
    `${expression.code} ${form} ${kernelForms.map((f) => `${name(f.dtype)}:${f.mode}`).join(',')}>${name(out.dtype)}`;
  const kernel = (form: Form): Dispatch => ({
    key: key(`${form.name}${form.wide?.half?.unpacks ? ' unpack' : ''}`),
    source: () =>
      source(
        kernelForms,
        out.dtype,
        computeDtype,
        expression,
        parameters.map(([name]) => name),
        form,
      ),
    bindings,
    uniforms,
    workgroups: Math.ceil(invocations / groupSize),
  });
  const wide =
    flat && n >= wideMinimum ? wideOf(expression, inputs, forms, out.dtype, call.adapter?.exactUnpack === true) : null;
  if (!wide) return { tables, dispatches: [kernel({ name: flat ? 'flat' : 'strided' })] };
  const first: Dispatch = { ...kernel({ name: 'wide', wide }), workgroups: wideGroups(wide, n) };
  if (!wide.certain) return { dispatches: [first] };
  // Marks come before the output: what the first kernel writes, the second reads.
  const withMarks = (access: Binding['access']): Binding[] => [
    ...bindings.slice(0, -1),
    { from: 'temporary', index: 0, access },
    bindings[bindings.length - 1],
  ];
  return {
    temporaries: [4 * markCount(wide, n)],
    dispatches: [
      { ...first, bindings: withMarks('read_write') },
      { ...kernel({ name: 'repair', wide }), bindings: withMarks('read'), workgroups: repairGroups(wide, n) },
    ],
  };
}

/** The wide form of a big flat call; null where it has none. Operands that are read in vec4s of words start on one. */
function wideOf(
  { code }: Expression,
  inputs: readonly KernelInput[],
  forms: readonly OperandForm[],
  out: DType,
  unpack: boolean,
): Wide | null {
  const starts = (elements: number) =>
    inputs.every((input, k) => isConstant(input) || forms[k].mode === 'single' || input.offset % elements === 0);
  const dtypes = [...inputs.map((input) => input.dtype), out];
  if (dtypes.every((dtype) => !isHalf(dtype))) return starts(4) ? wideForm(code) : null;
  return isHalf(out) && dtypes.every((dtype) => dtype === out) && starts(8) ? wideHalfForm(code, out, unpack) : null;
}

/** Which entry point a kernel has. */
interface Form {
  readonly name: 'flat' | 'strided' | 'wide' | 'repair';
  readonly wide?: Wide;
}

/** An expression and whether its operands are widened to float32 patterns or taken as stored. */
interface Expression {
  readonly code: string;
  readonly operands: 'float32' | 'stored' | 'f32';
  /** The result is an element as stored. */
  readonly moves?: boolean;
}

/** Shorter forms for operands that are all float16, where no float32 subnormal or overflow can occur. */
const float16Forms: Readonly<Record<string, string>> = {
  'f32_add(a, b)': 'f16_add(a, b)',
  'f32_sub(a, b)': 'f16_sub(a, b)',
  'f32_mul(a, b)': 'f16_mul(a, b)',
};

function chooseExpression(
  wgsl: WgslElementwise,
  inputs: readonly KernelInput[],
  attrs: Attrs,
  computeDtype: DType,
  out: DType,
  fits: boolean,
): Expression | null {
  const dtypes = inputs.map((input) => input.dtype);
  const condition =
    wgsl.condition === undefined || wgsl.condition === false
      ? -1
      : Number(wgsl.condition) - (wgsl.condition === true ? 1 : 0);
  const values = dtypes.filter((_, k) => k !== condition);
  // Moves values without looking at them: every dtype, as long as it stays the same.
  if (wgsl.stored && values.every((dtype) => dtype === out))
    return { code: wgsl.stored, operands: 'stored', moves: true };
  if (values.every((dtype) => dtype === 'float32' || isHalf(dtype))) {
    const code = typeof wgsl.bits === 'function' ? wgsl.bits(attrs, computeDtype) : wgsl.bits;
    const half = code && float16Forms[code];
    if (half && dtypes.every((dtype) => dtype === 'float16') && out === 'float16')
      return { code: half, operands: 'stored' };
    if (code) return { code, operands: 'float32' };
    if (wgsl.f32 && out !== 'int64') return { code: wgsl.f32, operands: 'f32' };
    return null;
  }
  const integer = values.every((dtype) => dtype === 'int32' || dtype === 'int64' || dtype === 'bool');
  // int64 results may leave int32's range, in which the device holds them: only the reference may make them.
  if (integer && wgsl.int && (fits || out !== 'int64')) return { code: wgsl.int, operands: 'stored' };
  return null;
}

function source(
  forms: readonly OperandForm[],
  out: DType,
  computeDtype: DType,
  { code, operands, moves }: Expression,
  parameters: readonly string[],
  { name, wide }: Form,
): string {
  const constant = (index: number) => `U[${index >> 2}u].${'xyzw'[index & 3]}`;
  let text = '@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;\n';
  let slot = 1;
  forms.forEach((form, k) => {
    if (form.mode === 'constant') return;
    text += storage(
      slot++,
      names[k].toUpperCase(),
      name === 'wide' && form.mode === 'flat' ? 'vec4<u32>' : 'u32',
      'read',
    );
  });
  if (reaches(code, exponentTableName)) text += storage(slot++, exponentTableName, 'u32', 'read');
  if (name === 'wide' && wide?.certain) text += storage(slot++, 'Marks', 'u32', 'read_write');
  if (name === 'repair') text += storage(slot++, 'Marks', 'u32', 'read');
  text += storage(slot, 'Out', name === 'wide' ? 'vec4<u32>' : 'u32', 'read_write');
  text += parameters
    .map((name, k) => `fn parameter_${name}() -> u32 { return ${constant(word.parameters + k)}; }\n`)
    .join('');

  // round_(x): rounds a float32 pattern to the dtype computed in, as a step of a formula does.
  const narrow = narrowing(computeDtype);
  text += `fn round_(x: u32) -> u32 { return ${narrow ? `${widening(computeDtype)}(${narrow}(x))` : 'x'}; }\n`;
  const widen = (k: number, pattern: string) => {
    const f = operands === 'stored' ? null : widening(forms[k].dtype);
    return f ? `${f}(${pattern})` : pattern;
  };
  const arguments_ = forms.map((_, k) => `${names[k]}: u32`).join(', ');
  // Operands of `f32` expressions are floats, and so is their result unless it is a bool.
  let body = code;
  if (operands === 'f32') {
    forms.forEach((form, k) => {
      if (form.dtype !== 'bool') body = body.replace(new RegExp(`\\b${names[k]}\\b`, 'g'), `bitcast<f32>(${names[k]})`);
    });
    if (out !== 'bool') body = `bitcast<u32>(${body})`;
  }
  for (const name of parameters) body = body.replace(new RegExp(`\\b${name}\\b`, 'g'), `parameter_${name}()`);
  if (out === 'bool' && !(operands === 'stored' && moves)) body = `select(0u, 1u, ${body})`;
  else if (operands !== 'stored' && narrowing(out)) body = `${narrowing(out)}(${body})`;
  text += `fn apply(${arguments_}) -> u32 { return ${body}; }\n`;
  if (wide && name === 'wide') {
    const twice = wide.packing === 2 ? ' * 0x10001u' : '';
    const vectors = forms.map((form, k) => (at: string) => {
      const offset = constant(word.offset + k);
      if (form.mode === 'constant') return `vec4<u32>(${offset}${twice})`;
      const buffer = names[k].toUpperCase();
      return form.mode === 'single'
        ? `vec4<u32>(${element(form, buffer, offset)}${twice})`
        : `${buffer}[(${offset} >> ${wide.packing + 1}u) + ${at}]`;
    });
    return link(text + wideMain(wide, vectors, constant(word.count)));
  }

  text += 'fn at(index: u32) -> u32 {\n';
  const strided = forms.map((form, k) => (form.mode === 'strided' ? k : -1)).filter((k) => k >= 0);
  for (const k of strided) text += `  var p${k} = ${constant(word.offset + k)};\n`;
  if (name === 'strided') {
    text += '  var rest = index;\n';
    text += `  for (var d = ${constant(word.rank)}; d > 0u; d--) {\n`;
    text += `    let size = U[(${word.dims - 1}u + d) >> 2u][(${word.dims - 1}u + d) & 3u];\n`;
    text += '    let q = rest / size;\n    let r = rest - q * size;\n';
    for (const k of strided) {
      const base = word.strides + k * maxRank - 1;
      text += `    p${k} += r * U[(${base}u + d) >> 2u][(${base}u + d) & 3u];\n`;
    }
    text += '    rest = q;\n  }\n';
  }
  const args = forms.map((form, k) => {
    const offset = constant(word.offset + k);
    if (form.mode === 'constant') return widen(k, offset);
    const index = form.mode === 'strided' ? `p${k}` : form.mode === 'single' ? offset : `${offset} + index`;
    return widen(k, element(form, names[k].toUpperCase(), index));
  });
  text += `  return apply(${args.join(', ')});\n}\n`;
  if (name === 'repair') return link(text + repairMain(wide!, constant(word.count)));
  text += mainHead;
  text += isHalf(out)
    ? `
  let n = ${constant(word.count)};
  var w = 0u;
  for (var j = i * 2u; j < min(i * 2u + 2u, n); j++) { w |= at(j) << ((j & 1u) << 4u); }
  if (i * 2u < n) { Out[i] = w; }
}
`
    : `
  if (i >= ${constant(word.count)}) { return; }
  Out[i] = at(i);
}
`;
  return link(text);
}

/** One element at a runtime index, as stored. */
const element = (form: OperandForm, name: string, index: string): string =>
  isHalf(form.dtype) ? `((${name}[(${index}) >> 1u] >> (((${index}) & 1u) << 4u)) & 0xffffu)` : `${name}[${index}]`;

export const widening = (dtype: DType): string | null =>
  dtype === 'float16' ? 'f16_to_f32' : dtype === 'bfloat16' ? 'bf16_to_f32' : null;
export const narrowing = (dtype: DType): string | null =>
  dtype === 'float16' ? 'f32_to_f16' : dtype === 'bfloat16' ? 'f32_to_bf16' : null;

/** A number as a word of its dtype: what the device would hold of a 0-dim tensor. */
export function constantPattern(value: number, dtype: DType): number {
  if (dtype === 'float64') return f32Bits(value);
  const data = writeElements(dtype, [value]);
  return dtype === 'float32' ? f32Bits(data[0]) : data[0] >>> 0;
}

const roundHalf = (value: number, dtype: DType): number => {
  const pattern = constantPattern(value, dtype);
  const bits = new Uint32Array(1);
  bits[0] = dtype === 'bfloat16' ? pattern << 16 : 0;
  if (dtype === 'bfloat16') return new Float32Array(bits.buffer)[0];
  return decodeFloat16(pattern);
};
