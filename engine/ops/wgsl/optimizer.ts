/**
 * Optimizer and scaler steps as one kernel each: several tensors of one shape in, several out, every rounding where
 * ops/optimizer-steps.ts and ops/grad-scaler.ts have it. Flags choose the text, hyperparameters are uniforms.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { roundToDtype } from '../../formats/host-elements';
import type { Attrs } from '../record';
import './convert';
import './softfloat';
import { narrowing, widening } from './elementwise';
import {
  type Binding,
  f32Bits,
  groupSize,
  isConstant,
  type KernelCall,
  type KernelPlan,
  mainHead,
  numel,
  storage,
} from './kernel';
import { PlanBuilder } from './lines';
import { defineLibrary, link } from './link';

defineLibrary(/* wgsl */ `
fn lerp_small(a: u32, b: u32, w: u32) -> u32 {
  // |w| < 0.5: fma(w, b - a, a)
  return f32_fma(w, f32_sub(b, a), a);
}
fn lerp_large(a: u32, b: u32, rest: u32) -> u32 {
  // fma(-(b - a), 1 - w, b)
  return f32_fma(f32_sub(a, b), rest, b);
}
`);

interface Step {
  /** Names of the input tensors, in order; expressions use them. */
  readonly inputs: readonly string[];
  /** Scalars by name, as float32 values. */
  readonly scalars: Readonly<Record<string, number>>;
  /** WGSL statements over inputs (var) and scalars. */
  readonly body: string;
  /** Names of variables stored, one an output. */
  readonly outputs: readonly string[];
}

/** WGSL for `a + alpha b` as a tensor op of this dtype rounds it; `alpha` names a scalar. */
const addScaled = (dtype: DType, a: string, alpha: string, b: string, value: number): string => {
  if (value === 1) return `round_(f32_add(${a}, ${b}))`;
  if (value === -1) return `round_(f32_sub(${a}, ${b}))`;
  return isHalf(dtype) ? `round_(f32_add(${a}, round_(f32_mul(${alpha}, ${b}))))` : `f32_fma(${alpha}, ${b}, ${a})`;
};

function sgdStep(attrs: Attrs, dtype: DType): Step {
  const { lr, momentum, dampening, weight_decay: decay } = attrs as Record<string, number>;
  const q = (x: number) => roundToDtype(x, dtype);
  const lines: string[] = ['var s = g;'];
  if (attrs.maximize) lines.push('s = s ^ 0x80000000u;');
  if (decay !== 0) lines.push(`s = ${addScaled(dtype, 's', 'decay', 'p', decay)};`);
  if (momentum !== 0) {
    if (attrs.has_momentum_buffer)
      lines.push(`buf = ${addScaled(dtype, 'round_(f32_mul(buf, momentum))', 'blend', 's', 1 - dampening)};`);
    else lines.push('var buf = s;');
    lines.push(attrs.nesterov ? `s = ${addScaled(dtype, 's', 'look', 'buf', momentum)};` : 's = buf;');
  }
  lines.push(`p = ${addScaled(dtype, 'p', 'descend', 's', -lr)};`);
  return {
    inputs: attrs.has_momentum_buffer ? ['p', 'g', 'buf'] : ['p', 'g'],
    scalars: { decay: q(decay), momentum, blend: q(1 - dampening), look: q(momentum), descend: q(-lr) },
    body: lines.join('\n  '),
    outputs: momentum !== 0 ? ['p', 'buf'] : ['p'],
  };
}

