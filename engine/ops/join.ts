/** cat and stack: tensors side by side. */
import { allocateHost } from '../formats/dtype';
import { elementCount, sameShape } from './broadcast';
import { normalizeDim, splitAt } from './dimensions';
import { defineOp, type TensorSpec, TorchError } from './record';
import { exactTolerance } from './reductions';

const list = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** 1-d empty tensors are passed over, whatever the others' shapes: an old habit that code relies on. */
const isSkipped = (t: { readonly shape: readonly number[] }): boolean => t.shape.length === 1 && t.shape[0] === 0;

function checkCat(tensors: readonly TensorSpec[], attrsDim: number): readonly number[] {
  if (tensors.length === 0) throw new TorchError('ValueError', 'torch.cat(): expected a non-empty list of Tensors');
  const scalar = tensors.findIndex((t) => t.shape.length === 0);
  if (scalar >= 0) {
    throw new TorchError('RuntimeError', `zero-dimensional tensor (at position ${scalar}) cannot be concatenated`);
  }
  const first = tensors.find((t) => !isSkipped(t)) ?? tensors[0];
  const rank = first.shape.length;
  const dim = normalizeDim(attrsDim, rank);
  let size = 0;
  tensors.forEach((t, k) => {
    if (isSkipped(t)) return;
    if (t.shape.length !== rank) {
      throw new TorchError(
        'RuntimeError',
        `Tensors must have same number of dimensions: got ${rank} and ${t.shape.length}`,
      );
    }
    t.shape.forEach((d, i) => {
      if (i !== dim && d !== first.shape[i]) {
        throw new TorchError(
          'RuntimeError',
          `Sizes of tensors must match except in dimension ${dim}. Expected size ${first.shape[i]} but got size ${d} for tensor number ${k} in the list.`,
        );
      }
    });
    size += t.shape[dim];
  });
  return first.shape.map((d, i) => (i === dim ? size : d));
}

defineOp({
  name: 'cat',
  doc: 'Tensors joined along an existing dim; other sizes must agree. dtypes promote; empty vectors are skipped.',
  params: 'tensors: Tensor[], dim: int',
  promotion: 'promote',
  infer: (tensors, attrs) => [{ dtype: tensors[0]?.dtype ?? 'float32', shape: checkCat(tensors, attrs.dim as number) }],
  reference: (tensors, attrs, [out]) => {
    const { outer, size, inner } = splitAt(out.shape, normalizeDim(attrs.dim as number, out.shape.length));
    const data = allocateHost(out.dtype, elementCount(out.shape));
    let done = 0;
    for (const t of tensors) {
      const width = t.data.length / Math.max(outer, 1); // elements of t in one outer slice
      for (let o = 0; o < outer; o++) data.set(t.data.subarray(o * width, (o + 1) * width), o * size * inner + done);
      done += width;
    }
    return [data];
  },
  wgsl: { kind: 'kernel', kernel: 'join' },
  gradName: 'Cat',
  gradient: {
    saves: {},
    backward: ({ b, inputs, attrs, gradOutput, needs }) => {
      const dim = normalizeDim(attrs.dim as number, gradOutput.shape.length);
      let start = 0;
      return inputs.map((t, k) => {
        if (isSkipped(t)) return needs[k] ? b.full(t, t.shape, 0) : null;
        const stop = start + t.shape[dim];
        const grad = needs[k] ? b.slice(gradOutput, dim, start, stop) : null;
        start = stop;
        return grad;
      });
    },
  },
  autocast: { cpu: 'promote', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    {
      inputs: [
        { shape: [2], values: [1, 2] },
        { shape: [1], values: [3] },
      ],
      attrs: { dim: 0 },
    },
    {
      inputs: [
        { shape: [2, 1], values: [1, 2] },
        { shape: [2, 2], values: [3, 4, 5, 6] },
      ],
      attrs: { dim: -1 },
    },
    {
      inputs: [
        { shape: [0], values: [] },
        { shape: [1, 2], values: [3, 4] },
      ],
      attrs: { dim: 0 },
    },
  ],
});

defineOp({
  name: 'stack',
  doc: 'Tensors of one shape joined along a new dim. dtypes promote.',
  params: 'tensors: Tensor[], dim: int',
  promotion: 'promote',
  infer: (tensors, attrs) => {
    if (tensors.length === 0) throw new TorchError('RuntimeError', 'stack expects a non-empty TensorList');
    const { shape } = tensors[0];
    const dim = normalizeDim(attrs.dim as number, shape.length + 1);
    const odd = tensors.findIndex((t) => !sameShape(t.shape, shape));
    if (odd > 0) {
      throw new TorchError(
        'RuntimeError',
        `stack expects each tensor to be equal size, but got ${list(shape)} at entry 0 and ${list(tensors[odd].shape)} at entry ${odd}`,
      );
    }
    return [{ dtype: tensors[0].dtype, shape: [...shape.slice(0, dim), tensors.length, ...shape.slice(dim)] }];
  },
  reference: (tensors, attrs, [out]) => {
    const { outer, size, inner } = splitAt(out.shape, normalizeDim(attrs.dim as number, out.shape.length));
    const data = allocateHost(out.dtype, elementCount(out.shape));
    tensors.forEach((t, k) => {
      for (let o = 0; o < outer; o++) data.set(t.data.subarray(o * inner, (o + 1) * inner), (o * size + k) * inner);
    });
    return [data];
  },
  wgsl: { kind: 'kernel', kernel: 'join' },
  gradName: 'Stack',
  gradient: {
    saves: {},
    backward: ({ b, inputs, attrs, gradOutput, needs }) => {
      const dim = normalizeDim(attrs.dim as number, gradOutput.shape.length);
      return inputs.map((t, k) => (needs[k] ? b.reshape(b.slice(gradOutput, dim, k, k + 1), t.shape) : null));
    },
  },
  autocast: { cpu: 'promote', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    {
      inputs: [
        { shape: [2], values: [1, 2] },
        { shape: [2], values: [3, 4] },
      ],
      attrs: { dim: 1 },
    },
    {
      inputs: [
        { shape: [], values: [1] },
        { shape: [], values: [3] },
      ],
      attrs: { dim: 0 },
    },
  ],
});
