/** From one 16-bit pattern a word to two: for kernels whose invocations would otherwise share output words. */
import { type Binding, type Dispatch, groupSize, mainHead, storage } from './kernel';

export function packDispatch(from: Binding, count: number): Dispatch {
  return {
    key: 'pack',
    source: () => source,
    bindings: [from, { from: 'output', index: 0, access: 'read_write' }],
    uniforms: Uint32Array.of(count, 0, 0, 0),
    workgroups: Math.ceil(Math.ceil(count / 2) / groupSize),
  };
}

// out = patterns, two to a word.
const source = /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'X', 'u32', 'read')}${storage(2, 'Out', 'u32', 'read_write')}
${mainHead}
  let n = U[0].x;
  if (i * 2u >= n) { return; }
  var w = X[i * 2u];
  if (i * 2u + 1u < n) { w |= X[i * 2u + 1u] << 16u; }
  Out[i] = w;
}
`;