function adamStep(attrs: Attrs, dtype: DType): Step | null {
  // With amsgrad there are nine tensors; WebGPU guarantees eight storage buffers a stage.
  if (attrs.has_max_exp_avg_sq) return null;
  const {
    lr,
    beta1,
    beta2,
    eps,
    weight_decay: decay,
    step_size: size,
    bias_correction2_sqrt: correction,
  } = attrs as Record<string, number>;
  const q = (x: number) => roundToDtype(x, dtype);
  const weight = Math.fround(1 - beta1);
  const lines: string[] = [];
  if (attrs.maximize) lines.push('g = g ^ 0x80000000u;');
  if (decay !== 0) {
    lines.push(
      attrs.decoupled ? 'p = round_(f32_mul(p, shrink));' : `g = ${addScaled(dtype, 'g', 'decay', 'p', decay)};`,
    );
  }
  lines.push(Math.abs(weight) < 0.5 ? 'm = round_(lerp_small(m, g, weight));' : 'm = round_(lerp_large(m, g, rest));');
  lines.push(
    'v = round_(f32_fma(f32_mul(square, g), g, round_(f32_mul(v, beta2))));',
    'let root = round_(f32_div(round_(f32_sqrt(v)), correction));',
    'p = round_(f32_add(p, f32_div(f32_mul(descend, m), round_(f32_add(root, eps)))));',
  );
  return {
    inputs: ['p', 'g', 'm', 'v'],
    scalars: {
      shrink: 1 - lr * decay,
      decay: q(decay),
      weight,
      rest: Math.fround(1 - weight),
      square: 1 - beta2,
      beta2,
      correction,
      eps: q(eps),
      descend: -size,
    },
    body: lines.join('\n  '),
    outputs: ['p', 'm', 'v'],
  };
}

export const sgdPlan = (call: KernelCall): KernelPlan | null => stepPlan(call, sgdStep);
export const adamPlan = (call: KernelCall): KernelPlan | null => stepPlan(call, adamStep);

/** Elements above which a software adapter leaves an optimizer step to the reference. */
const softwareLimit = 2 ** 15;

function stepPlan(call: KernelCall, stepOf: (attrs: Attrs, dtype: DType) => Step | null): KernelPlan | null {
  const [param] = call.inputs;
  const { dtype, shape } = call.outputs[0];
  if (isConstant(param) || (dtype !== 'float32' && !isHalf(dtype))) return null;
  // Measured on SwiftShader: 1.2 s for half a million float32 parameters, against 60 to 90 ms by way of the reference.
  if (call.adapter?.software && numel(shape) > softwareLimit) return null;
  const step = stepOf(call.attrs, dtype);
  // A scalar that doesn't fit a 16-bit dtype raises in the reference.
  if (!step || Object.values(step.scalars).some((x) => !Number.isFinite(x))) return null;
  const builder = new PlanBuilder();
  const uniforms = new Uint32Array(32);
  const bindings: Binding[] = [];
  const n = numel(shape);
  uniforms[0] = n;
  for (const [k] of step.inputs.entries()) {
    const input = call.inputs[k];
    const at = isConstant(input) ? null : builder.contiguous(input, k);
    if (!at) return null;
    uniforms[1 + k] = at.offset;
    bindings.push({ from: at.from, index: at.index, access: 'read' });
  }
  step.outputs.forEach((_, index) => {
    bindings.push({ from: 'output', index, access: 'read_write' });
  });
  Object.values(step.scalars).forEach((value, k) => {
    uniforms[8 + k] = f32Bits(value);
  });
  builder.dispatches.push({
    key: `${call.record.name} ${dtype} ${step.inputs.join()} ${step.body}`,
    source: () => text(step, dtype),
    bindings,
    uniforms,
    workgroups: Math.ceil((isHalf(dtype) ? Math.ceil(n / 2) : n) / groupSize),
  });
  return builder.plan();
}

