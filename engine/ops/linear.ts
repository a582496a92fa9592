/** Products with an added term, rounded once: addmm, baddbmm and linear. */
import { type DType, scalarTypeName } from '../formats/dtype';
import { elementCount } from './broadcast';
import { store } from './elementwise';
import {
  checkBmm,
  checkNotBool,
  cppName,
  fail,
  list,
  matmulBackward,
  matmulHost,
  matrixSample,
  planMatmul,
  productSamples,
} from './matmul';
import { addInto, multiply, operand, productTolerance } from './matmul-kernel';
import { defineOp, type Scalar, type TensorSpec, type Value } from './record';
import type { Floats } from './summation-order';

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

const scalarValue = (s: unknown): number =>
  typeof s === 'number' ? s : ((s as Scalar | null | undefined)?.value ?? 1);

function checkAddmm(self: TensorSpec, a: TensorSpec, b: TensorSpec): number[] {
  if (a.shape.length !== 2) fail(`mat1 must be a matrix, got ${a.shape.length}-D tensor`);
  if (b.shape.length !== 2) fail(`mat2 must be a matrix, got ${b.shape.length}-D tensor`);
  if (a.shape[1] !== b.shape[0])
    fail(`mat1 and mat2 shapes cannot be multiplied (${a.shape.join('x')} and ${b.shape.join('x')})`);
  if (a.dtype !== b.dtype && self.dtype === b.dtype)
    fail(`mat1 and mat2 must have the same dtype, but got ${scalarTypeName[a.dtype]} and ${scalarTypeName[b.dtype]}`);
  if (self.dtype !== b.dtype)
    fail(
      `self and mat2 must have the same dtype, but got ${scalarTypeName[self.dtype]} and ${scalarTypeName[b.dtype]}`,
    );
  const shape = [a.shape[0], b.shape[1]];
  expandError(self.shape, shape, self.dtype);
  checkNotBool(a.dtype, 'addmm_impl_cpu_');
  return shape;
}

const addedProduct = (
  name: string,
  gradName: string,
  doc: string,
  params: string,
  check: (self: TensorSpec, a: TensorSpec, b: TensorSpec) => number[],
): void => {
  defineOp({
    name,
    doc,
    params,
    promotion: 'same',
    infer: ([self, a, b]) => [{ dtype: self.dtype, shape: check(self, a, b) }],
    reference: ([self, a, b], attrs, [out]) => {
      const total = matmulHost(a, b);
      addInto(total, out.shape, self, scalarValue(attrs.beta), scalarValue(attrs.alpha));
      return [store(out.dtype, total)];
    },
    wgsl: { kind: 'kernel', kernel: 'added product' },
    gradName,
    gradient: {
      saves: { inputs: [1, 2], readBy: [{}, { inputs: [2] }, { inputs: [1] }] },
      backward: ({ b, inputs: [, x, y], attrs, gradOutput, needs }) => {
        const [alpha, beta] = [scalarValue(attrs.alpha), scalarValue(attrs.beta)];
        const [gx, gy] = matmulBackward(b, x, y, gradOutput, [needs[1], needs[2]]);
        const times = (v: Value | null | undefined, s: number): Value | null =>
          v ? (s === 1 ? v : b.mul(v, s)) : null;
        return [needs[0] ? times(gradOutput, beta) : null, times(gx, alpha), times(gy, alpha)];
      },
    },
    autocast: { cpu: 'lower_precision_fp', cuda: 'lower_precision_fp' },
    tolerance: productTolerance,
    samples: [
      name === 'addmm'
        ? {
            inputs: [{ shape: [2], values: [0.5, -100] }, ...matrixSample.inputs],
            attrs: { beta: { value: 1, kind: 'int' }, alpha: { value: 1, kind: 'int' } },
          }
        : {
            inputs: [{ shape: [1], values: [0.5] }, ...productSamples.bmm![0].inputs],
            attrs: { beta: { value: 2, kind: 'int' }, alpha: { value: 0.5, kind: 'float' } },
          },
    ],
  });
};

