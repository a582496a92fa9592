/** sort and topk. Both are stable here: equal elements keep their order, in either direction. NaN sorts as the largest. */
import { allocateHost, type HostTensor } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { elementCount } from './broadcast';
import { normalizeDim, splitAt } from './dimensions';
import { scatterAlong } from './extrema';
import { defineOp, TorchError } from './record';
import { exactTolerance } from './reductions';

/** Orders two numbers with NaN above everything. */
function compare(a: number, b: number): number {
  const [nanA, nanB] = [Number.isNaN(a), Number.isNaN(b)];
  if (nanA || nanB) return Number(nanA) - Number(nanB);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first `keep` of each sorted line along `dim`: storage values and their indices. */
function sortLines(self: HostTensor, dim: number, descending: boolean, keep: number) {
  const x = readElements(self);
  const { outer, size, inner } = splitAt(self.shape, dim);
  const found = allocateHost(self.dtype, outer * keep * inner);
  const indices = allocateHost('int64', outer * keep * inner);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const start = o * size * inner + i;
      const order = Array.from({ length: size }, (_, k) => k);
      order.sort((a, b) => {
        const c = compare(x[start + a * inner], x[start + b * inner]);
        return descending ? -c : c;
      });
      for (let k = 0; k < keep; k++) {
        found[(o * keep + k) * inner + i] = self.data[start + order[k] * inner];
        indices[(o * keep + k) * inner + i] = order[k];
      }
    }
  }
  return [found, indices];
}

defineOp({
  name: 'sort',
  doc: 'Values in order along `dim`, and the indices they came from. Stable; NaN is the largest.',
  params: 'self: Tensor, dim: int, descending: bool',
  promotion: 'same',
  infer: ([self], attrs) => {
    normalizeDim(attrs.dim as number, self.shape.length);
    return [
      { dtype: self.dtype, shape: self.shape },
      { dtype: 'int64', shape: self.shape },
    ];
  },
  reference: ([self], attrs) => {
    const dim = normalizeDim(attrs.dim as number, self.shape.length);
    return sortLines(self, dim, attrs.descending === true, splitAt(self.shape, dim).size);
  },
  wgsl: 'host',
  gradName: 'Sort',
  gradient: {
    saves: { outputs: [1] },
    backward: ({ b, inputs: [self], outputs: [, indices], attrs, gradOutput }) => [
      scatterAlong(b, self, gradOutput, indices, attrs),
    ],
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [{ shape: [5], values: [3, 1, Number.NaN, 1, -Infinity] }], attrs: { dim: 0, descending: false } },
    { inputs: [{ shape: [2, 3], values: [3, 1, 2, 0, 0, -1] }], attrs: { dim: 1, descending: true } },
  ],
});

defineOp({
  name: 'topk',
  doc: 'The k largest (or smallest) values along `dim`, in order, and their indices. Of equal elements the first win.',
  params: 'self: Tensor, k: int, dim: int, largest: bool, sorted: bool',
  promotion: 'same',
  infer: ([self], attrs) => {
    const dim = normalizeDim(attrs.dim as number, self.shape.length);
    const k = attrs.k as number;
    if (k < 0 || k > splitAt(self.shape, dim).size)
      throw new TorchError('RuntimeError', 'selected index k out of range');
    if (self.dtype === 'bool') throw new TorchError('RuntimeError', 'topk does not support bool dtypes on CPU');
    const shape = self.shape.map((d, i) => (i === dim ? k : d));
    return [
      { dtype: self.dtype, shape },
      { dtype: 'int64', shape },
    ];
  },
  reference: ([self], attrs, [out]) => {
    const dim = normalizeDim(attrs.dim as number, self.shape.length);
    if (elementCount(out.shape) === 0) return [allocateHost(self.dtype, 0), allocateHost('int64', 0)];
    return sortLines(self, dim, attrs.largest !== false, attrs.k as number);
  },
  wgsl: 'host',
  gradName: 'Topk',
  gradient: {
    saves: { outputs: [1] },
    backward: ({ b, inputs: [self], outputs: [, indices], attrs, gradOutput }) => [
      scatterAlong(b, self, gradOutput, indices, attrs),
    ],
  },
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: exactTolerance, float32: exactTolerance },
  samples: [
    { inputs: [{ shape: [5], values: [3, 1, 4, 1, 5] }], attrs: { k: 2, dim: 0, largest: true, sorted: true } },
    {
      inputs: [{ shape: [2, 3], values: [3, 1, 2, 0, 0, -1] }],
      attrs: { k: 1, dim: -1, largest: false, sorted: true },
    },
  ],
});
