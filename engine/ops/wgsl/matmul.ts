/**
 * out[m, n] = alpha * sum over k of a[m, k] b[k, n] + beta * added[m, n], in batches.
 *
 * One float32 accumulator an output, k ascending, one rounding on store: the products of 16-bit values are exact in float32, so for them
 * the bits are those of the reference however the adapter fuses. (Products of bfloat16 values can be subnormal in float32, which adapters
 * may flush: a first pass over the operands finds the smallest exponents, and where they are that small the sums are redone by integer
 * arithmetic.) Each invocation holds a 4 x 4 tile of outputs in registers. Operands
 * are read through their strides, four elements at a time along whichever dimension is contiguous; anything else element by element.
 */
import { type DType, isHalf } from '../../formats/dtype';
import type { Scalar } from '../record';
import './convert';
import './softfloat';
import { narrowing, widening } from './elementwise';
import {
  type Binding,
  type Dispatch,
  f32Bits,
  isConstant,
  type KernelCall,
  type KernelInput,
  type KernelPlan,
  numel,
  type StridedInput,
  storage,
} from './kernel';
import { link } from './link';
import { packDispatch } from './pack';
import { broadcastStrides, collapse } from './strides';

/** How an operand is read: four elements along k, four along its other dimension, or one by one. */
type Access = 'along k' | 'across' | 'single';

interface Product {
  readonly dtype: DType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Batch dims of the output and, for a and b, their strides. */
  readonly batch: readonly number[];
  readonly batchStrides: readonly [readonly number[], readonly number[]];
  /** Strides of a along m and k, of b along k and n. */
  readonly a: { readonly input: number; readonly offset: number; readonly m: number; readonly k: number };
  readonly b: { readonly input: number; readonly offset: number; readonly n: number; readonly k: number };
  readonly added?: { readonly input: number; readonly offset: number; readonly strides: readonly number[] };
  readonly alpha: number;
  readonly beta: number;
  /** Read float16 by unpack2x16float. */
  readonly unpack: boolean;
}

const tile = 4;
const groupEdge = 8;
const maxBatchDims = 3;
/** Words of the uniform slot. */
const at = {
  m: 0,
  n: 1,
  k: 2,
  batches: 3,
  a: 4,
  b: 7,
  added: 10,
  alpha: 14,
  beta: 15,
  batchRank: 16,
  batchDims: 17,
  batchA: 20,
  batchB: 23,
  batchAdded: 26,
  scan: 29,
} as const;

/** torch.matmul, mm, bmm, mv, dot: 1-d operands are a row or a column. */
export function matmulPlan(call: KernelCall): KernelPlan | null {
  const [a, b] = call.inputs;
  if (isConstant(a) || isConstant(b)) return null;
  const left = a.shape.length === 1 ? { ...a, shape: [1, a.shape[0]], strides: [0, a.strides[0]] } : a;
  const right = b.shape.length === 1 ? { ...b, shape: [b.shape[0], 1], strides: [b.strides[0], 0] } : b;
  // A batch of rows times one matrix is a single product.
  return plan(call, right.shape.length === 2 ? rows(left) : left, right, 0, 1);
}

/** input @ weight.T + bias. */
export function linearPlan(call: KernelCall): KernelPlan | null {
  const [input, weight] = call.inputs;
  if (isConstant(input) || isConstant(weight)) return null;
  const turned: StridedInput =
    weight.shape.length === 1
      ? { ...weight, shape: [weight.shape[0], 1], strides: [weight.strides[0], 0] }
      : { ...weight, shape: [weight.shape[1], weight.shape[0]], strides: [weight.strides[1], weight.strides[0]] };
  return plan(call, rows(input), turned, 0, 1, call.inputs.length > 2 ? 2 : undefined);
}

