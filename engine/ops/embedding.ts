/** embedding: rows of a table by index, and the gradient that adds rows up. */
import { allocateHost, scalarTypeName } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { elementCount } from './broadcast';
import { rounder, store } from './elementwise';
import { defineOp, TorchError } from './record';
import { exactTolerance } from './reductions';

defineOp({
  name: 'embedding',
  doc: 'weight[indices]: [rows, d], [*] -> [*, d]. Rows equal to `padding_idx` (-1: none) get no gradient. An index outside the table is an IndexError.',
  params: 'weight: Tensor, indices: Tensor, padding_idx: int',
  promotion: 'same',
  infer: ([weight, indices]) => {
    if (weight.shape.length !== 2) throw new TorchError('RuntimeError', "'weight' must be 2-D");
    if (indices.dtype !== 'int64' && indices.dtype !== 'int32') {
      throw new TorchError(
        'RuntimeError',
        `Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.${scalarTypeName[indices.dtype]}Tensor instead (while checking arguments for embedding)`,
      );
    }
    return [{ dtype: weight.dtype, shape: [...indices.shape, weight.shape[1]] }];
  },
  reference: ([weight, indices], _attrs, [out]) => {
    const [rows, width] = weight.shape;
    const at = readElements(indices);
    const data = allocateHost(weight.dtype, elementCount(out.shape));
    for (let i = 0; i < at.length; i++) {
      if (!(at[i] >= 0 && at[i] < rows)) throw new TorchError('IndexError', 'index out of range in self');
      data.set(weight.data.subarray(at[i] * width, (at[i] + 1) * width), i * width);
    }
    return [data];
  },
  wgsl: { kind: 'kernel', kernel: 'embedding' },
  gradName: 'Embedding',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, inputs: [weight, indices], attrs, gradOutput }) => [
      b.op('embedding_dense_backward', [gradOutput, indices], {
        num_weights: weight.shape[0],
        padding_idx: attrs.padding_idx,
      }),
      null,
    ],
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    {
      inputs: [
        { shape: [3, 2], values: [1, 2, 3, 4, 5, 6] },
        { shape: [2, 2], values: [0, 2, 2, 1], dtype: 'int64' },
      ],
      attrs: { padding_idx: -1 },
    },
  ],
});

defineOp({
  name: 'embedding_dense_backward',
  doc: 'Adds gradient rows to the table rows they came from, in order; every addition is rounded to the dtype. `padding_idx` stays zero.',
  params: 'grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int',
  promotion: 'same',
  infer: ([grad], attrs) => [
    { dtype: grad.dtype, shape: [attrs.num_weights as number, grad.shape[grad.shape.length - 1]] },
  ],
  reference: ([grad, indices], attrs, [out]) => {
    const width = out.shape[1];
    const at = readElements(indices);
    const g = readElements(grad);
    const round = rounder(grad.dtype);
    const table = new Float64Array(elementCount(out.shape));
    for (let i = 0; i < at.length; i++) {
      if (at[i] === attrs.padding_idx) continue;
      for (let c = 0; c < width; c++) {
        const to = at[i] * width + c;
        table[to] = round(table[to] + g[i * width + c]);
      }
    }
    return [store(grad.dtype, table)];
  },
  wgsl: { kind: 'kernel', kernel: 'embedding backward' },
  gradName: 'EmbeddingDenseBackward',
  gradient: {
    saves: { inputs: [1] },
    backward: ({ b, inputs: [, indices], attrs, gradOutput }) => {
      const rows = b.op('embedding', [gradOutput, indices], { padding_idx: -1 });
      if ((attrs.padding_idx as number) < 0) return [rows, null];
      const padding = b.unsqueeze(b.eq(indices, attrs.padding_idx as number), indices.shape.length);
      return [b.where(padding, b.full(rows, [], 0), rows), null];
    },
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    {
      inputs: [
        { shape: [3, 2], values: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] },
        { shape: [3], values: [1, 1, 0], dtype: 'int64' },
      ],
      attrs: { num_weights: 2, padding_idx: 0 },
    },
  ],
});
