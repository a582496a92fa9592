/**
 * Matrix products. One order everywhere: every output has one accumulator, k runs upwards, and each step is
 * acc = round(acc + round(a * b)) in float32 (in double for float64). The product of two float16 or bfloat16 values is exact in
 * float32, so for them only the additions round, and the result is rounded once when it is stored.
 */
import { isHalf, scalarTypeName, type DType, type HostTensor } from '../formats/dtype';
import { readElements, writeElements } from '../formats/host-elements';
import { numel } from './dimensions';
import { defineOp, TorchError, type Builder, type Scalar, type TensorSpec, type Tolerance, type Value } from './record';
import type { Floats } from './summation-order';

const tolerance: { readonly half: Tolerance; readonly float32: Tolerance } = {
  half: { ulp: 0, source: 'k ascending in one float32 accumulator; PyTorch itself is within 1 ulp of this' },
  float32: { ulp: 0, source: 'k ascending in one float32 accumulator; MKL chooses another order' },
};

/** C++ names of dtypes, as caffe2::TypeMeta prints them. */
const cppName: Readonly<Record<DType, string>> = {
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

/** The array that a product of this dtype is computed in. */
function operand(host: HostTensor): Floats {
  const elements = readElements(host);
  if (host.dtype === 'float32' || isHalf(host.dtype)) return elements as Float32Array;
  return elements instanceof Float64Array ? elements : Float64Array.from(elements);
}

/** [rows, columns] at `start`, transposed into a fresh array. */
function transposed(x: Floats, start: number, rows: number, columns: number): Floats {
  const out: Floats = x instanceof Float32Array ? new Float32Array(rows * columns) : new Float64Array(rows * columns);
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) out[c * rows + r] = x[start + r * columns + c]!;
  return out;
}

/**
 * out[m, n] = a[m, k] @ bT[n, k] transposed. Both operands run along k contiguously; a tile of 2 x 4 outputs keeps eight
 * independent accumulators in registers, each of them still adding in ascending k.
 */
function multiply32(a: Float32Array, aStart: number, bT: Float32Array, m: number, n: number, k: number, out: Float32Array, outStart: number): void {
  const f = Math.fround;
  for (let i = 0; i < m; i += 2) {
    const pair = i + 1 < m;
    const a0 = aStart + i * k;
    const a1 = pair ? a0 + k : a0;
    const out0 = outStart + i * n;
    for (let j = 0; j < n; j += 4) {
      const b0 = j * k;
      const b1 = j + 1 < n ? b0 + k : b0;
      const b2 = j + 2 < n ? b0 + 2 * k : b0;
      const b3 = j + 3 < n ? b0 + 3 * k : b0;
      let s00 = f(0), s01 = f(0), s02 = f(0), s03 = f(0);
      let s10 = f(0), s11 = f(0), s12 = f(0), s13 = f(0);
      for (let p = 0; p < k; p++) {
        const x0 = a[a0 + p]!;
        const x1 = a[a1 + p]!;
        const y0 = bT[b0 + p]!;
        const y1 = bT[b1 + p]!;
        const y2 = bT[b2 + p]!;
        const y3 = bT[b3 + p]!;
        s00 = f(s00 + f(x0 * y0));
        s01 = f(s01 + f(x0 * y1));
        s02 = f(s02 + f(x0 * y2));
        s03 = f(s03 + f(x0 * y3));
        s10 = f(s10 + f(x1 * y0));
        s11 = f(s11 + f(x1 * y1));
        s12 = f(s12 + f(x1 * y2));
        s13 = f(s13 + f(x1 * y3));
      }
      out[out0 + j] = s00;
      if (j + 1 < n) out[out0 + j + 1] = s01;
      if (j + 2 < n) out[out0 + j + 2] = s02;
      if (j + 3 < n) out[out0 + j + 3] = s03;
      if (pair) {
        out[out0 + n + j] = s10;
        if (j + 1 < n) out[out0 + n + j + 1] = s11;
        if (j + 2 < n) out[out0 + n + j + 2] = s12;
        if (j + 3 < n) out[out0 + n + j + 3] = s13;
      }
    }
  }
}

/** The same in doubles: float64 rounds there by itself, integers are exact up to 2^53. */
function multiply64(a: Float64Array, aStart: number, bT: Float64Array, m: number, n: number, k: number, out: Float64Array, outStart: number): void {
  for (let i = 0; i < m; i++) {
    const a0 = aStart + i * k;
    for (let j = 0; j < n; j++) {
      let total = 0;
      for (let p = 0; p < k; p++) total += a[a0 + p]! * bT[j * k + p]!;
      out[outStart + i * n + j] = total;
    }
  }
}