/** beta * self + alpha * (a @ b). */
export function addedProductPlan(call: KernelCall): KernelPlan | null {
  const [, a, b] = call.inputs;
  if (isConstant(a) || isConstant(b)) return null;
  const scalar = (name: string) => {
    const attr = call.attrs[name];
    return typeof attr === 'number' ? attr : ((attr as Scalar | null | undefined)?.value ?? 1);
  };
  return plan(call, a, b, 1, 2, 0, scalar('alpha'), scalar('beta'));
}

/** Leading dims as one, where they can be walked with one stride; a vector is one row. */
function rows(x: StridedInput): StridedInput {
  const rank = x.shape.length;
  if (rank === 1) return { ...x, shape: [1, x.shape[0]], strides: [0, x.strides[0]] };
  const lead = collapse(x.shape.slice(0, -1), [x.strides.slice(0, -1)]);
  if (lead.dims.length > 1) return x;
  return {
    ...x,
    shape: [lead.dims[0] ?? 1, x.shape[rank - 1]],
    strides: [lead.strides[0][0] ?? 0, x.strides[rank - 1]],
  };
}

function plan(
  call: KernelCall,
  a: StridedInput,
  b: StridedInput,
  aInput: number,
  bInput: number,
  addedInput?: number,
  alpha = 1,
  beta = 1,
): KernelPlan | null {
  const out = call.outputs[0];
  const dtype = a.dtype;
  if ((dtype !== 'float32' && !isHalf(dtype)) || b.dtype !== dtype || out.dtype !== dtype) return null;
  const [m, k] = a.shape.slice(-2);
  const n = b.shape[b.shape.length - 1];
  if (k === 0) return null;
  const aBatch = a.shape.slice(0, -2);
  const bBatch = b.shape.slice(0, -2);
  const batchShape = (aBatch.length > bBatch.length ? aBatch : bBatch).map((_, d, shape) => {
    const sizeA = aBatch[d - shape.length + aBatch.length] ?? 1;
    const sizeB = bBatch[d - shape.length + bBatch.length] ?? 1;
    return sizeA === 1 ? sizeB : sizeA;
  });
  const batchStridesOf = (x: StridedInput) =>
    broadcastStrides({ ...x, shape: x.shape.slice(0, -2), strides: x.strides.slice(0, -2) }, batchShape);
  const full = [...batchShape, m, n];
  let added: Product['added'];
  let addedBatch = batchShape.map(() => 0);
  if (addedInput !== undefined) {
    const input: KernelInput = call.inputs[addedInput];
    if (isConstant(input) || input.dtype !== dtype) return null;
    const strides = broadcastStrides(input, full.slice(full.length - Math.max(input.shape.length, 2)));
    const padded = [...full.slice(0, full.length - strides.length).map(() => 0), ...strides];
    addedBatch = padded.slice(0, -2);
    added = { input: addedInput, offset: input.offset, strides: padded.slice(-2) };
  }
  const { dims, strides } = collapse(batchShape, [batchStridesOf(a), batchStridesOf(b), addedBatch]);
  if (dims.length > maxBatchDims) return null;
  const product: Product = {
    dtype,
    m,
    n,
    k,
    batch: dims,
    batchStrides: [strides[0], strides[1]],
    a: { input: aInput, offset: a.offset, m: a.strides[a.strides.length - 2], k: a.strides[a.strides.length - 1] },
    b: { input: bInput, offset: b.offset, k: b.strides[b.strides.length - 2], n: b.strides[b.strides.length - 1] },
    added,
    alpha,
    beta,
    unpack: dtype === 'float16' && call.adapter?.exactUnpack === true,
  };
  return productPlan(product, strides[2]);
}

/** What happens to a sum before it is rounded: nothing, "+ added" (a linear layer's bias), or "alpha * sum + beta * added". */
type Epilogue = 'none' | 'bias' | 'scaled';
const epilogueOf = ({ added, alpha, beta }: Product): Epilogue => {
  if (alpha !== 1 || (added && beta !== 1)) return 'scaled';
  return added ? 'bias' : 'none';
};

