/** Matrix products: matmul with broadcasting, mm, bmm, mv, dot. matmul-kernel.ts has the loops and says in which order they add. */
import { type DType, type HostTensor, scalarTypeName } from '../formats/dtype';
import { broadcastPair, elementCount } from './broadcast';
import { store } from './elementwise';
import { multiply, operand, productTolerance, transposed } from './matmul-kernel';
import { type Builder, defineOp, type TensorSpec, TorchError, type Value } from './record';
import type { Floats } from './summation-order';

/** C++ names of dtypes, as caffe2::TypeMeta prints them. */
export const cppName: Readonly<Record<DType, string>> = {
  float32: 'float',
  float64: 'double',
  float16: 'c10::Half',
  bfloat16: 'c10::BFloat16',
  int64: 'long int',
  int32: 'int',
  int16: 'short int',
  int8: 'signed char',
  uint8: 'unsigned char',
  bool: 'bool',
};

/** Accumulators of a product of batches: `batches` pairs of offsets into a ([m, k] each) and b ([k, n] each). */
function batchedProduct(
  a: HostTensor,
  b: HostTensor,
  m: number,
  n: number,
  k: number,
  batches: readonly (readonly [number, number])[],
): Floats {
  const x = operand(a);
  const y = operand(b);
  const out: Floats =
    x instanceof Float32Array ? new Float32Array(batches.length * m * n) : new Float64Array(batches.length * m * n);
  const transposes = new Map<number, Floats>();
  batches.forEach(([aIndex, bIndex], i) => {
    let bT = transposes.get(bIndex);
    if (!bT) {
      // A vector is its own transpose.
      bT = n === 1 && y.length === k ? y : transposed(y, bIndex * k * n, k, n);
      if (transposes.size > 0 && bIndex !== i) transposes.clear();
      transposes.set(bIndex, bT);
    }
    multiply(x, aIndex * m * k, bT, m, n, k, out, i * m * n);
  });
  return out;
}

export const fail = (message: string): never => {
  throw new TorchError('RuntimeError', message);
};
export const list = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

export function checkNotBool(dtype: DType, kernel: string): void {
  if (dtype === 'bool') throw new TorchError('NotImplementedError', `"${kernel}" not implemented for 'Bool'`);
}

function checkDot(a: TensorSpec, b: TensorSpec): void {
  if (a.shape.length !== 1 || b.shape.length !== 1)
    fail(`1D tensors expected, but got ${a.shape.length}D and ${b.shape.length}D tensors`);
  if (a.dtype !== b.dtype) {
    fail(
      `dot : expected both vectors to have same dtype, but found ${scalarTypeName[a.dtype]} and ${scalarTypeName[b.dtype]}`,
    );
  }
  if (a.shape[0] !== b.shape[0]) {
    fail(
      `inconsistent tensor size, expected tensor ${list(a.shape)} and src ${list(b.shape)} to have the same number of elements, but got ${a.shape[0]} and ${b.shape[0]} elements respectively`,
    );
  }
  checkNotBool(a.dtype, 'dot');
}

function checkMv(a: TensorSpec, v: TensorSpec): void {
  if (a.shape.length !== 2 || v.shape.length !== 1)
    fail(`vector + matrix @ vector expected, got 1, ${a.shape.length}, ${v.shape.length}`);
  const [m, k] = a.shape;
  if (v.shape[0] !== k) fail(`size mismatch, got input (${m}), mat (${m}x${k}), vec (${v.shape[0]})`);
  if (a.dtype !== v.dtype) {
    const names = [v.dtype, a.dtype, v.dtype].map((d) => scalarTypeName[d]);
    fail(`addmv input tensors must have the same dtype, but got ${names[0]}, ${names[1]}, and ${names[2]}`);
  }
  checkNotBool(a.dtype, 'addmv_impl_cpu');
}

function checkMm(a: TensorSpec, b: TensorSpec): void {
  if (a.shape.length !== 2) fail('self must be a matrix');
  if (b.shape.length !== 2) fail('mat2 must be a matrix');
  if (a.shape[1] !== b.shape[0])
    fail(`mat1 and mat2 shapes cannot be multiplied (${a.shape.join('x')} and ${b.shape.join('x')})`);
  if (a.dtype !== b.dtype)
    fail(`expected m1 and m2 to have the same dtype, but got: ${cppName[a.dtype]} != ${cppName[b.dtype]}`);
  checkNotBool(a.dtype, 'addmm_impl_cpu_');
}

export function checkBmm(a: TensorSpec, b: TensorSpec): void {
  if (a.shape.length !== 3) fail('batch1 must be a 3D tensor');
  if (b.shape.length !== 3) fail('batch2 must be a 3D tensor');
  if (a.shape[0] !== b.shape[0] || a.shape[2] !== b.shape[1]) {
    fail(
      `Expected size for first two dimensions of batch2 tensor to be: [${a.shape[0]}, ${a.shape[2]}] but got: [${b.shape[0]}, ${b.shape[1]}].`,
    );
  }
  if (a.dtype !== b.dtype) fail(`expected scalar type ${scalarTypeName[a.dtype]} but found ${scalarTypeName[b.dtype]}`);
  checkNotBool(a.dtype, 'bmm');
}

