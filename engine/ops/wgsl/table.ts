/** Unary functions of 16-bit tensors: all 65,536 results, made once by the reference, so exact by construction. */

import { isHalf } from '../../formats/dtype';
import { writeElements } from '../../formats/host-elements';
import { groupSize, isConstant, type KernelCall, type KernelPlan, mainHead, numel, storage } from './kernel';
import { broadcastStrides, collapse } from './strides';

const maxRank = 8;

/** A plan for a call with one 16-bit tensor (other inputs constants) and a 16-bit result of the same shape, or null. */
export function halfTable(call: KernelCall): KernelPlan | null {
  const { record, inputs, attrs, outputs } = call;
  const at = inputs.findIndex((input) => !isConstant(input));
  const input = inputs[at];
  const out = outputs[0];
  if (!input || isConstant(input) || !isHalf(input.dtype) || out.dtype !== input.dtype || outputs.length !== 1)
    return null;
  if (inputs.some((other, k) => k !== at && !isConstant(other))) return null;
  const constants = inputs.map((other) => (isConstant(other) ? `${other.dtype}:${other.constant}` : ''));
  const key = `${record.name} ${input.dtype} ${constants.join(',')} ${JSON.stringify(attrs)}`;
  const make = () => {
    const shape = [65536];
    const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const [result] = record.reference(
      inputs.map((other) =>
        isConstant(other)
          ? { dtype: other.dtype, shape: [], data: writeElements(other.dtype, [other.constant]) }
          : { dtype: input.dtype, shape, data: all },
      ),
      attrs,
      [{ dtype: out.dtype, shape }],
    );
    return new Uint32Array((result as Uint16Array).slice().buffer);
  };
  const n = numel(out.shape);
  const { dims, strides } = collapse(out.shape, [broadcastStrides(input, out.shape)]);
  if (dims.length > maxRank) return null;
  const uniforms = new Uint32Array(32);
  uniforms.set([n, dims.length, input.offset], 0);
  uniforms.set(dims, 8);
  uniforms.set(strides[0], 16);
  return {
    tables: [{ key, make }],
    dispatches: [
      {
        key: 'table',
        source: () => source,
        bindings: [
          { from: 'input', index: at, access: 'read' },
          { from: 'table', index: 0, access: 'read' },
          { from: 'output', index: 0, access: 'read_write' },
        ],
        uniforms,
        workgroups: Math.ceil(Math.ceil(n / 2) / groupSize),
      },
    ],
  };
}

// out[i] = table[x[i]], patterns; one output word (two elements) an invocation.
const source = /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'X', 'u32', 'read')}${storage(2, 'Table', 'u32', 'read')}${storage(3, 'Out', 'u32', 'read_write')}
fn half_of(word: u32, index: u32) -> u32 { return (word >> ((index & 1u) << 4u)) & 0xffffu; }
fn at(index: u32) -> u32 {
  var p = U[0].z;
  var rest = index;
  for (var d = U[0].y; d > 0u; d--) {
    let size = U[(7u + d) >> 2u][(7u + d) & 3u];
    let q = rest / size;
    p += (rest - q * size) * U[(15u + d) >> 2u][(15u + d) & 3u];
    rest = q;
  }
  let x = half_of(X[p >> 1u], p);
  return half_of(Table[x >> 1u], x);
}
${mainHead}
  let n = U[0].x;
  var w = 0u;
  for (var j = i * 2u; j < min(i * 2u + 2u, n); j++) { w |= at(j) << ((j & 1u) << 4u); }
  if (i * 2u < n) { Out[i] = w; }
}
`;