function productPlan(p: Product, addedBatch: readonly number[]): KernelPlan {
  const { m, n, k, dtype } = p;
  const batches = numel(p.batch);
  // Small products share one pipeline for every layout: compiling another would take longer than it saves.
  const small = m * n * k * batches <= 2 ** 15;
  const aligned = (...strides: number[]) => strides.every((stride) => stride % 4 === 0);
  const access = (along: number, across: number, offset: number, batchStrides: readonly number[]): Access => {
    if (small || !aligned(offset, ...batchStrides)) return 'single';
    if (along === 1 && aligned(across)) return 'along k';
    return across === 1 && aligned(along) ? 'across' : 'single';
  };
  const aAccess = access(p.a.k, p.a.m, p.a.offset, p.batchStrides[0]);
  const bAccess = access(p.b.k, p.b.n, p.b.offset, p.batchStrides[1]);
  const epilogue = epilogueOf(p);
  // Two 16-bit outputs share a word: with an odd row length an invocation would share words with its neighbour.
  const split = isHalf(dtype) && n % 2 === 1 && (m > 1 || batches > 1);

  const uniforms = new Uint32Array(32);
  uniforms.set([m, n, k, batches, p.a.offset, p.a.m, p.a.k, p.b.offset, p.b.k, p.b.n]);
  if (p.added) uniforms.set([p.added.offset, p.added.strides[0], p.added.strides[1]], at.added);
  uniforms[at.alpha] = f32Bits(p.alpha);
  uniforms[at.beta] = f32Bits(p.beta);
  uniforms[at.batchRank] = p.batch.length;
  uniforms.set(p.batch, at.batchDims);
  uniforms.set(p.batchStrides[0], at.batchA);
  uniforms.set(p.batchStrides[1], at.batchB);
  uniforms.set(addedBatch, at.batchAdded);

  const bindings: Binding[] = [
    { from: 'input', index: p.a.input, access: 'read' },
    { from: 'input', index: p.b.input, access: 'read' },
  ];
  if (p.added) bindings.push({ from: 'input', index: p.added.input, access: 'read' });
  const scanned = dtype === 'bfloat16';
  const scan = scanned ? scanDispatch(p) : null;
  if (scan) bindings.push({ from: 'temporary', index: 0, access: 'read' });
  const splitAt = scan ? 1 : 0;
  bindings.push(
    split
      ? { from: 'temporary', index: splitAt, access: 'read_write' }
      : { from: 'output', index: 0, access: 'read_write' },
  );
  if (scan) uniforms.set([scan.groups[0], scan.groups[1]], at.scan);
  const kind = `${dtype} ${aAccess},${bAccess}${epilogue === 'none' ? '' : ` ${epilogue}`}${split ? ' split' : ''}${p.unpack ? ' unpack' : ''}`;
  const edge = tile * groupEdge;
  const dispatches: Dispatch[] = [
    ...(scan ? [scan.dispatch] : []),
    {
      key: `matmul ${kind}`,
      source: () => source(dtype, aAccess, bAccess, p.added !== undefined, epilogue, split, p.unpack),
      bindings,
      uniforms,
      workgroups: [Math.ceil(n / edge), Math.ceil(m / edge), batches],
    },
  ];
  const scratch = scan ? [4 * (scan.groups[0] + scan.groups[1])] : [];
  if (!split) return { dispatches, temporaries: scratch };
  const count = batches * m * n;
  dispatches.push(packDispatch({ from: 'temporary', index: splitAt, access: 'read' }, count));
  return { dispatches, temporaries: [...scratch, count * 4] };
}

const mostScanGroups = 32;

