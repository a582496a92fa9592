/**
 * softmax and log_softmax along one dim, and their backward kernels; one invocation a line. Every rounding is where ops/softmax.ts has it,
 * and e^x and log are correctly rounded, so 16-bit results have the reference's bits.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { normalizeDim, splitAt } from '../dimensions';
import './convert';
import './softfloat';
import './transcendental';
import { narrowing, widening } from './elementwise';
import { type Binding, groupSize, isConstant, type KernelCall, type KernelPlan, mainHead, storage } from './kernel';
import { PlanBuilder } from './lines';
import { defineLibrary, link } from './link';
import { packDispatch } from './pack';
import { exponentTable, exponentTableName } from './transcendental';

defineLibrary(/* wgsl */ `
fn sum_line(size: u32, lanes_used: bool, tail_last: bool) -> u32 {
  // summation-order.ts: one by one, or eight lanes folded in halves (sumLanes). line_step adds the k-th number;
  // where that is a product, PyTorch's compiler fuses it outside of whole vectors (fused).
  let full = select(0u, size & ~7u, lanes_used);
  var total = 0u;
  if (full != 0u) {
    var lanes: array<u32, 8>;
    let end = select(size, full, tail_last);
    for (var l = 0u; l < 8u; l++) {
      var acc = 0u;
      for (var k = l; k < end; k += 8u) { acc = line_step(acc, k, k >= full); }
      lanes[l] = acc;
    }
    for (var width = 4u; width > 0u; width >>= 1u) {
      for (var l = 0u; l < width; l++) { lanes[l] = line_add(lanes[l], lanes[l + width]); }
    }
    total = lanes[0];
  }
  for (var k = full; k < size && (tail_last || full == 0u); k++) { total = line_step(total, k, !lanes_used); }
  return total;
}
fn line_max(size: u32) -> u32 {
  // NaN wins; -inf for an empty line. x(k) is the k-th input of the line.
  var most = 0xff800000u;
  for (var k = 0u; k < size; k++) { most = f32_maximum(most, x(k)); }
  return most;
}
`);

/** What a line kernel knows when its text is made. */
interface Line {
  readonly last: boolean;
  /** The result is a 16-bit dtype. */
  readonly half: boolean;
}

// A line with +inf, with NaN, or of only -inf is NaN throughout. Otherwise x - max is finite or -inf, where a flushed subnormal still
// gives e^0 = 1.
const exponentials = `
  let most = line_max(size);
  let special = (most & 0x7f800000u) == 0x7f800000u;
  for (var k = 0u; k < size; k++) {
    let v = x(k);
    let e = f32_exp(bitcast<u32>(bitcast<f32>(v) - bitcast<f32>(most)));
    Y[at(k)] = select(e, 0u, v == 0xff800000u);
  }`;

/**
 * Bodies: `x(k)`, `g(k)` inputs of the line, `Y[at(k)]` scratch and result (`keep(k, v)` stores a final value).
 * `exact`: sums may meet anything. Otherwise their terms are e^(x - max): finite, and 1 is one of them, so that a flushed subnormal can't
 * change the sum; the adapter's own addition does.
 */
const bodies: Readonly<Record<string, (line: Line) => { term: string; fused?: string; body: string; exact: boolean }>> =
  {
    softmax: ({ last, half }) => ({
      exact: false,
      term: 'Y[at(k)]',
      body: `${exponentials}
  let total = sum_line(size, ${last}, ${half});
  ${last && !half ? 'let reciprocal = f32_div(0x3f800000u, total);' : ''}
  for (var k = 0u; k < size; k++) {
    var v = ${last ? (half ? 'f32_div(Y[at(k)], total)' : 'f32_mul(Y[at(k)], reciprocal)') : 'f32_div(round_(Y[at(k)]), total)'};
    keep(k, select(v, 0x7fc00000u, special));
  }`,
    }),
    log_softmax: ({ last, half }) => ({
      exact: false,
      term: 'Y[at(k)]',
      body: `${exponentials}
  let total = sum_line(size, ${last}, false);
  let logarithm = ${last && half ? 'round_(f32_log(round_(total)))' : 'f32_log(total)'};
  for (var k = 0u; k < size; k++) {
    var v = x(k);
    for (var part = 0u; part < 2u; part++) { v = f32_sub(v, select(logarithm, most, part == 0u)); }
    keep(k, select(v, 0x7fc00000u, special));
  }`,
    }),
    _softmax_backward_data: ({ last, half }) => ({
      exact: true,
      term: 'f32_mul(g(k), x(k))',
      fused: last && half ? undefined : 'f32_fma(g(k), x(k), acc)',
      body: `
  let total = sum_line(size, ${last}, ${half});
  for (var k = 0u; k < size; k++) { keep(k, f32_mul(f32_sub(g(k), total), x(k))); }`,
    }),
    _log_softmax_backward_data: ({ last, half }) => ({
      exact: true,
      term: 'g(k)',
      body: `
  let total = sum_line(size, ${last}, ${half});
  for (var k = 0u; k < size; k++) { keep(k, f32_fma(f32_exp(x(k)) ^ 0x80000000u, total, g(k))); }`,
    }),
  };