function text({ inputs, scalars, body, outputs }: Step, dtype: DType): string {
  const half = isHalf(dtype);
  const [widen, narrow] = [widening(dtype), narrowing(dtype)];
  const u = (word: number) => `U[${word >> 2}u].${'xyzw'[word & 3]}`;
  let code = '@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;\n';
  inputs.forEach((name, k) => {
    code += storage(1 + k, `In_${name}`, 'u32', 'read');
  });
  outputs.forEach((name, k) => {
    code += storage(1 + inputs.length + k, `Out_${name}`, 'u32', 'read_write');
  });
  code += `fn round_(x: u32) -> u32 { return ${half ? `${widen}(${narrow}(x))` : 'x'}; }\n${mainHead}\n`;
  // Two 16-bit elements a word, one after the other, so that the body stands in the text once.
  code += `  let n = U[0].x;\n  let first = i * ${half ? 2 : 1}u;\n  if (first >= n) { return; }\n`;
  for (const name of outputs) code += `  var w_${name} = 0u;\n`;
  Object.keys(scalars).forEach((name, k) => {
    code += `  let ${name} = ${u(8 + k)};\n`;
  });
  code += `  for (var j = first; j < min(first + ${half ? 2 : 1}u, n); j++) {\n`;
  inputs.forEach((name, k) => {
    const at = `(j + ${u(1 + k)})`;
    code += half
      ? `  var ${name} = ${widen}((In_${name}[${at} >> 1u] >> ((${at} & 1u) << 4u)) & 0xffffu);\n`
      : `  var ${name} = In_${name}[${at}];\n`;
  });
  code += `  ${body}\n`;
  for (const name of outputs)
    code += half ? `  w_${name} |= ${narrow}(${name}) << ((j & 1u) << 4u);\n` : `  w_${name} = ${name};\n`;
  code += '  }\n';
  for (const name of outputs) code += `  Out_${name}[i] = w_${name};\n`;
  return link(`${code}}\n`);
}

/** (grad * inv_scale, found_inf): the flag is copied first, then set by any invocation that meets inf or NaN before the product. */
export function unscalePlan(call: KernelCall): KernelPlan | null {
  const [grad, found, inverse] = call.inputs;
  if (isConstant(grad) || isConstant(found) || isConstant(inverse)) return null;
  const { dtype, shape } = call.outputs[0];
  if (dtype !== 'float32' && !isHalf(dtype)) return null;
  const builder = new PlanBuilder();
  const at = builder.contiguous(grad, 0);
  if (!at) return null;
  const n = numel(shape);
  const half = isHalf(dtype);
  builder.dispatches.push(
    {
      key: 'found_inf copy',
      source: () => copyFlag,
      bindings: [
        { from: 'input', index: 1, access: 'read' },
        { from: 'output', index: 1, access: 'read_write' },
      ],
      uniforms: Uint32Array.of(found.offset, 0, 0, 0),
      workgroups: 1,
    },
    {
      key: `unscale ${dtype}`,
      source: () => unscale(dtype),
      bindings: [
        { from: at.from, index: at.index, access: 'read' },
        { from: 'input', index: 2, access: 'read' },
        { from: 'output', index: 0, access: 'read_write' },
        { from: 'output', index: 1, access: 'read_write' },
      ],
      uniforms: Uint32Array.of(n, at.offset, inverse.offset, 0),
      workgroups: Math.ceil((half ? Math.ceil(n / 2) : n) / groupSize),
    },
  );
  return builder.plan();
}

const copyFlag = /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'X', 'u32', 'read')}${storage(2, 'Found', 'u32', 'read_write')}
@compute @workgroup_size(1)
fn main() { Found[0] = X[U[0].x]; }
`;

function unscale(dtype: DType): string {
  const half = isHalf(dtype);
  const [widen, narrow] = [widening(dtype), narrowing(dtype)];
  return link(/* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'Grad', 'u32', 'read')}${storage(2, 'Inverse', 'u32', 'read')}${storage(3, 'Out', 'u32', 'read_write')}${storage(4, 'Found', 'atomic<u32>', 'read_write')}
${mainHead}
  let n = U[0].x;
  let first = i * ${half ? 2 : 1}u;
  if (first >= n) { return; }
  let inverse = Inverse[U[0].z];
  var w = 0u;
  for (var j = first; j < min(first + ${half ? 2 : 1}u, n); j++) {
    let p = j + U[0].y;
    let g = ${half ? `${widen}((Grad[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu)` : 'Grad[p]'};
    if ((g & 0x7f800000u) == 0x7f800000u) { atomicStore(&Found[0], 0x3f800000u); }
    let r = f32_mul(g, inverse);
    w |= ${half ? `${narrow}(r) << ((j & 1u) << 4u)` : 'r'};
  }
  Out[i] = w;
}
`);
}
