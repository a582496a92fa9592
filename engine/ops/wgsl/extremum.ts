/**
 * max, min, amax, amin, max_dim, min_dim, argmax, argmin: one output an invocation. Elements are compared as integers (never as floats:
 * NaN), the bits of the chosen one are copied. NaN beats every number; ties go to the first.
 */
import { type DType, isHalf } from '../../formats/dtype';
import { groupDims, normalizeDim, reducedDims } from '../dimensions';
import './convert';
import './softfloat';
import { widening } from './elementwise';
import { groupSize, isConstant, type KernelCall, type KernelPlan, mainHead, numel, storage } from './kernel';
import { PlanBuilder } from './lines';
import { link } from './link';

/** One invocation walks its whole line: beyond this the reference is quicker than a GPU's single lane. */
const longestLine = 2 ** 16;
const at = { outputs: 0, size: 1, offset: 2, stride: 3, keptRank: 4, keptDims: 8, keptStrides: 16 } as const;

export function extremumPlan(call: KernelCall): KernelPlan | null {
  const [input] = call.inputs;
  const { name } = call.record;
  if (isConstant(input) || input.dtype === 'bool') return null;
  const rank = input.shape.length;
  const { dim } = call.attrs;
  const lists = name === 'amax' || name === 'amin';
  const dims = lists
    ? reducedDims(dim, rank)
    : typeof dim === 'number' && rank > 0
      ? [normalizeDim(dim, rank)]
      : input.shape.map((_, d) => d);
  const groups = groupDims(input.shape, dims);
  const reduced = groups.filter((g) => g.reduced);
  const kept = groups.filter((g) => !g.reduced);
  const line = reduced[0] ?? { size: 1, stride: 1 };
  if (reduced.length > 1 || kept.length > 8 || line.size > longestLine) return null;
  const builder = new PlanBuilder();
  const source = builder.contiguous(input, 0);
  if (!source) return null;
  const outputs = numel(call.outputs[0].shape);
  const uniforms = new Uint32Array(32);
  uniforms.set([outputs, line.size, source.offset, line.stride, kept.length]);
  kept.forEach((g, d) => {
    uniforms[at.keptDims + d] = g.size;
    uniforms[at.keptStrides + d] = g.stride;
  });
  const largest = name.includes('max');
  const value = !name.startsWith('arg');
  const index = name.startsWith('arg') || name.endsWith('_dim');
  const half = value && isHalf(input.dtype);
  builder.dispatches.push({
    key: `extremum ${largest} ${value} ${index} ${input.dtype}`,
    source: () => text(input.dtype, largest, value, index),
    bindings: [
      { from: source.from, index: source.index, access: 'read' },
      ...call.outputs.map((_, k) => ({ from: 'output', index: k, access: 'read_write' }) as const),
    ],
    uniforms,
    workgroups: Math.ceil((half ? Math.ceil(outputs / 2) : outputs) / groupSize),
  });
  return builder.plan();
}

function text(dtype: DType, largest: boolean, value: boolean, index: boolean): string {
  const half = isHalf(dtype);
  const integer = dtype === 'int32' || dtype === 'int64';
  const widen = widening(dtype);
  const pattern = widen ? `${widen}(x)` : 'x';
  const perInvocation = half && value ? 2 : 1;
  let code = '@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;\n';
  code += storage(1, 'X', 'u32', 'read');
  if (value) code += storage(2, 'Values', 'u32', 'read_write');
  if (index) code += storage(value ? 3 : 2, 'Indices', 'u32', 'read_write');
  code += /* wgsl */ `
fn stored(p: u32) -> u32 { return ${half ? '(X[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu' : 'X[p]'}; }
fn rank(p: u32) -> i32 {
  // Orders like the numbers${largest ? '' : ', reversed'}; NaN is above all.
  let x = stored(p);
  ${
    integer
      ? `return ${largest ? '' : '~'}bitcast<i32>(x);`
      : `let f = ${pattern};
  return select(${largest ? '' : '-'}f32_key(f), 0x7fffffff, f32_is_nan(f));`
  }
}
fn line_start(index: u32) -> u32 {
  var p = U[0].z;
  var rest = index;
  for (var d = 0u; d < U[1].x; d++) {
    let size = U[(${at.keptDims}u + d) >> 2u][(${at.keptDims}u + d) & 3u];
    let q = rest / size;
    p += (rest - q * size) * U[(${at.keptStrides}u + d) >> 2u][(${at.keptStrides}u + d) & 3u];
    rest = q;
  }
  return p;
}
${mainHead}
  let n = U[0].x;
  let first = i * ${perInvocation}u;
  if (first >= n) { return; }
  var w = 0u;
  for (var j = first; j < min(first + ${perInvocation}u, n); j++) {
    let start = line_start(j);
    var best = 0u;
    var most = rank(start);
    for (var k = 1u; k < U[0].y; k++) {
      let r = rank(start + k * U[0].w);
      if (r > most) {
        most = r;
        best = k;
      }
    }
${value ? `    w |= stored(start + best * U[0].w)${half ? ' << ((j & 1u) << 4u)' : ''};\n` : ''}${index ? '    Indices[j] = best;\n' : ''}  }
${value ? '  Values[i] = w;\n' : ''}}
`;
  return link(code);
}