function multiply(a: Floats, aStart: number, bT: Floats, m: number, n: number, k: number, out: Floats, outStart: number): void {
  if (a instanceof Float32Array) multiply32(a, aStart, bT as Float32Array, m, n, k, out as Float32Array, outStart);
  else multiply64(a, aStart, bT as Float64Array, m, n, k, out as Float64Array, outStart);
}

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
  const out: Floats = x instanceof Float32Array ? new Float32Array(batches.length * m * n) : new Float64Array(batches.length * m * n);
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

const fail = (message: string): never => {
  throw new TorchError('RuntimeError', message);
};
const list = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

function checkNotBool(dtype: DType, kernel: string): void {
  if (dtype === 'bool') throw new TorchError('NotImplementedError', `"${kernel}" not implemented for 'Bool'`);
}

function checkDot(a: TensorSpec, b: TensorSpec): void {
  if (a.shape.length !== 1 || b.shape.length !== 1) fail(`1D tensors expected, but got ${a.shape.length}D and ${b.shape.length}D tensors`);
  if (a.dtype !== b.dtype) {
    fail(`dot : expected both vectors to have same dtype, but found ${scalarTypeName[a.dtype]} and ${scalarTypeName[b.dtype]}`);
  }
  if (a.shape[0] !== b.shape[0]) {
    fail(
      `inconsistent tensor size, expected tensor ${list(a.shape)} and src ${list(b.shape)} to have the same number of elements, but got ${a.shape[0]} and ${b.shape[0]} elements respectively`,
    );
  }
  checkNotBool(a.dtype, 'dot');
}

function checkMv(a: TensorSpec, v: TensorSpec): void {
  if (a.shape.length !== 2 || v.shape.length !== 1) fail(`vector + matrix @ vector expected, got 1, ${a.shape.length}, ${v.shape.length}`);
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
  if (a.shape[1] !== b.shape[0]) fail(`mat1 and mat2 shapes cannot be multiplied (${a.shape.join('x')} and ${b.shape.join('x')})`);
  if (a.dtype !== b.dtype) fail(`expected m1 and m2 to have the same dtype, but got: ${cppName[a.dtype]} != ${cppName[b.dtype]}`);
  checkNotBool(a.dtype, 'addmm_impl_cpu_');
}

function checkBmm(a: TensorSpec, b: TensorSpec): void {
  if (a.shape.length !== 3) fail('batch1 must be a 3D tensor');
  if (b.shape.length !== 3) fail('batch2 must be a 3D tensor');
  if (a.shape[0] !== b.shape[0] || a.shape[2] !== b.shape[1]) {
    fail(`Expected size for first two dimensions of batch2 tensor to be: [${a.shape[0]}, ${a.shape[2]}] but got: [${b.shape[0]}, ${b.shape[1]}].`);
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
function planMatmul(a: TensorSpec, b: TensorSpec): MatmulPlan {
  const [ra, rb] = [a.shape.length, b.shape.length];
  if (ra === 0 || rb === 0) fail(`both arguments to matmul need to be at least 1D, but they are ${ra}D and ${rb}D`);
  const aMatrix = ra === 1 ? [1, a.shape[0]!] : a.shape;
  const bMatrix = rb === 1 ? [b.shape[0]!, 1] : b.shape;
  const m = aMatrix[aMatrix.length - 2]!;
  const k = aMatrix[aMatrix.length - 1]!;
  const n = bMatrix[bMatrix.length - 1]!;
  const aBatch = aMatrix.slice(0, -2);
  const bBatch = bMatrix.slice(0, -2);
  const batch = broadcastBatch(aBatch, bBatch);
  const folded: TensorSpec = { dtype: a.dtype, shape: [numel(aBatch) * m, k] };
  if (ra === 1 && rb === 1) checkDot(a, b);
  else if (rb === 1) checkMv(folded, b);
  else if (rb === 2) checkMm(folded, { dtype: b.dtype, shape: bMatrix });
  else checkBmm({ dtype: a.dtype, shape: [numel(batch), m, k] }, { dtype: b.dtype, shape: [numel(batch), bMatrix[bMatrix.length - 2]!, n] });
  return { shape: [...batch, ...(ra === 1 ? [] : [m]), ...(rb === 1 ? [] : [n])], m, n, k, aBatch, bBatch, batch };
}

function broadcastBatch(a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - (rank - a.length)] ?? 1;
    const y = b[i - (rank - b.length)] ?? 1;
    if (x !== y && x !== 1 && y !== 1) fail(`The size of tensor a (${x}) must match the size of tensor b (${y}) at non-singleton dimension ${i}`);
    return x === 1 ? y : x;
  });
}

