/** flip, tril and triu: copies with elements moved or zeroed. */
import { allocateHost } from '../formats/dtype';
import { contiguousStrides, reducedDims } from './dimensions';
import { defineOp, TorchError } from './record';
import { exactTolerance } from './reductions';

defineOp({
  name: 'flip',
  doc: 'The elements in reverse order along each of `dims`. Shape [*] -> [*].',
  params: 'self: Tensor, dims: int[]',
  promotion: 'same',
  infer: ([self], attrs) => {
    if ((attrs.dims as readonly number[]).length > 0) reducedDims(attrs.dims, self.shape.length);
    return [{ dtype: self.dtype, shape: self.shape }];
  },
  reference: ([self], attrs) => {
    const { shape, data } = self;
    const out = allocateHost(self.dtype, data.length);
    const dims = (attrs.dims as readonly number[]).length > 0 ? reducedDims(attrs.dims, shape.length) : [];
    const steps = contiguousStrides(shape).map((s, d) => (dims.includes(d) ? -s : s));
    const position = new Array<number>(shape.length).fill(0);
    let from = steps.reduce((sum, s, d) => sum + (s < 0 ? -s * (shape[d] - 1) : 0), 0);
    for (let i = 0; i < data.length; i++) {
      out[i] = data[from];
      for (let d = shape.length - 1; d >= 0; d--) {
        from += steps[d];
        if (++position[d] < shape[d]) break;
        from -= steps[d] * shape[d];
        position[d] = 0;
      }
    }
    return [out];
  },
  wgsl: 'host',
  gradName: 'Flip',
  gradient: {
    saves: {},
    backward: ({ b, attrs, gradOutput }) => [b.op('flip', [gradOutput], { dims: attrs.dims })],
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [{ shape: [3], values: [1, 2, 3] }], attrs: { dims: [0] } },
    { inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }], attrs: { dims: [0, -1] } },
  ],
});

for (const name of ['tril', 'triu'] as const) {
  defineOp({
    name,
    doc: `The ${name === 'tril' ? 'lower' : 'upper'} triangle of the last two dims; the rest is 0. \`diagonal\` > 0 moves the border up, < 0 down.`,
    params: 'self: Tensor, diagonal: int',
    promotion: 'same',
    infer: ([self]) => {
      if (self.shape.length < 2)
        throw new TorchError('RuntimeError', `${name}: input tensor must have at least 2 dimensions`);
      return [{ dtype: self.dtype, shape: self.shape }];
    },
    reference: ([self], attrs) => {
      const columns = self.shape[self.shape.length - 1];
      const rows = self.shape[self.shape.length - 2];
      const out = allocateHost(self.dtype, self.data.length);
      for (let i = 0; i < out.length; i++) {
        const above = (i % columns) - (Math.floor(i / columns) % rows) - (attrs.diagonal as number);
        if (name === 'tril' ? above <= 0 : above >= 0) out[i] = self.data[i];
      }
      return [out];
    },
    wgsl: 'host',
    gradName: name === 'tril' ? 'Tril' : 'Triu',
    gradient: {
      saves: {},
      backward: ({ b, attrs, gradOutput }) => [b.op(name, [gradOutput], { diagonal: attrs.diagonal })],
    },
    autocast: { cpu: 'none', cuda: 'none' },
    tolerance: { half: exactTolerance, float32: exactTolerance },
    samples: [
      { inputs: [{ shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }], attrs: { diagonal: 0 } },
      { inputs: [{ shape: [2, 2], values: [Number.NaN, Infinity, 1, 2] }], attrs: { diagonal: 1 } },
    ],
  });
}