/** How a call of matmul maps on batches of plain matrix products. */
interface MatmulPlan {
  readonly shape: readonly number[];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly aBatch: readonly number[];
  readonly bBatch: readonly number[];
  readonly batch: readonly number[];
}

/** Checks in torch.matmul's order, so that its inner op (dot, mv, mm, bmm) reports the fault in its own words. */
export function planMatmul(a: TensorSpec, b: TensorSpec): MatmulPlan {
  const [ra, rb] = [a.shape.length, b.shape.length];
  if (ra === 0 || rb === 0) fail(`both arguments to matmul need to be at least 1D, but they are ${ra}D and ${rb}D`);
  const aMatrix = ra === 1 ? [1, a.shape[0]] : a.shape;
  const bMatrix = rb === 1 ? [b.shape[0], 1] : b.shape;
  const m = aMatrix[aMatrix.length - 2];
  const k = aMatrix[aMatrix.length - 1];
  const n = bMatrix[bMatrix.length - 1];
  const aBatch = aMatrix.slice(0, -2);
  const bBatch = bMatrix.slice(0, -2);
  const batch = broadcastPair(aBatch, bBatch);
  const folded: TensorSpec = { dtype: a.dtype, shape: [elementCount(aBatch) * m, k] };
  if (ra === 1 && rb === 1) checkDot(a, b);
  else if (rb === 1) checkMv(folded, b);
  else if (rb === 2) checkMm(folded, { dtype: b.dtype, shape: bMatrix });
  else
    checkBmm(
      { dtype: a.dtype, shape: [elementCount(batch), m, k] },
      { dtype: b.dtype, shape: [elementCount(batch), bMatrix[bMatrix.length - 2], n] },
    );
  return { shape: [...batch, ...(ra === 1 ? [] : [m]), ...(rb === 1 ? [] : [n])], m, n, k, aBatch, bBatch, batch };
}

/** For every batch of the result, which matrix of an operand with batch dims `own` it reads. */
function batchIndices(own: readonly number[], batch: readonly number[]): number[] {
  const total = elementCount(batch);
  const indices = new Array<number>(total);
  for (let flat = 0; flat < total; flat++) {
    let rest = flat;
    let index = 0;
    let step = 1;
    for (let d = batch.length - 1; d >= 0; d--) {
      const position = rest % batch[d];
      rest = Math.floor(rest / batch[d]);
      const size = own[d - (batch.length - own.length)] ?? 1;
      if (size !== 1) index += position * step;
      step *= size;
    }
    indices[flat] = index;
  }
  return indices;
}

export function matmulHost(a: HostTensor, b: HostTensor): Floats {
  const plan = planMatmul(a, b);
  if (plan.bBatch.length === 0)
    return batchedProduct(a, b, elementCount(plan.aBatch) * plan.m, plan.n, plan.k, [[0, 0]]);
  const aOf = batchIndices(plan.aBatch, plan.batch);
  const bOf = batchIndices(plan.bBatch, plan.batch);
  return batchedProduct(
    a,
    b,
    plan.m,
    plan.n,
    plan.k,
    aOf.map((index, i) => [index, bOf[i]] as const),
  );
}

/** Sums a gradient over the batch dims that broadcasting added or stretched. */
function sumToShape(b: Builder, grad: Value, shape: readonly number[]): Value {
  const extra = grad.shape.length - shape.length;
  const dims = grad.shape.map((_, i) => i).filter((i) => i < extra || (shape[i - extra] === 1 && grad.shape[i] !== 1));
  const summed = dims.length > 0 ? b.sum(grad, dims, true) : grad;
  return b.reshape(summed, shape);
}

/** Gradients of a @ b: grad @ b^T and a^T @ grad, with vectors as one-row or one-column matrices. */
export function matmulBackward(
  b: Builder,
  x: Value,
  y: Value,
  grad: Value,
  needs: readonly boolean[],
): (Value | null)[] {
  const rx = x.shape.length;
  const ry = y.shape.length;
  if (ry <= 2 && rx > 2) {
    // A batch of rows times one matrix is a single matrix product.
    const k = x.shape[rx - 1];
    const rows = elementCount(x.shape) / Math.max(k, 1);
    const n = ry === 1 ? 1 : y.shape[1];
    const flatGrad = b.reshape(grad, [rows, n]);
    const gx = needs[0]
      ? b.reshape(b.matmul(flatGrad, ry === 1 ? b.reshape(y, [1, k]) : b.transpose(y, 0, 1)), x.shape)
      : null;
    const gy = needs[1] ? b.reshape(b.matmul(b.transpose(b.reshape(x, [rows, k]), 0, 1), flatGrad), y.shape) : null;
    return [gx, gy];
  }
  // Only what a wanted gradient reads has been saved, so each operand is touched only where it is read.
  const xm = (): Value => (rx === 1 ? b.unsqueeze(x, 0) : x);
  const ym = (): Value => (ry === 1 ? b.unsqueeze(y, 1) : y);
  const xmShape = rx === 1 ? [1, ...x.shape] : x.shape;
  const ymShape = ry === 1 ? [...y.shape, 1] : y.shape;
  let g = grad;
  if (rx === 1) g = b.unsqueeze(g, ry === 1 ? g.shape.length : g.shape.length - 1);
  if (ry === 1) g = b.unsqueeze(g, g.shape.length);
  const gx = needs[0] ? sumToShape(b, b.matmul(g, b.transpose(ym(), -2, -1)), xmShape) : null;
  const gy = needs[1] ? sumToShape(b, b.matmul(b.transpose(xm(), -2, -1), g), ymShape) : null;
  return [gx && rx === 1 ? b.reshape(gx, x.shape) : gx, gy && ry === 1 ? b.reshape(gy, y.shape) : gy];
}

