/**
 * linalg_vector_norm for ord = 2, in the reference's order (ops/norms.ts): contiguous numbers go through eight lanes, one an invocation of a
 * workgroup; then the lanes and the tail are added one by one. Numbers that are not neighbours are added in order.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { groupDims, reducedDims } from '../dimensions';
import './convert';
import './softfloat';
import { narrowing, widening } from './elementwise';
import { isConstant, type KernelCall, type KernelPlan, numel, storage } from './kernel';
import { PlanBuilder } from './lines';
import { link } from './link';
import { packDispatch } from './pack';

const at = { outputs: 0, count: 1, offset: 2, stride: 3, keptRank: 4, keptDims: 8, keptStrides: 16 } as const;

export function normPlan(call: KernelCall): KernelPlan | null {
  const [input] = call.inputs;
  const [out] = call.outputs;
  const { ord, dim } = call.attrs;
  const float = (dtype: DType) => dtype === 'float32' || isHalf(dtype);
  if (isConstant(input) || (ord !== 2 && ord !== null && ord !== undefined)) return null;
  if (!float(input.dtype) || !(out.dtype === input.dtype || out.dtype === 'float32')) return null;
  const groups = groupDims(input.shape, reducedDims(dim, input.shape.length));
  const reduced = groups.filter((g) => g.reduced);
  const kept = groups.filter((g) => !g.reduced);
  const line = reduced[0] ?? { size: 1, stride: 1 };
  if (reduced.length > 1 || kept.length > 8) return null;
  const builder = new PlanBuilder();
  const source = builder.contiguous(input, 0);
  if (!source) return null;
  const outputs = numel(out.shape);
  const uniforms = new Uint32Array(32);
  uniforms.set([outputs, line.size, source.offset, line.stride, kept.length]);
  kept.forEach((g, d) => {
    uniforms[at.keptDims + d] = g.size;
    uniforms[at.keptStrides + d] = g.stride;
  });
  const inner = line.stride === 1;
  const half = isHalf(out.dtype);
  const result = half
    ? ({ from: 'temporary', index: builder.temporary(4 * outputs), access: 'read_write' } as const)
    : ({ from: 'output', index: 0, access: 'read_write' } as const);
  builder.dispatches.push({
    key: `norm ${input.dtype}>${out.dtype} ${inner}`,
    source: () => text(input.dtype, out.dtype, inner),
    bindings: [{ from: source.from, index: source.index, access: 'read' }, result],
    uniforms,
    workgroups: outputs,
  });
  if (half) builder.dispatches.push(packDispatch({ ...result, access: 'read' }, outputs));
  return builder.plan();
}

function text(dtype: DType, out: DType, inner: boolean): string {
  const widen = widening(dtype);
  const narrow = narrowing(out);
  const perVector = isHalf(out) ? 16 : 8;
  return link(/* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'X', 'u32', 'read')}${storage(2, 'Out', 'u32', 'read_write')}
fn x(p: u32) -> u32 { return ${widen ? `${widen}((X[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu)` : 'X[p]'}; }
var<workgroup> lanes: array<u32, 8>;
@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>, @builtin(local_invocation_index) me: u32) {
  let i = min(wg.y * nwg.x + wg.x, U[0].x - 1u);
  var start = U[0].z;
  var rest = i;
  for (var d = 0u; d < U[1].x; d++) {
    let size = U[(${at.keptDims}u + d) >> 2u][(${at.keptDims}u + d) & 3u];
    let q = rest / size;
    start += (rest - q * size) * U[(${at.keptStrides}u + d) >> 2u][(${at.keptStrides}u + d) & 3u];
    rest = q;
  }
  let count = U[0].y;
  let full = ${inner ? `count / ${perVector}u * ${perVector}u` : '0u'};
  var acc = 0u;
  for (var k = me; k < full; k += 8u) {
    let v = x(start + k);
    acc = f32_add(acc, f32_mul(v, v));
  }
  lanes[me] = acc;
  workgroupBarrier();
  if (me != 0u) { return; }
  var total = 0u;
  for (var l = 0u; l < 8u; l++) { total = f32_add(total, lanes[l]); }
  // ${inner ? 'The first 4k of the tail are products rounded before they are added; the last ones are fused.' : 'Every product is rounded before it is added.'}
  let plain = ${inner ? 'full + (count - full) / 4u * 4u' : 'count'};
  for (var k = full; k < plain; k++) {
    let v = x(start + k * U[0].w);
    total = f32_add(total, f32_mul(v, v));
  }
  for (var k = plain; k < count; k++) {
    let v = x(start + k);
    total = f32_fma(v, v, total);
  }
  let r = f32_sqrt(total);
  Out[i] = ${narrow ? `${narrow}(r)` : 'r'};
}
`);
}
