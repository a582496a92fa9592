/**
 * sum, mean and norm in ATen's order (ops/summation-order.ts), so that results have the reference's bits.
 *
 * The order gives 8 lanes x 4 cascades to a contiguous sum: with few outputs each gets its own invocation of a workgroup of 32; with many
 * outputs one invocation computes an output alone, lane by lane, which needs no barrier. Sums over an outer dim are one column an invocation.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { groupDims, reducedDims } from '../dimensions';
import './convert';
import './softfloat';
import { narrowing, widening } from './elementwise';
import { f32Bits, groupSize, isConstant, type KernelCall, type KernelPlan, mainHead, numel, storage } from './kernel';
import { PlanBuilder } from './lines';
import { defineLibrary, link } from './link';

/** Outputs from which on one invocation an output is better than a workgroup. */
const manyOutputs = 64;

defineLibrary(/* wgsl */ `
fn cascade(start: u32, step: u32, rows: u32) -> u32 {
  // summation-order.ts, cascade: blocks of at least 16 rows through four levels. value(p) is the element (or pair) at p.
  var ceil_log2 = 1u;
  if (rows > 2u) { ceil_log2 = 32u - countLeadingZeros(rows - 1u); }
  let power = max(4u, ceil_log2 / 4u);
  let block = 1u << power;
  let mask = block - 1u;
  var levels: array<u32, 4>;
  var row = 0u;
  var p = start;
  while (row < rows) {
    let end = min(row + block, rows);
    let full = end == row + block;
    var acc = levels[0];
    for (; row < end; row++) {
      acc = sum_add(acc, value(p));
      p += step;
    }
    levels[0] = acc;
    if (!full) { break; }
    for (var level = 1u; level < 4u; level++) {
      levels[level] = sum_add(levels[level], levels[level - 1u]);
      levels[level - 1u] = 0u;
      if ((row & (mask << (level * power))) != 0u) { break; }
    }
  }
  var total = levels[0];
  for (var level = 1u; level < 4u; level++) { total = sum_add(total, levels[level]); }
  return total;
}
fn row_sum(start: u32, step: u32, rows: u32) -> u32 {
  // Four cascades over rows 0, 4, 8 ..., 1, 5, 9 ... and so on; left-over rows go to the first; then the four are added.
  let quads = rows / 4u;
  var total = 0u;
  for (var g = 0u; g < 4u; g++) {
    var part = cascade(start + g * step, 4u * step, quads);
    for (var row = select(rows, quads * 4u, g == 0u); row < rows; row++) { part = sum_add(part, value(start + row * step)); }
    // A sum of at least one term is never -0, so adding the first part to 0 changes nothing.
    total = sum_add(total, part);
  }
  return total;
}
`);

type Kind = 'sum' | 'mean';

/** Words of the uniform slot. */
const at = {
  outputs: 0,
  count: 1,
  offset: 2,
  divisor: 3,
  stride: 4,
  columns: 5,
  keptRank: 6,
  wide: 7,
  keptDims: 8,
  keptStrides: 16,
} as const;

export const sumPlan = (call: KernelCall): KernelPlan | null => reductionPlan(call, 'sum');
export const meanPlan = (call: KernelCall): KernelPlan | null => reductionPlan(call, 'mean');

