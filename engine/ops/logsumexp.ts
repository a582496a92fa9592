/** logsumexp: log(sum(e^x)) over dims, as PyTorch composes it of amax, sub, exp, sum, log and add, each rounded to the dtype. */
import { type HostData, type HostTensor, isFloating } from '../formats/dtype';
import { elementCount } from './broadcast';
import { forEachOffset, groupDims, reducedDims, reducedShape, restoreReduced } from './dimensions';
import { rounder, store } from './elementwise';
import { defineOp } from './record';
import { accumulands, exactTolerance, sumOver } from './reductions';

function logsumexpHost(
  self: HostTensor,
  dims: readonly number[],
  dtype: HostTensor['dtype'],
  outputs: number,
): HostData {
  const x = accumulands(self, dtype);
  const round = rounder(dtype);
  const exponentials = x.slice();
  const groups = groupDims(self.shape, dims);
  const reduced = groups.filter((g) => g.reduced);
  const maxima: number[] = [];
  if (x.length > 0) {
    forEachOffset(
      groups.filter((g) => !g.reduced),
      (offset) => {
        let max = -Infinity;
        forEachOffset(
          reduced,
          (at) => {
            if (x[at] > max || Number.isNaN(x[at])) max = Number.isNaN(max) ? max : x[at];
          },
          undefined,
          offset,
        );
        if (Math.abs(max) === Infinity) max = 0; // inf - inf would be NaN
        maxima.push(max);
        forEachOffset(
          reduced,
          (at) => {
            exponentials[at] = round(Math.exp(round(x[at] - max)));
          },
          undefined,
          offset,
        );
      },
    );
  }
  const totals = sumOver(exponentials, self.shape, dims, dtype);
  const out = new Float64Array(outputs);
  for (let i = 0; i < outputs; i++) out[i] = round(Math.log(round(totals[i]))) + (maxima[i] ?? 0);
  return store(dtype, out);
}

defineOp({
  name: 'logsumexp',
  doc: 'log of the sum of e^x over `dim`, shifted by the maximum so that nothing overflows. 16-bit dtypes round every step. All -inf gives -inf.',
  params: 'self: Tensor, dim: int[]?, keepdim: bool',
  promotion: 'same',
  infer: ([self], attrs) => [
    {
      dtype: isFloating(self.dtype) ? self.dtype : 'float32',
      shape: reducedShape(self.shape, reducedDims(attrs.dim, self.shape.length), attrs.keepdim === true),
    },
  ],
  reference: ([self], attrs, [out]) => [
    logsumexpHost(self, reducedDims(attrs.dim, self.shape.length), out.dtype, elementCount(out.shape)),
  ],
  wgsl: 'host',
  gradName: 'Logsumexp',
  gradient: {
    saves: { inputs: [0], outputs: [0] },
    backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => {
      const dims = reducedDims(attrs.dim, self.shape.length);
      const keepdim = attrs.keepdim === true;
      const grad = restoreReduced(b, gradOutput, self.shape, dims, keepdim);
      return [b.mul(b.exp(b.sub(self, restoreReduced(b, result, self.shape, dims, keepdim))), grad)];
    },
  },
  autocast: { cpu: 'none', cuda: 'fp32' },
  tolerance: { half: exactTolerance, float32: { ulp: 2, source: 'exp and log of the vendor library, 1 ulp each' } },
  samples: [
    { inputs: [{ shape: [3], values: [1000, 1001, 1002] }], attrs: { dim: [0], keepdim: false } },
    { inputs: [{ shape: [2], values: [-Infinity, -Infinity] }], attrs: { dim: [0], keepdim: false } },
    { inputs: [{ shape: [2, 2], values: [1, 2, Infinity, 4] }], attrs: { dim: [1], keepdim: true } },
  ],
});