export function softmaxPlan(call: KernelCall): KernelPlan | null {
  const { record, outputs, attrs } = call;
  const backward = record.name.endsWith('_backward_data');
  // The line's own input is x: self, or the forward's output; g is the gradient.
  const [first, second] = call.inputs;
  const x = backward ? second : first;
  const g = backward ? first : undefined;
  if (isConstant(x) || (g && (isConstant(g) || g.dtype !== x.dtype))) return null;
  const out = outputs[0];
  const float = (dtype: DType) => dtype === 'float32' || isHalf(dtype);
  if (!float(x.dtype) || !(out.dtype === x.dtype || out.dtype === 'float32')) return null;
  const dim = normalizeDim(attrs.dim as number, x.shape.length);
  const { outer, size, inner } = splitAt(x.shape, dim);
  const line: Line = { last: x.shape.length === 0 || dim === x.shape.length - 1, half: isHalf(out.dtype) };

  const builder = new PlanBuilder();
  const xs = builder.contiguous(x, backward ? 1 : 0);
  const gs = g && !isConstant(g) ? builder.contiguous(g, 0) : undefined;
  if (!xs || gs === null) return null;
  const lines = outer * inner;
  const uniforms = Uint32Array.of(lines, size, inner, xs.offset, gs?.offset ?? 0, 0, 0, 0);
  const y: Binding = line.half
    ? { from: 'temporary', index: builder.temporary(4 * lines * size), access: 'read_write' }
    : { from: 'output', index: 0, access: 'read_write' };
  const bindings: Binding[] = [{ from: xs.from, index: xs.index, access: 'read' }];
  if (gs) bindings.push({ from: gs.from, index: gs.index, access: 'read' });
  bindings.push({ from: 'table', index: 0, access: 'read' }, y);
  builder.dispatches.push({
    key: `${record.name} ${x.dtype}>${out.dtype} ${line.last ? 'last' : 'inner'}`,
    source: () => text(record.name, x.dtype, out.dtype, line, gs !== undefined),
    bindings,
    uniforms,
    workgroups: Math.ceil(lines / groupSize),
  });
  if (line.half) builder.dispatches.push(packDispatch({ ...y, access: 'read' }, lines * size));
  return builder.plan([exponentTable]);
}

function text(name: string, dtype: DType, out: DType, line: Line, gradient: boolean): string {
  const { term, fused, body, exact } = bodies[name](line);
  const widen = widening(dtype);
  const narrow = narrowing(out);
  const load = (buffer: string) =>
    widen ? `${widen}((${buffer}[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu)` : `${buffer}[p]`;
  let code = '@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;\n';
  code += storage(1, 'X', 'u32', 'read');
  if (gradient) code += storage(2, 'G', 'u32', 'read');
  code += storage(gradient ? 3 : 2, exponentTableName, 'u32', 'read');
  code += storage(gradient ? 4 : 3, 'Y', 'u32', 'read_write');
  code += `var<private> start: u32;
fn at(k: u32) -> u32 { return start + k * U[0].z; }
fn x(k: u32) -> u32 { let p = U[0].w + at(k); return ${load('X')}; }
${gradient ? `fn g(k: u32) -> u32 { let p = U[1].x + at(k); return ${load('G')}; }\n` : ''}fn term(k: u32) -> u32 { return ${term}; }
fn line_add(a: u32, b: u32) -> u32 { return ${exact ? 'f32_add(a, b)' : 'bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b))'}; }
fn line_step(acc: u32, k: u32, fused: bool) -> u32 {
${fused ? `  if (fused) { return ${fused}; }\n` : ''}  return line_add(acc, term(k));
}
fn round_(v: u32) -> u32 { return ${narrow ? `${widening(out)}(${narrow}(v))` : 'v'}; }
fn keep(k: u32, v: u32) { Y[at(k)] = ${narrow ? `${narrow}(v)` : 'v'}; }
${mainHead}
  if (i >= U[0].x) { return; }
  let size = U[0].y;
  let outer = i / U[0].z;
  start = outer * size * U[0].z + (i - outer * U[0].z);
${body}
}
`;
  return link(code);
}