const product = (
  name: string,
  gradName: string,
  doc: string,
  cuda: 'lower_precision_fp' | 'promote',
  cpu: 'lower_precision_fp' | 'none',
  params: string,
  check: (a: TensorSpec, b: TensorSpec) => void,
): void => {
  defineOp({
    name,
    doc,
    params,
    promotion: 'same',
    infer: ([a, b]) => {
      check(a, b);
      return [{ dtype: a.dtype, shape: planMatmul(a, b).shape }];
    },
    reference: ([a, b], _attrs, [out]) => [store(out.dtype, matmulHost(a, b))],
    wgsl: { kind: 'kernel', kernel: 'matmul' },
    gradName,
    gradient: {
      saves: { inputs: [0, 1], readBy: [{ inputs: [1] }, { inputs: [0] }] },
      backward: ({ b, inputs: [x, y], gradOutput, needs }) => matmulBackward(b, x, y, gradOutput, needs),
    },
    autocast: { cpu, cuda },
    tolerance: productTolerance,
    samples: productSamples[name],
  });
};

export const matrixSample = {
  inputs: [
    { shape: [2, 3], values: [1, 2, 3, -4, 0.5, 6] },
    { shape: [3, 2], values: [1, 0.1, -2, 1000, 3, 1e-3] },
  ],
};
export const productSamples: Record<
  string,
  readonly { readonly inputs: readonly { readonly shape: readonly number[]; readonly values: readonly number[] }[] }[]
> = {
  matmul: [
    matrixSample,
    {
      inputs: [
        { shape: [2, 1, 1, 2], values: [1, 2, 3, 4] },
        { shape: [3, 2, 1], values: [1, 2, 3, 4, 5, 6] },
      ],
    },
    {
      inputs: [
        { shape: [2, 2, 2], values: [1, 2, 3, 4, 5, 6, 7, 8] },
        { shape: [2], values: [1, -1] },
      ],
    },
    {
      inputs: [
        { shape: [2], values: [1, 2] },
        { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
      ],
    },
    // 256 * 256 = 65536 is beyond float16; the sum returns into range before the one rounding.
    {
      inputs: [
        { shape: [2], values: [256, -256] },
        { shape: [2], values: [256, 255] },
      ],
    },
    {
      inputs: [
        { shape: [2, 0], values: [] },
        { shape: [0, 3], values: [] },
      ],
    },
  ],
  mm: [matrixSample],
  bmm: [
    {
      inputs: [
        { shape: [2, 1, 2], values: [1, 2, 3, 4] },
        { shape: [2, 2, 1], values: [1, 2, 3, 4] },
      ],
    },
  ],
  mv: [
    {
      inputs: [
        { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
        { shape: [3], values: [1, -1, 0.5] },
      ],
    },
  ],
  dot: [
    {
      inputs: [
        { shape: [3], values: [1, 2, 3] },
        { shape: [3], values: [0.1, -1, 2] },
      ],
    },
  ],
};

product(
  'matmul',
  'Mm',
  'Matrix product with broadcasting over batch dims: [..., m, k] @ [..., k, n] -> [..., m, n]; a 1-d operand is a row (left) or a column (right) whose dim is dropped from the result.',
  'lower_precision_fp',
  'lower_precision_fp',
  'self: Tensor, other: Tensor',
  planMatmul,
);
product(
  'mm',
  'Mm',
  'Matrix product [m, k] @ [k, n] -> [m, n].',
  'lower_precision_fp',
  'lower_precision_fp',
  'self: Tensor, mat2: Tensor',
  checkMm,
);
product(
  'bmm',
  'Bmm',
  'Batched matrix product [b, m, k] @ [b, k, n] -> [b, m, n].',
  'lower_precision_fp',
  'lower_precision_fp',
  'self: Tensor, mat2: Tensor',
  checkBmm,
);
product(
  'mv',
  'Mv',
  'Matrix times vector [m, k] @ [k] -> [m].',
  'lower_precision_fp',
  'none',
  'self: Tensor, vec: Tensor',
  checkMv,
);
product(
  'dot',
  'Dot',
  'Inner product of two vectors [k], [k] -> [].',
  'promote',
  'none',
  'self: Tensor, tensor: Tensor',
  checkDot,
);