/** For every batch of the result, which matrix of an operand with batch dims `own` it reads. */
function batchIndices(own: readonly number[], batch: readonly number[]): number[] {
  const total = numel(batch);
  const indices = new Array<number>(total);
  for (let flat = 0; flat < total; flat++) {
    let rest = flat;
    let index = 0;
    let step = 1;
    for (let d = batch.length - 1; d >= 0; d--) {
      const position = rest % batch[d]!;
      rest = Math.floor(rest / batch[d]!);
      const size = own[d - (batch.length - own.length)] ?? 1;
      if (size !== 1) index += position * step;
      step *= size;
    }
    indices[flat] = index;
  }
  return indices;
}

function matmulHost(a: HostTensor, b: HostTensor): Floats {
  const plan = planMatmul(a, b);
  if (plan.bBatch.length === 0) return batchedProduct(a, b, numel(plan.aBatch) * plan.m, plan.n, plan.k, [[0, 0]]);
  const aOf = batchIndices(plan.aBatch, plan.batch);
  const bOf = batchIndices(plan.bBatch, plan.batch);
  return batchedProduct(a, b, plan.m, plan.n, plan.k, aOf.map((index, i) => [index, bOf[i]!] as const));
}

/** Sums a gradient over the batch dims that broadcasting added or stretched. */
function sumToShape(b: Builder, grad: Value, shape: readonly number[]): Value {
  const extra = grad.shape.length - shape.length;
  const dims = grad.shape.map((_, i) => i).filter((i) => i < extra || (shape[i - extra] === 1 && grad.shape[i] !== 1));
  const summed = dims.length > 0 ? b.sum(grad, dims, true) : grad;
  return b.reshape(summed, shape);
}

/** Gradients of a @ b: grad @ b^T and a^T @ grad, with vectors as one-row or one-column matrices. */
function matmulBackward(b: Builder, x: Value, y: Value, grad: Value, needs: readonly boolean[]): (Value | null)[] {
  const rx = x.shape.length;
  const ry = y.shape.length;
  if (ry <= 2 && rx > 2) {
    // A batch of rows times one matrix is a single matrix product.
    const k = x.shape[rx - 1]!;
    const rows = numel(x.shape) / Math.max(k, 1);
    const n = ry === 1 ? 1 : y.shape[1]!;
    const flatGrad = b.reshape(grad, [rows, n]);
    const gx = needs[0] ? b.reshape(b.matmul(flatGrad, ry === 1 ? b.reshape(y, [1, k]) : b.transpose(y, 0, 1)), x.shape) : null;
    const gy = needs[1] ? b.reshape(b.matmul(b.transpose(b.reshape(x, [rows, k]), 0, 1), flatGrad), y.shape) : null;
    return [gx, gy];
  }
  const xm = rx === 1 ? b.unsqueeze(x, 0) : x;
  const ym = ry === 1 ? b.unsqueeze(y, 1) : y;
  let g = grad;
  if (rx === 1) g = b.unsqueeze(g, ry === 1 ? g.shape.length : g.shape.length - 1);
  if (ry === 1) g = b.unsqueeze(g, g.shape.length);
  const gx = needs[0] ? sumToShape(b, b.matmul(g, b.transpose(ym, -2, -1)), xm.shape) : null;
  const gy = needs[1] ? sumToShape(b, b.matmul(b.transpose(xm, -2, -1), g), ym.shape) : null;
  return [gx && rx === 1 ? b.reshape(gx, x.shape) : gx, gy && ry === 1 ? b.reshape(gy, y.shape) : gy];
}

const product = (name: string, gradName: string, doc: string, cuda: 'lower_precision_fp' | 'promote', cpu: 'lower_precision_fp' | 'none', params: string, check: (a: TensorSpec, b: TensorSpec) => void): void => {
  defineOp({
    name,
    doc,
    params,
    promotion: 'same',
    infer: ([a, b]) => {
      check(a!, b!);
      return [{ dtype: a!.dtype, shape: planMatmul(a!, b!).shape }];
    },
    reference: ([a, b], _attrs, [out]) => [writeElements(out!.dtype, matmulHost(a!, b!))],
    wgsl: 'host',
    gradName,
    gradient: {
      saves: { inputs: [0, 1] },
      backward: ({ b, inputs: [x, y], gradOutput, needs }) => matmulBackward(b, x!, y!, gradOutput, needs),
    },
    autocast: { cpu, cuda },
    tolerance,
    samples: productSamples[name]!,
  });
};

