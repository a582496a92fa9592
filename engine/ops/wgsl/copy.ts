/** Copies between strided windows: dest[window] = source[window], elements as stored. */
import { isHalf } from '../../formats/dtype';
import type { OpRecord } from '../record';
import { constantPattern, elementwisePlan } from './elementwise';
import {
  groupSize,
  isConstant,
  type KernelInput,
  type KernelPlan,
  mainHead,
  numel,
  type StridedInput,
  storage,
} from './kernel';
import { broadcastStrides, collapse } from './strides';

const maxRank = 8;
const move = { kind: 'elementwise', stored: 'a' } as const;

/**
 * Writes `source` (same dtype; broadcast to the window) through `destination`. `fresh` means that the destination is a whole contiguous
 * buffer. The plan's input 0 is the source, output 0 the destination.
 */
export function copyPlan(destination: StridedInput, source: KernelInput, fresh: boolean): KernelPlan | null {
  if (source.dtype !== destination.dtype) return null;
  const { dtype, shape } = destination;
  if (fresh) {
    const record = { name: 'copy', wgsl: move } as unknown as OpRecord;
    return elementwisePlan({ record, inputs: [source], attrs: {}, outputs: [{ dtype, shape }] }, move);
  }
  const n = numel(shape);
  const sourceStrides = isConstant(source) ? shape.map(() => 0) : broadcastStrides(source, shape);
  const { dims, strides } = collapse(shape, [destination.strides, sourceStrides]);
  if (dims.length > maxRank) return null;
  const uniforms = new Uint32Array(32);
  uniforms.set([
    n,
    dims.length,
    destination.offset,
    isConstant(source) ? constantPattern(source.constant, dtype) : source.offset,
  ]);
  uniforms.set(dims, 8);
  uniforms.set(strides[0], 16);
  uniforms.set(strides[1], 24);
  const form = `${isHalf(dtype) ? '16' : '32'} ${isConstant(source) ? 'constant' : 'tensor'}`;
  return {
    dispatches: [
      {
        key: `copy ${form}`,
        source: () => scatter(isHalf(dtype), isConstant(source)),
        bindings: [
          ...(isConstant(source) ? [] : [{ from: 'input', index: 0, access: 'read' } as const]),
          { from: 'output', index: 0, access: 'read_write' },
        ],
        uniforms,
        workgroups: Math.ceil(n / groupSize),
      },
    ],
  };
}

// One element an invocation. Two 16-bit neighbours share a word, so their halves are replaced by atomics that touch only their own bits.
const scatter = (half: boolean, constant: boolean): string => /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${constant ? '' : storage(1, 'X', 'u32', 'read')}${storage(constant ? 1 : 2, 'Out', half ? 'atomic<u32>' : 'u32', 'read_write')}
${mainHead}
  if (i >= U[0].x) { return; }
  var to = U[0].z;
  var at = U[0].w;
  var rest = i;
  for (var d = U[0].y; d > 0u; d--) {
    let size = U[(7u + d) >> 2u][(7u + d) & 3u];
    let q = rest / size;
    let r = rest - q * size;
    to += r * U[(15u + d) >> 2u][(15u + d) & 3u];
    at += r * U[(23u + d) >> 2u][(23u + d) & 3u];
    rest = q;
  }
  ${constant ? 'let v = U[0].w;' : half ? 'let v = (X[at >> 1u] >> ((at & 1u) << 4u)) & 0xffffu;' : 'let v = X[at];'}
${
  half
    ? `  let shift = (to & 1u) << 4u;
  atomicAnd(&Out[to >> 1u], ~(0xffffu << shift));
  atomicOr(&Out[to >> 1u], v << shift);`
    : '  Out[to] = v;'
}
}
`;