/** Finds the smallest exponent field of a nonzero element of each operand: one word a workgroup, a's first. */
function scanDispatch({ a, b, m, n, k, batch, batchStrides }: Product): {
  dispatch: Dispatch;
  groups: [number, number];
} {
  // The whole range that the window spans: a superset of the window costs at most a slower product.
  const span = (strides: readonly number[], sizes: readonly number[]) =>
    strides.reduce((sum, stride, d) => sum + stride * (sizes[d] - 1), 1);
  const spans = [
    span([a.m, a.k, ...batchStrides[0]], [m, k, ...batch]),
    span([b.k, b.n, ...batchStrides[1]], [k, n, ...batch]),
  ];
  const groups = spans.map((elements) => Math.min(mostScanGroups, Math.ceil(elements / 2048))) as [number, number];
  return {
    groups,
    dispatch: {
      key: 'matmul scan',
      source: () => scanSource,
      bindings: [
        { from: 'input', index: a.input, access: 'read' },
        { from: 'input', index: b.input, access: 'read' },
        { from: 'temporary', index: 0, access: 'read_write' },
      ],
      uniforms: Uint32Array.of(a.offset, spans[0], groups[0], 0, b.offset, spans[1], groups[1], 0),
      workgroups: groups[0] + groups[1],
    },
  };
}

// smallest[g] = min over this workgroup's share of (pattern >> 7) & 0xff where the magnitude is not zero.
const scanSource = /* wgsl */ `
@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;
${storage(1, 'A', 'u32', 'read')}${storage(2, 'B', 'u32', 'read')}${storage(3, 'Smallest', 'u32', 'read_write')}
var<workgroup> smallest: atomic<u32>;
fn field(word: u32) -> u32 {
  let low = word & 0x7fffu;
  let high = (word >> 16u) & 0x7fffu;
  return min(select(low >> 7u, 255u, low == 0u), select(high >> 7u, 255u, high == 0u));
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  if (lane == 0u) { atomicStore(&smallest, 255u); }
  workgroupBarrier();
  let second = wg.x >= U[0].z;
  let share = select(U[0], U[1], second);
  let group = select(wg.x, wg.x - U[0].z, second);
  let last = (share.x + share.y - 1u) >> 1u; // words
  var found = 255u;
  for (var w = (share.x >> 1u) + group * 64u + lane; w <= last; w += share.z * 64u) {
    if (second) { found = min(found, field(B[w])); } else { found = min(found, field(A[w])); }
  }
  atomicMin(&smallest, found);
  workgroupBarrier();
  if (lane == 0u) { Smallest[wg.x] = atomicLoad(&smallest); }
}
`;

/** Loads of one operand: `ld_x(p)` one element at index p, `ld_x4(p)` four from p (a multiple of four). */
function loads(name: 'a' | 'b', dtype: DType, vector: boolean, unpack: boolean): string {
  const buffer = name.toUpperCase();
  const widen = widening(dtype);
  if (!isHalf(dtype)) {
    return vector
      ? `fn ld_${name}4(p: u32) -> vec4<f32> { return ${buffer}[p >> 2u]; }\nfn ld_${name}(p: u32) -> f32 { return ${buffer}[p >> 2u][p & 3u]; }\n`
      : `fn ld_${name}(p: u32) -> f32 { return ${buffer}[p]; }\n`;
  }
  const one = (word: string) => `bitcast<f32>(${widen}((${word} >> ((p & 1u) << 4u)) & 0xffffu))`;
  if (!vector) return `fn ld_${name}(p: u32) -> f32 { return ${one(`${buffer}[p >> 1u]`)}; }\n`;
  const four =
    dtype === 'bfloat16'
      ? 'bitcast<vec4<f32>>(vec4<u32>(w.x << 16u, w.x & 0xffff0000u, w.y << 16u, w.y & 0xffff0000u))'
      : unpack
        ? 'vec4<f32>(unpack2x16float(w.x), unpack2x16float(w.y))'
        : 'f16x4_to_f32(vec4<u32>(w.x, w.x >> 16u, w.y, w.y >> 16u))';
  return `fn ld_${name}4(p: u32) -> vec4<f32> { let w = ${buffer}[p >> 2u]; return ${four}; }\nfn ld_${name}(p: u32) -> f32 { return ${one(`${buffer}[p >> 2u][(p >> 1u) & 1u]`)}; }\n`;
}

