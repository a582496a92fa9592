/** embedding (rows of a table by index), its backward, and cat and stack. */
import { isHalf } from '../../formats/dtype';
import { normalizeDim } from '../dimensions';
import { TorchError } from '../record';
import { copyPlan } from './copy';
import { narrowing, widening } from './elementwise';
import {
  type Dispatch,
  faultWord,
  groupSize,
  isConstant,
  type KernelCall,
  type KernelPlan,
  mainHead,
  numel,
  storage,
  uniformWords,
} from './kernel';
import { PlanBuilder } from './lines';
import { link } from './link';

const faults = [() => new TorchError('IndexError', 'index out of range in self')];

export function embeddingPlan(call: KernelCall): KernelPlan | null {
  const [weight, indices] = call.inputs;
  const [out] = call.outputs;
  if (isConstant(weight) || isConstant(indices)) return null;
  const builder = new PlanBuilder();
  const w = builder.contiguous(weight, 0);
  const t = builder.contiguous(indices, 1);
  if (!w || !t) return null;
  const half = isHalf(out.dtype);
  const n = numel(out.shape);
  const uniforms = new Uint32Array(uniformWords);
  uniforms.set([n, weight.shape[1], weight.shape[0], w.offset, t.offset]);
  builder.dispatches.push({
    key: `embedding ${half ? 16 : 32}`,
    source: () => lookUp(half),
    bindings: [
      { from: w.from, index: w.index, access: 'read' },
      { from: t.from, index: t.index, access: 'read' },
      { from: 'output', index: 0, access: 'read_write' },
      { from: 'fault', index: 0, access: 'read_write' },
    ],
    uniforms,
    workgroups: Math.ceil((half ? Math.ceil(n / 2) : n) / groupSize),
  });
  return { ...builder.plan(), faults };
}

// out[r, c] = weight[index[r], c]. A fault word is never 0: it is the index + 1.
const lookUp = (half: boolean) => /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'Weight', 'u32', 'read')}${storage(2, 'Index', 'u32', 'read')}${storage(3, 'Out', 'u32', 'read_write')}${storage(4, 'Faults', 'u32', 'read_write')}
fn at(p: u32) -> u32 {
  let row = p / U[0].y;
  let index = Index[U[1].x + row];
  if (index >= U[0].z) {
    Faults[${faultWord}] = 1u;
    return 0u;
  }
  let q = U[0].w + index * U[0].y + (p - row * U[0].y);
  return ${half ? '(Weight[q >> 1u] >> ((q & 1u) << 4u)) & 0xffffu' : 'Weight[q]'};
}
${mainHead}
  let n = U[0].x;
${
  half
    ? `  var w = 0u;
  for (var j = i * 2u; j < min(i * 2u + 2u, n); j++) { w |= at(j) << ((j & 1u) << 4u); }
  if (i * 2u < n) { Out[i] = w; }`
    : '  if (i < n) { Out[i] = at(i); }'
}
}
`;

export function embeddingBackwardPlan(call: KernelCall): KernelPlan | null {
  const [grad, indices] = call.inputs;
  const [out] = call.outputs;
  if (isConstant(grad) || isConstant(indices)) return null;
  const { dtype } = out;
  if (dtype !== 'float32' && !isHalf(dtype)) return null;
  const builder = new PlanBuilder();
  const g = builder.contiguous(grad, 0);
  const t = builder.contiguous(indices, 1);
  if (!g || !t) return null;
  const half = isHalf(dtype);
  const n = numel(out.shape);
  const uniforms = new Uint32Array(uniformWords);
  uniforms.set([n, out.shape[1], numel(indices.shape), g.offset, t.offset, (call.attrs.padding_idx as number) >>> 0]);
  const [widen, narrow] = [widening(dtype), narrowing(dtype)];
  builder.dispatches.push({
    key: `embedding_dense_backward ${dtype}`,
    // Each element of the table adds up its own rows in order, every addition rounded.
    source: () =>
      link(/* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'Grad', 'u32', 'read')}${storage(2, 'Index', 'u32', 'read')}${storage(3, 'Out', 'u32', 'read_write')}
fn at(p: u32) -> u32 {
  let row = p / U[0].y;
  var total = 0u;
  if (row == U[1].y) { return 0u; }
  for (var k = 0u; k < U[0].z; k++) {
    if (Index[U[1].x + k] != row) { continue; }
    let q = U[0].w + k * U[0].y + (p - row * U[0].y);
    let sum = f32_add(total, ${half ? `${widen}((Grad[q >> 1u] >> ((q & 1u) << 4u)) & 0xffffu)` : 'Grad[q]'});
    total = ${half ? `${widen}(${narrow}(sum))` : 'sum'};
  }
  return ${half ? `${narrow}(total)` : 'total'};
}
${mainHead}
  let n = U[0].x;
${
  half
    ? `  var w = 0u;
  for (var j = i * 2u; j < min(i * 2u + 2u, n); j++) { w |= at(j) << ((j & 1u) << 4u); }
  if (i * 2u < n) { Out[i] = w; }`
    : '  if (i < n) { Out[i] = at(i); }'
}
}
`),
    bindings: [
      { from: g.from, index: g.index, access: 'read' },
      { from: t.from, index: t.index, access: 'read' },
      { from: 'output', index: 0, access: 'read_write' },
    ],
    uniforms,
    workgroups: Math.ceil((half ? Math.ceil(n / 2) : n) / groupSize),
  });
  return builder.plan();
}

/** cat and stack: each tensor is copied through its window on the output. */
export function joinPlan(call: KernelCall): KernelPlan | null {
  const [out] = call.outputs;
  const stacks = call.record.name === 'stack';
  const dim = normalizeDim(call.attrs.dim as number, out.shape.length);
  const strides = out.shape.map((_, d) => numel(out.shape.slice(d + 1)));
  const dispatches: Dispatch[] = [];
  let offset = 0;
  for (const [k, input] of call.inputs.entries()) {
    if (isConstant(input) || input.dtype !== out.dtype) return null;
    const window = stacks ? strides.filter((_, d) => d !== dim) : strides;
    const copy = copyPlan({ dtype: out.dtype, shape: input.shape, strides: window, offset }, input, false);
    if (!copy) return null;
    for (const dispatch of copy.dispatches) {
      dispatches.push({
        ...dispatch,
        bindings: dispatch.bindings.map((b) => (b.from === 'input' ? { ...b, index: k } : b)),
      });
    }
    offset += strides[dim] * (stacks ? 1 : input.shape[dim]);
  }
  return { dispatches };
}