const matrixSample = {
  inputs: [
    { shape: [2, 3], values: [1, 2, 3, -4, 0.5, 6] },
    { shape: [3, 2], values: [1, 0.1, -2, 1000, 3, 1e-3] },
  ],
};
const productSamples: Record<string, readonly { readonly inputs: readonly { readonly shape: readonly number[]; readonly values: readonly number[] }[] }[]> = {
  matmul: [
    matrixSample,
    { inputs: [{ shape: [2, 1, 2], values: [1, 2, 3, 4] }, { shape: [3, 2, 1], values: [1, 2, 3, 4, 5, 6] }] },
    { inputs: [{ shape: [2, 2, 2], values: [1, 2, 3, 4, 5, 6, 7, 8] }, { shape: [2], values: [1, -1] }] },
    { inputs: [{ shape: [2], values: [1, 2] }, { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }] },
    // 256 * 256 = 65536 is beyond float16; the sum returns into range before the one rounding.
    { inputs: [{ shape: [2], values: [256, -256] }, { shape: [2], values: [256, 255] }] },
    { inputs: [{ shape: [2, 0], values: [] }, { shape: [0, 3], values: [] }] },
  ],
  mm: [matrixSample],
  bmm: [{ inputs: [{ shape: [2, 1, 2], values: [1, 2, 3, 4] }, { shape: [2, 2, 1], values: [1, 2, 3, 4] }] }],
  mv: [{ inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }, { shape: [3], values: [1, -1, 0.5] }] }],
  dot: [{ inputs: [{ shape: [3], values: [1, 2, 3] }, { shape: [3], values: [0.1, -1, 2] }] }],
};

product('matmul', 'Mm', 'Matrix product with broadcasting over batch dims: [..., m, k] @ [..., k, n] -> [..., m, n]; a 1-d operand is a row (left) or a column (right) whose dim is dropped from the result.', 'lower_precision_fp', 'lower_precision_fp', 'self: Tensor, other: Tensor', planMatmul);
product('mm', 'Mm', 'Matrix product [m, k] @ [k, n] -> [m, n].', 'lower_precision_fp', 'lower_precision_fp', 'self: Tensor, mat2: Tensor', checkMm);
product('bmm', 'Bmm', 'Batched matrix product [b, m, k] @ [b, k, n] -> [b, m, n].', 'lower_precision_fp', 'lower_precision_fp', 'self: Tensor, mat2: Tensor', checkBmm);
product('mv', 'Mv', 'Matrix times vector [m, k] @ [k] -> [m].', 'lower_precision_fp', 'none', 'self: Tensor, vec: Tensor', checkMv);
product('dot', 'Dot', 'Inner product of two vectors [k], [k] -> [].', 'promote', 'none', 'self: Tensor, tensor: Tensor', checkDot);

// --- products with an added term ---

const expandError = (own: readonly number[], target: readonly number[], dtype: DType): never | undefined => {
  if (own.length > target.length) {
    return fail(
      `expand(torch.${scalarTypeName[dtype]}Tensor{${list(own)}}, size=${list(target)}): the number of sizes provided (${target.length}) must be greater or equal to the number of dimensions in the tensor (${own.length})`,
    );
  }
  for (let i = own.length - 1; i >= 0; i--) {
    const at = i + target.length - own.length;
    if (own[i] !== 1 && own[i] !== target[at]) {
      return fail(
        `The expanded size of the tensor (${target[at]}) must match the existing size (${own[i]}) at non-singleton dimension ${at}.  Target sizes: ${list(target)}.  Tensor sizes: ${list(own)}`,
      );
    }
  }
  return undefined;
};