function reductionPlan(call: KernelCall, kind: Kind): KernelPlan | null {
  const [input] = call.inputs;
  const out = call.outputs[0];
  if (isConstant(input)) return null;
  const counting = input.dtype === 'bool' && out.dtype === 'int64';
  const floats = (dtype: DType) => dtype === 'float32' || isHalf(dtype);
  if (!counting && !(floats(input.dtype) && (out.dtype === input.dtype || out.dtype === 'float32'))) return null;
  const dims = reducedDims(call.attrs.dim, input.shape.length);
  const groups = groupDims(input.shape, dims);
  const reduced = groups.filter((g) => g.reduced);
  const kept = groups.filter((g) => !g.reduced);
  // Separate runs of reduced dims round between passes: the reference has that.
  if (reduced.length > 1) return null;
  const first = reduced[0] ?? { size: 1, stride: 1 };
  const outer = reduced.length > 0 && kept.length > 0 && kept[0].stride < first.stride;
  // mean sums in float32 order whatever the dtype; sum of 16-bit values reads them 16 at a time.
  const half = kind === 'sum' && isHalf(out.dtype);
  const walked = outer ? kept.slice(1) : kept;
  if (walked.length > 8) return null;

  const builder = new PlanBuilder();
  const source = builder.contiguous(input, 0);
  if (!source) return null;
  const outputs = numel(out.shape);
  const uniforms = new Uint32Array(32);
  uniforms[at.outputs] = outputs;
  uniforms[at.count] = first.size;
  uniforms[at.offset] = source.offset;
  uniforms[at.divisor] = f32Bits(dims.reduce((n, d) => n * input.shape[d], 1));
  uniforms[at.stride] = first.stride;
  uniforms[at.columns] = outer ? kept[0].size : 1;
  uniforms[at.wide] = outer && kept[0].size >= (half ? 16 : 8) ? 1 : 0;
  uniforms[at.keptRank] = walked.length;
  // Outermost last in groupDims; the output's index runs innermost first.
  walked.forEach((g, d) => {
    uniforms[at.keptDims + d] = g.size;
    uniforms[at.keptStrides + d] = g.stride;
  });
  const form = outer ? 'columns' : outputs >= manyOutputs || counting ? 'lines' : 'groups';
  builder.dispatches.push({
    key: `${kind} ${form} ${input.dtype}>${out.dtype} ${half ? 'half' : ''}`,
    source: () => text(kind, form, input.dtype, out.dtype, half, counting),
    bindings: [
      { from: source.from, index: source.index, access: 'read' },
      { from: 'output', index: 0, access: 'read_write' },
    ],
    uniforms,
    workgroups:
      form === 'groups'
        ? isHalf(out.dtype)
          ? Math.ceil(outputs / 2)
          : outputs
        : Math.ceil((isHalf(out.dtype) ? Math.ceil(outputs / 2) : outputs) / groupSize),
  });
  return builder.plan();
}