function source(
  dtype: DType,
  a: Access,
  b: Access,
  added: boolean,
  epilogue: Epilogue,
  split: boolean,
  unpack: boolean,
): string {
  const half = isHalf(dtype);
  const vectors = a !== 'single' && b !== 'single';
  const aVector = a !== 'single';
  const bVector = b !== 'single';
  const element = (vector: boolean) => (half ? (vector ? 'vec2<u32>' : 'u32') : vector ? 'vec4<f32>' : 'f32');
  let text = '@group(0) @binding(0) var<uniform> U: array<vec4<u32>, 16>;\n';
  text += storage(1, 'A', element(aVector), 'read') + storage(2, 'B', element(bVector), 'read');
  if (added) text += storage(3, 'Added', 'u32', 'read');
  const scanned = dtype === 'bfloat16';
  if (scanned) text += storage(added ? 4 : 3, 'Smallest', 'u32', 'read');
  text += storage(3 + (added ? 1 : 0) + (scanned ? 1 : 0), 'Out', 'u32', 'read_write');
  text += loads('a', dtype, aVector, unpack) + loads('b', dtype, bVector, unpack);
  if (added) {
    const value = half ? `${widening(dtype)}((Added[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu)` : 'Added[p]';
    text += `fn ld_added(p: u32) -> u32 { return ${value}; }\n`;
  }
  const u = (word: number) => `U[${word >> 2}u].${'xyzw'[word & 3]}`;
  text += /* wgsl */ `
fn finished(acc: u32, added_at: u32) -> u32 {
  var r = acc;
`;
  if (epilogue === 'bias') {
    // A float16 sum is a multiple of 2^-48, as its bias is: the adapter's own addition is exact enough, as in the loop over k.
    text +=
      dtype === 'float16'
        ? '  r = bitcast<u32>(bitcast<f32>(r) + bitcast<f32>(ld_added(added_at)));\n'
        : '  r = f32_add(r, ld_added(added_at));\n';
  } else if (epilogue === 'scaled') {
    text += `  r = f32_mul(r, ${u(at.alpha)});\n`;
    // beta = 0 ignores the added term, NaN and infinity included.
    if (added) text += `  if (${u(at.beta)} != 0u) { r = f32_add(r, f32_mul(ld_added(added_at), ${u(at.beta)})); }\n`;
  }
  text += `  return ${half ? `${narrowing(dtype)}(r)` : 'r'};\n}\n`;
  text += /* wgsl */ `
@compute @workgroup_size(${groupEdge}, ${groupEdge})
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  let M = ${u(at.m)};
  let N = ${u(at.n)};
  let K = ${u(at.k)};
  let row = g.y * ${tile}u;
  let col = g.x * ${tile}u;
  if (row >= M || col >= N) { return; }
  var pa = ${u(at.a)};
  var pb = ${u(at.b)};
  var pc = ${u(at.added)};
  var rest = g.z;
  for (var d = ${u(at.batchRank)}; d > 0u; d--) {
    let size = U[(${at.batchDims - 1}u + d) >> 2u][(${at.batchDims - 1}u + d) & 3u];
    let q = rest / size;
    let r = rest - q * size;
    pa += r * U[(${at.batchA - 1}u + d) >> 2u][(${at.batchA - 1}u + d) & 3u];
    pb += r * U[(${at.batchB - 1}u + d) >> 2u][(${at.batchB - 1}u + d) & 3u];
    pc += r * U[(${at.batchAdded - 1}u + d) >> 2u][(${at.batchAdded - 1}u + d) & 3u];
    rest = q;
  }
  let am = ${u(at.a + 1)};
  let ak = ${u(at.a + 2)};
  let bk = ${u(at.b + 1)};
  let bn = ${u(at.b + 2)};
`;
  // Rows and columns past the edge repeat the last one: loads stay in bounds, their results are not stored.
  for (let r = 0; r < tile; r++) text += `  let a${r} = pa + min(row + ${r}u, M - 1u) * am;\n`;
  for (let c = 0; c < tile; c++) text += `  let b${c} = pb + min(col + ${c}u, N - 1u) * bn;\n`;
  if (a === 'across') text += '  let aa = pa + row;\n';
  if (b === 'across') text += '  let bb = pb + col;\n';
  for (let r = 0; r < tile; r++) text += `  var c${r} = vec4<f32>();\n`;
  text += '  var k = 0u;\n';
  if (vectors) {
    text += '  for (; k + 4u <= K; k += 4u) {\n';
    for (let r = 0; r < 4; r++) {
      text +=
        a === 'along k' ? `    let x${r} = ld_a4(a${r} + k);\n` : `    let x${r} = ld_a4(aa + (k + ${r}u) * ak);\n`;
      text +=
        b === 'along k' ? `    let y${r} = ld_b4(b${r} + k);\n` : `    let y${r} = ld_b4(bb + (k + ${r}u) * bk);\n`;
    }
    for (let kk = 0; kk < 4; kk++) {
      const lane = 'xyzw'[kk];
      const right = b === 'along k' ? `vec4<f32>(y0.${lane}, y1.${lane}, y2.${lane}, y3.${lane})` : `y${kk}`;
      text += `    let v${kk} = ${right};\n`;
      for (let r = 0; r < tile; r++)
        text += `    c${r} += ${a === 'along k' ? `x${r}.${lane}` : `x${kk}.${'xyzw'[r]}`} * v${kk};\n`;
    }
    text += '  }\n';
  }
  text += '  for (; k < K; k++) {\n';
  const columns = Array.from({ length: tile }, (_, c) => `ld_b(b${c} + k * bk)`).join(', ');
  text += `    let v = vec4<f32>(${columns});\n`;
  for (let r = 0; r < tile; r++) text += `    c${r} += ld_a(a${r} + k * ak) * v;\n`;
  text += '  }\n';
  if (scanned) {
    // Every product is a multiple of 2^(ea + eb - 268), ea and eb the smallest exponent fields. From 2^-126 on no partial sum is subnormal.
    text += `  var ea = 255u;
  var eb = 255u;
  for (var i = 0u; i < ${u(at.scan)}; i++) { ea = min(ea, Smallest[i]); }
  for (var i = 0u; i < ${u(at.scan + 1)}; i++) { eb = min(eb, Smallest[${u(at.scan)} + i]); }
  let tiny = ea == 0u || eb == 0u || ea + eb < 142u;
`;
  }
  // Loops with one place each that finishes and stores: sixteen copies of the rounding would take a second to compile.
  text += '  var acc = array<vec4<f32>, 4>(c0, c1, c2, c3);\n';
  text += '  let last_row = min(4u, M - row);\n  let last_col = min(4u, N - col);\n';
  text += '  for (var r = 0u; r < last_row; r++) {\n';
  text += '    let to = (g.z * M + row + r) * N + col;\n';
  if (half && !split) text += '    var w = 0u;\n';
  text += '    for (var c = 0u; c < last_col; c++) {\n';
  text += '      var s = bitcast<u32>(acc[r][c]);\n';
  if (scanned) {
    text += `      var redo = tiny;
      while (redo) {
        s = 0u;
        for (var j = 0u; j < K; j++) {
          let x = bitcast<u32>(ld_a(pa + (row + r) * am + j * ak));
          s = f32_add(s, f32_mul(x, bitcast<u32>(ld_b(pb + j * bk + (col + c) * bn))));
        }
        redo = false;
      }
`;
  }
  text += `      let v = finished(s, ${added ? `pc + (row + r) * ${u(at.added + 1)} + (col + c) * ${u(at.added + 2)}` : '0u'});\n`;
  if (half && !split) {
    text += `      w |= v << ((c & 1u) << 4u);
      if ((c & 1u) == 1u || c + 1u == last_col) {
        Out[(to + c) >> 1u] = w;
        w = 0u;
      }
`;
  } else text += '      Out[to + c] = v;\n';
  text += '    }\n  }\n';
  return link(`${text}}\n`);
}