addedProduct(
  'addmm',
  'Addmm',
  'beta * self + alpha * (mat1 @ mat2), rounded once; self broadcasts to [m, n].',
  'self: Tensor, mat1: Tensor, mat2: Tensor, beta: Scalar, alpha: Scalar',
  checkAddmm,
);
addedProduct(
  'baddbmm',
  'Baddbmm',
  'beta * self + alpha * (batch1 @ batch2), rounded once; self broadcasts to [b, m, n].',
  'self: Tensor, batch1: Tensor, batch2: Tensor, beta: Scalar, alpha: Scalar',
  (self, a, b) => {
    if (
      a.shape.length === 3 &&
      b.shape.length === 3 &&
      a.shape[0] === b.shape[0] &&
      a.shape[2] === b.shape[1] &&
      (self.dtype !== a.dtype || a.dtype !== b.dtype)
    ) {
      fail(
        `Input dtypes must be the same, got: input ${cppName[self.dtype]}, batch1: ${cppName[a.dtype]}, batch2: ${cppName[b.dtype]}`,
      );
    }
    checkBmm(a, b);
    const shape = [a.shape[0], a.shape[1], b.shape[2]];
    expandError(self.shape, shape, self.dtype);
    return shape;
  },
);

/** weight as PyTorch multiplies with it: [out, in] transposed to [in, out]; a 1-d weight stays. */
const turned = (weight: TensorSpec): TensorSpec => ({ dtype: weight.dtype, shape: [...weight.shape].reverse() });

defineOp({
  name: 'linear',
  doc: 'input @ weight.T + bias: [..., in], [out, in], [out] -> [..., out]. Without a bias it is a matmul; with a bias the sum is rounded once, after adding it.',
  params: 'input: Tensor, weight: Tensor, bias: Tensor?',
  promotion: 'same',
  infer: ([input, weight, bias]) => {
    const [ri, rw] = [input.shape.length, weight.shape.length];
    if (ri === 0 || rw === 0) fail(`both arguments to linear need to be at least 1D, but they are ${ri}D and ${rw}D`);
    if (rw > 2) fail(`t() expects a tensor with <= 2 dimensions, but self is ${rw}D`);
    if (!bias) {
      if (rw === 1) return [{ dtype: input.dtype, shape: planMatmul(input, weight).shape }];
      return [{ dtype: input.dtype, shape: planMatmul(input, turned(weight)).shape }];
    }
    const rows = elementCount(input.shape.slice(0, -1));
    checkAddmm(bias, { dtype: input.dtype, shape: [rows, input.shape[ri - 1]] }, turned(weight));
    return [{ dtype: input.dtype, shape: [...input.shape.slice(0, -1), weight.shape[0]] }];
  },
  reference: ([input, weight, bias], _attrs, [out]) => {
    const k = input.shape[input.shape.length - 1];
    const rows = elementCount(input.shape.slice(0, -1));
    const columns = weight.shape.length === 1 ? 1 : weight.shape[0];
    const x = operand(input);
    const total: Floats =
      x instanceof Float32Array ? new Float32Array(rows * columns) : new Float64Array(rows * columns);
    multiply(x, 0, operand(weight), rows, columns, k, total, 0); // the weight is stored transposed already
    if (bias) addInto(total, [rows, columns], bias, 1, 1);
    return [store(out.dtype, total)];
  },
  wgsl: { kind: 'kernel', kernel: 'linear' },
  gradName: 'Addmm',
  gradient: {
    saves: { inputs: [0, 1], readBy: [{ inputs: [1] }, { inputs: [0] }, {}] },
    backward: ({ b, inputs: [x, w], attrs, gradOutput, needs }) => {
      const k = x.shape[x.shape.length - 1];
      const rows = elementCount(x.shape.slice(0, -1));
      const columns = w.shape.length === 1 ? 1 : w.shape[0];
      const g = b.reshape(gradOutput, [rows, columns]);
      const gx = needs[0] ? b.reshape(b.matmul(g, b.reshape(w, [columns, k])), x.shape) : null;
      const gw = needs[1] ? b.reshape(b.matmul(b.transpose(g, 0, 1), b.reshape(x, [rows, k])), w.shape) : null;
      const grads: (Value | null)[] = [gx, gw];
      if (attrs.has_bias !== false && needs.length > 2) grads.push(needs[2] ? b.sum(g, [0], false) : null);
      return grads;
    },
  },
  autocast: { cpu: 'lower_precision_fp', cuda: 'lower_precision_fp' },
  tolerance: productTolerance,
  samples: [
    {
      inputs: [
        { shape: [2, 3], values: [1, 2, 3, 0.1, -0.2, 100] },
        { shape: [2, 3], values: [1, 0, -1, 2, 0.5, 1e-3] },
        { shape: [2], values: [0.25, -1000] },
      ],
      attrs: { has_bias: true },
    },
    {
      inputs: [
        { shape: [2], values: [1, 2] },
        { shape: [3, 2], values: [1, 2, 3, 4, 5, 6] },
      ],
      attrs: { has_bias: false },
    },
  ],
});