/** beta * added + alpha * product on accumulators, each step rounded in the accumulator's type, as gemm does. */
function addInto(total: Floats, shape: readonly number[], added: HostTensor, beta: number, alpha: number): void {
  const round = total instanceof Float32Array ? Math.fround : (v: number): number => v;
  const values = readElements(added);
  const own = added.shape;
  const step = new Array<number>(shape.length).fill(0);
  let stride = 1;
  for (let i = own.length - 1; i >= 0; i--) {
    step[i + shape.length - own.length] = own[i] === 1 ? 0 : stride;
    stride *= own[i]!;
  }
  const columns = shape[shape.length - 1] ?? 1;
  const last = step[shape.length - 1] ?? 0;
  const rows = columns === 0 ? 0 : total.length / columns;
  for (let r = 0; r < rows; r++) {
    let rest = r;
    let from = 0;
    for (let d = shape.length - 2; d >= 0; d--) {
      from += (rest % shape[d]!) * step[d]!;
      rest = Math.floor(rest / shape[d]!);
    }
    for (let c = 0; c < columns; c++, from += last) {
      const scaled = alpha === 1 ? total[r * columns + c]! : round(alpha * total[r * columns + c]!);
      // beta = 0 ignores the added term, NaN and inf included.
      total[r * columns + c] = beta === 0 ? scaled : scaled + (beta === 1 ? values[from]! : round(beta * values[from]!));
    }
  }
}

const scalarValue = (s: unknown): number => (typeof s === 'number' ? s : ((s as Scalar | null | undefined)?.value ?? 1));

function checkAddmm(self: TensorSpec, a: TensorSpec, b: TensorSpec): number[] {
  if (a.shape.length !== 2) fail(`mat1 must be a matrix, got ${a.shape.length}-D tensor`);
  if (b.shape.length !== 2) fail(`mat2 must be a matrix, got ${b.shape.length}-D tensor`);
  if (a.shape[1] !== b.shape[0]) fail(`mat1 and mat2 shapes cannot be multiplied (${a.shape.join('x')} and ${b.shape.join('x')})`);
  if (a.dtype !== b.dtype && self.dtype === b.dtype) fail(`mat1 and mat2 must have the same dtype, but got ${scalarTypeName[a.dtype]} and ${scalarTypeName[b.dtype]}`);
  if (self.dtype !== b.dtype) fail(`self and mat2 must have the same dtype, but got ${scalarTypeName[self.dtype]} and ${scalarTypeName[b.dtype]}`);
  const shape = [a.shape[0]!, b.shape[1]!];
  expandError(self.shape, shape, self.dtype);
  checkNotBool(a.dtype, 'addmm_impl_cpu_');
  return shape;
}

const addedProduct = (name: string, gradName: string, doc: string, params: string, check: (self: TensorSpec, a: TensorSpec, b: TensorSpec) => number[]): void => {
  defineOp({
    name,
    doc,
    params,
    promotion: 'same',
    infer: ([self, a, b]) => [{ dtype: self!.dtype, shape: check(self!, a!, b!) }],
    reference: ([self, a, b], attrs, [out]) => {
      const total = matmulHost(a!, b!);
      addInto(total, out!.shape, self!, scalarValue(attrs.beta), scalarValue(attrs.alpha));
      return [writeElements(out!.dtype, total)];
    },
    wgsl: 'host',
    gradName,
    gradient: {
      saves: { inputs: [1, 2] },
      backward: ({ b, inputs: [, x, y], attrs, gradOutput, needs }) => {
        const [alpha, beta] = [scalarValue(attrs.alpha), scalarValue(attrs.beta)];
        const [gx, gy] = matmulBackward(b, x!, y!, gradOutput, [needs[1]!, needs[2]!]);
        const times = (v: Value | null | undefined, s: number): Value | null => (v ? (s === 1 ? v : b.mul(v, s)) : null);
        return [needs[0] ? times(gradOutput, beta) : null, times(gx, alpha), times(gy, alpha)];
      },
    },
    autocast: { cpu: 'lower_precision_fp', cuda: 'lower_precision_fp' },
    tolerance,
    samples: [
      name === 'addmm'
        ? { inputs: [{ shape: [2], values: [0.5, -100] }, ...matrixSample.inputs], attrs: { beta: { value: 1, kind: 'int' }, alpha: { value: 1, kind: 'int' } } }
        : {
            inputs: [{ shape: [1], values: [0.5] }, ...productSamples.bmm![0]!.inputs],
            attrs: { beta: { value: 2, kind: 'int' }, alpha: { value: 0.5, kind: 'float' } },
          },
    ],
  });
};

