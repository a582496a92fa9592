/**
 * nll_loss over rows of log-probabilities and its backward, without class weights. The forward adds in the dtype itself, row after row in
 * eight cascaded accumulators (ops/nll-loss.ts), so one invocation does it; the backward is one element an invocation. A target outside
 * the classes is reported as a fault, which the backend raises at the next read.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { TorchError } from '../record';
import './convert';
import './softfloat';
import { narrowing, widening } from './elementwise';
import {
  faultWord,
  groupSize,
  isConstant,
  type KernelCall,
  type KernelPlan,
  mainHead,
  storage,
  uniformWords,
} from './kernel';
import { PlanBuilder } from './lines';
import { link } from './link';

const NONE = 0;
const MEAN = 1;
const faults = [(word: number) => new TorchError('IndexError', `Target ${word | 0} is out of bounds.`)];
const fault = { from: 'fault', index: 0, access: 'read_write' } as const;

export function nllPlan(call: KernelCall): KernelPlan | null {
  const [input, target, weight] = call.inputs;
  const { reduction, ignore_index: ignored } = call.attrs as Record<string, number>;
  if (isConstant(input) || isConstant(target) || weight || input.shape.length !== 2 || reduction === NONE) return null;
  const { dtype } = call.outputs[0];
  if ((dtype !== 'float32' && !isHalf(dtype)) || target.dtype !== 'int64') return null;
  const builder = new PlanBuilder();
  const x = builder.contiguous(input, 0);
  const t = builder.contiguous(target, 1);
  if (!x || !t) return null;
  const uniforms = new Uint32Array(uniformWords);
  uniforms.set([input.shape[0], input.shape[1], x.offset, t.offset, ignored >>> 0]);
  builder.dispatches.push({
    key: `nll_loss ${dtype} ${reduction}`,
    source: () => forward(dtype, reduction === MEAN),
    bindings: [
      { from: x.from, index: x.index, access: 'read' },
      { from: t.from, index: t.index, access: 'read' },
      { from: 'output', index: 0, access: 'read_write' },
      fault,
    ],
    uniforms,
    workgroups: 1,
  });
  return { ...builder.plan(), faults };
}

export function nllBackwardPlan(call: KernelCall): KernelPlan | null {
  const [grad, target, weight] = call.inputs;
  const { reduction, ignore_index: ignored } = call.attrs as Record<string, number>;
  const { dtype, shape } = call.outputs[0];
  if (isConstant(grad) || isConstant(target) || weight || shape.length !== 2 || reduction === NONE) return null;
  if ((dtype !== 'float32' && !isHalf(dtype)) || grad.dtype !== dtype || target.dtype !== 'int64') return null;
  const builder = new PlanBuilder();
  const t = builder.contiguous(target, 1);
  if (!t) return null;
  const [rows, classes] = shape;
  const uniforms = new Uint32Array(uniformWords);
  uniforms.set([rows, classes, grad.offset, t.offset, ignored >>> 0]);
  const value = builder.temporary(4);
  builder.dispatches.push(
    {
      key: `nll_loss_backward value ${dtype} ${reduction}`,
      source: () => backwardValue(dtype, reduction === MEAN),
      bindings: [
        { from: 'input', index: 0, access: 'read' },
        { from: t.from, index: t.index, access: 'read' },
        { from: 'temporary', index: value, access: 'read_write' },
        fault,
      ],
      uniforms,
      workgroups: 1,
    },
    {
      key: `nll_loss_backward ${isHalf(dtype) ? 16 : 32}`,
      source: () => backward(isHalf(dtype)),
      bindings: [
        { from: 'temporary', index: value, access: 'read' },
        { from: t.from, index: t.index, access: 'read' },
        { from: 'output', index: 0, access: 'read_write' },
      ],
      uniforms,
      workgroups: Math.ceil((isHalf(dtype) ? Math.ceil((rows * classes) / 2) : rows * classes) / groupSize),
    },
  );
  return { ...builder.plan(), faults };
}

const head = (dtype: DType) => {
  const [widen, narrow] = [widening(dtype), narrowing(dtype)];
  return `@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'X', 'u32', 'read')}${storage(2, 'Target', 'u32', 'read')}${storage(3, 'Out', 'u32', 'read_write')}${storage(4, 'Faults', 'u32', 'read_write')}
fn x_at(p: u32) -> u32 { return ${widen ? `${widen}((X[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu)` : 'X[p]'}; }
fn narrow_(x: u32) -> u32 { return ${narrow ? `${narrow}(x)` : 'x'}; }
fn round_(x: u32) -> u32 { return ${narrow ? `${widen}(${narrow}(x))` : 'x'}; }
fn in_bounds(t: u32) -> bool {
  // 0 is always a class, so the offending target itself says that there is one.
  if (t >= U[0].y) { Faults[${faultWord}] = t; }
  return t < U[0].y;
}
`;
};

// loss = -sum of x[i, target[i]], each addition rounded; the mean divides by the number of rows that count.
const forward = (dtype: DType, mean: boolean) =>
  link(`${head(dtype)}
@compute @workgroup_size(1)
fn main() {
  let rows = U[0].x;
  var levels: array<u32, 8>;
  var counted = 0u;
  for (var i = 0u; i < rows; i++) {
    let t = Target[U[0].w + i];
    if (t == U[1].x || !in_bounds(t)) { continue; }
    counted++;
    levels[0] = round_(f32_sub(levels[0], x_at(U[0].z + i * U[0].y + t)));
    // Blocks of 16 rows are carried to the next level.
    for (var j = 0u; j < 7u; j++) {
      if (((i >> (4u * j)) & 15u) != 0u) { break; }
      levels[j + 1u] = round_(f32_add(levels[j + 1u], levels[j]));
      levels[j] = 0u;
    }
  }
  var total = 0u;
  for (var j = 0u; j < 8u; j++) { total = round_(f32_add(total, levels[j])); }
  ${mean ? 'total = f32_div(total, round_(i32_to_f32(counted)));' : ''}
  Out[0] = narrow_(total);
}
`);

// value = -h(grad / h(rows that count)), or -grad for the sum; as a stored pattern.
const backwardValue = (dtype: DType, mean: boolean) =>
  link(`${head(dtype)}
@compute @workgroup_size(1)
fn main() {
  var counted = 0u;
  for (var i = 0u; i < U[0].x; i++) {
    let t = Target[U[0].w + i];
    if (t == U[1].x || !in_bounds(t)) { continue; }
    counted++;
  }
  let g = x_at(U[0].z);
  let v = ${mean ? 'round_(f32_div(g, round_(i32_to_f32(counted))))' : 'g'};
  Out[0] = narrow_(v ^ 0x80000000u);
}
`);

// out[i, c] = value where c is the target of row i, else 0.
const backward = (half: boolean) => /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'Value', 'u32', 'read')}${storage(2, 'Target', 'u32', 'read')}${storage(3, 'Out', 'u32', 'read_write')}
fn at(p: u32) -> u32 {
  let row = p / U[0].y;
  let t = Target[U[0].w + row];
  return select(0u, Value[0], t != U[1].x && t == p - row * U[0].y);
}
${mainHead}
  let n = U[0].x * U[0].y;
${
  half
    ? `  var w = 0u;
  for (var j = i * 2u; j < min(i * 2u + 2u, n); j++) { w |= at(j) << ((j & 1u) << 4u); }
  if (i * 2u < n) { Out[i] = w; }`
    : '  if (i < n) { Out[i] = at(i); }'
}
}
`;