function text(
  kind: Kind,
  form: 'columns' | 'lines' | 'groups',
  dtype: DType,
  out: DType,
  half: boolean,
  counting: boolean,
): string {
  const packed = isHalf(out);
  const u = (word: number) => `U[${word >> 2}u].${'xyzw'[word & 3]}`;
  const stored = isHalf(dtype) ? '((X[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu)' : 'X[p]';
  const widen = widening(dtype);
  let code = '@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;\n';
  code += storage(1, 'X', 'u32', 'read') + storage(2, 'Out', 'u32', 'read_write');
  code += `fn single(p: u32) -> u32 { return ${widen ? `${widen}(${stored})` : stored}; }\n`;
  // Sums can be subnormal in float32, which adapters may flush; those of float16 can't, being multiples of 2^-24.
  const add = counting
    ? 'a + b'
    : dtype !== 'float16'
      ? 'f32_add_bits(a, b)'
      : 'bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b))';
  code += `fn sum_add(a: u32, b: u32) -> u32 { return ${add}; }\n`;
  // A 16-bit vector holds two float32 vectors, which are added on loading.
  const pairs = half && form !== 'columns';
  code += `var<private> folds: bool;\nfn value(p: u32) -> u32 {\n${
    pairs ? '  if (folds) { return sum_add(single(p), single(p + 8u)); }\n' : ''
  }  return single(p);\n}\n`;
  code += /* wgsl */ `
fn kept_offset(index: u32) -> u32 {
  var p = ${u(at.offset)};
  var rest = index;
  for (var d = 0u; d < ${u(at.keptRank)}; d++) {
    let size = U[(${at.keptDims}u + d) >> 2u][(${at.keptDims}u + d) & 3u];
    let q = rest / size;
    p += (rest - q * size) * U[(${at.keptStrides}u + d) >> 2u][(${at.keptStrides}u + d) & 3u];
    rest = q;
  }
  return p;
}
fn finished(total: u32) -> u32 {
  var r = total;
${kind === 'mean' ? `  r = f32_div(r, ${u(at.divisor)});\n` : ''}  return ${packed ? `${narrowing(out)}(r)` : 'r'};
}
`;
  const perVector = half ? 16 : 8;
  if (form === 'columns') {
    // Blocks of 32 columns (4 where the matrix is narrow) are plain cascades; the columns left over are four cascades each.
    code += /* wgsl */ `
fn output(index: u32) -> u32 {
  let columns = ${u(at.columns)};
  let line = index / columns;
  let column = index - line * columns;
  let start = kept_offset(line) + column;
  let edge = select(columns / 4u * 4u, columns / 32u * 32u, ${u(at.wide)} == 1u);
  var total: u32;
  if (column < edge) { total = cascade(start, ${u(at.stride)}, ${u(at.count)}); } else { total = row_sum(start, ${u(at.stride)}, ${u(at.count)}); }
  return finished(total);
}
`;
  } else if (form === 'lines') {
    code += /* wgsl */ `
fn output(index: u32) -> u32 {
  let start = kept_offset(index);
  let count = ${u(at.count)};
  let vectors = count / ${perVector}u;
  var total = 0u;
  for (var k = vectors * ${perVector}u; k < count && vectors > 0u; k++) { total = sum_add(total, single(start + k)); }
  // Eight lanes; fewer numbers than a vector are one.
  folds = vectors > 0u;
  let lanes = select(1u, 8u, folds);
  let step = select(1u, ${perVector}u, folds);
  let rows = select(count, vectors, folds);
  for (var lane = 0u; lane < lanes; lane++) { total = sum_add(total, row_sum(start + lane, step, rows)); }
  return finished(total);
}
`;
  }
  if (form !== 'groups') {
    code += mainHead;
    code += packed
      ? `
  let n = ${u(at.outputs)};
  var w = 0u;
  for (var j = i * 2u; j < min(i * 2u + 2u, n); j++) { w |= output(j) << ((j & 1u) << 4u); }
  if (i * 2u < n) { Out[i] = w; }
}
`
      : `
  if (i >= ${u(at.outputs)}) { return; }
  Out[i] = output(i);
}
`;
    return link(code);
  }
  // Invocation 8 g + l of a workgroup computes cascade g of lane l; the first one adds them up.
  code += /* wgsl */ `
var<workgroup> parts: array<u32, 32>;
fn output(index: u32, me: u32) -> u32 {
  let start = kept_offset(index);
  let count = ${u(at.count)};
  let vectors = count / ${perVector}u;
  let quads = vectors / 4u;
  folds = true;
  workgroupBarrier();
  parts[me] = cascade(start + (me / 8u) * ${perVector}u + (me & 7u), ${4 * perVector}u, quads);
  workgroupBarrier();
  if (me != 0u) { return 0u; }
  folds = vectors > 0u;
  var total = 0u;
  if (!folds) { total = row_sum(start, 1u, count); }
  for (var k = vectors * ${perVector}u; k < count && folds; k++) { total = sum_add(total, single(start + k)); }
  for (var lane = 0u; lane < 8u && folds; lane++) {
    var sum = parts[lane];
    for (var row = quads * 4u; row < vectors; row++) { sum = sum_add(sum, value(start + row * ${perVector}u + lane)); }
    for (var g = 1u; g < 4u; g++) { sum = sum_add(sum, parts[8u * g + lane]); }
    total = sum_add(total, sum);
  }
  return finished(total);
}
@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>, @builtin(local_invocation_index) me: u32) {
  let i = wg.y * nwg.x + wg.x;
${
  packed
    ? `  let n = ${u(at.outputs)};
  var w = 0u;
  for (var j = 0u; j < 2u; j++) { w |= output(min(i * 2u + j, n - 1u), me) << (j << 4u); }
  if (me == 0u && i * 2u < n) { Out[i] = w; }`
    : `  let total = output(min(i, ${u(at.outputs)} - 1u), me);
  if (me == 0u && i < ${u(at.outputs)}) { Out[i] = total; }`
}
}
`;
  return link(code);
}