addedProduct('addmm', 'Addmm', 'beta * self + alpha * (mat1 @ mat2), rounded once; self broadcasts to [m, n].', 'self: Tensor, mat1: Tensor, mat2: Tensor, beta: Scalar, alpha: Scalar', checkAddmm);
addedProduct('baddbmm', 'Baddbmm', 'beta * self + alpha * (batch1 @ batch2), rounded once; self broadcasts to [b, m, n].', 'self: Tensor, batch1: Tensor, batch2: Tensor, beta: Scalar, alpha: Scalar', (self, a, b) => {
  if (a.shape.length === 3 && b.shape.length === 3 && a.shape[0] === b.shape[0] && a.shape[2] === b.shape[1] && (self.dtype !== a.dtype || a.dtype !== b.dtype)) {
    fail(`Input dtypes must be the same, got: input ${cppName[self.dtype]}, batch1: ${cppName[a.dtype]}, batch2: ${cppName[b.dtype]}`);
  }
  checkBmm(a, b);
  const shape = [a.shape[0]!, a.shape[1]!, b.shape[2]!];
  expandError(self.shape, shape, self.dtype);
  return shape;
});

/** weight as PyTorch multiplies with it: [out, in] transposed to [in, out]; a 1-d weight stays. */
const turned = (weight: TensorSpec): TensorSpec => ({ dtype: weight.dtype, shape: [...weight.shape].reverse() });

defineOp({
  name: 'linear',
  doc: 'input @ weight.T + bias: [..., in], [out, in], [out] -> [..., out]. Without a bias it is a matmul; with a bias the sum is rounded once, after adding it.',
  params: 'input: Tensor, weight: Tensor, bias: Tensor?',
  promotion: 'same',
  infer: ([input, weight, bias]) => {
    const [ri, rw] = [input!.shape.length, weight!.shape.length];
    if (ri === 0 || rw === 0) fail(`both arguments to linear need to be at least 1D, but they are ${ri}D and ${rw}D`);
    if (rw > 2) fail(`t() expects a tensor with <= 2 dimensions, but self is ${rw}D`);
    if (!bias) {
      if (rw === 1) return [{ dtype: input!.dtype, shape: planMatmul(input!, weight!).shape }];
      return [{ dtype: input!.dtype, shape: planMatmul(input!, turned(weight!)).shape }];
    }
    const rows = numel(input!.shape.slice(0, -1));
    checkAddmm(bias, { dtype: input!.dtype, shape: [rows, input!.shape[ri - 1]!] }, turned(weight!));
    return [{ dtype: input!.dtype, shape: [...input!.shape.slice(0, -1), weight!.shape[0]!] }];
  },
  reference: ([input, weight, bias], _attrs, [out]) => {
    const k = input!.shape[input!.shape.length - 1]!;
    const rows = numel(input!.shape.slice(0, -1));
    const columns = weight!.shape.length === 1 ? 1 : weight!.shape[0]!;
    const x = operand(input!);
    const total: Floats = x instanceof Float32Array ? new Float32Array(rows * columns) : new Float64Array(rows * columns);
    multiply(x, 0, operand(weight!), rows, columns, k, total, 0); // the weight is stored transposed already
    if (bias) addInto(total, [rows, columns], bias, 1, 1);
    return [writeElements(out!.dtype, total)];
  },
  wgsl: 'host',
  gradName: 'Addmm',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, inputs: [x, w], attrs, gradOutput, needs }) => {
      const k = x!.shape[x!.shape.length - 1]!;
      const rows = numel(x!.shape.slice(0, -1));
      const columns = w!.shape.length === 1 ? 1 : w!.shape[0]!;
      const g = b.reshape(gradOutput, [rows, columns]);
      const weight = b.reshape(w!, [columns, k]);
      const gx = needs[0] ? b.reshape(b.matmul(g, weight), x!.shape) : null;
      const gw = needs[1] ? b.reshape(b.matmul(b.transpose(g, 0, 1), b.reshape(x!, [rows, k])), w!.shape) : null;
      const grads: (Value | null)[] = [gx, gw];
      if (attrs.has_bias !== false && needs.length > 2) grads.push(needs[2] ? b.sum(g, [0], false) : null);
      return grads;
    },
  },
  autocast: { cpu: 'lower_precision_fp', cuda: 'lower_precision_fp' },
  tolerance,
  samples: [
    {
      inputs: [
        { shape: [2, 3], values: [1, 2, 3, 0.1, -0.2, 100] },
        { shape: [2, 3], values: [1, 0, -1, 2, 0.5, 1e-3] },
        { shape: [2], values: [0.25, -1000] },
      ],
      attrs: { has_bias: true },
    },
    { inputs: [{ shape: [2], values: [1, 2] }, { shape: [3, 2], values: [1, 2, 3, 4, 5, 6] }], attrs: { has_bias: false } },
  ],
});
