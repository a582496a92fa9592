/** var and std. Always accumulated in double, whatever the dtype. */
import { type HostData, type HostTensor, isFloating } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { elementCount } from './broadcast';
import { forEachOffset, groupDims, reducedDims, reducedShape, restoreReduced } from './dimensions';
import { store } from './elementwise';
import { type Attrs, type Builder, defineOp, type Scalar, TorchError, type Value } from './record';
import { accumulands, exactTolerance, sumOver } from './reductions';

const correctionOf = (attrs: Attrs): number => {
  const c = attrs.correction as number | Scalar | null | undefined;
  return c === null || c === undefined ? 1 : typeof c === 'number' ? c : c.value;
};

/** All elements of a float32 or float64 tensor: two passes, around the mean rounded to the dtype (ReduceOps.cpp, std_var_all_cpu). */
function varianceOfAll(self: HostTensor, correction: number): number {
  const x = readElements(self);
  const dtype = self.dtype;
  const dims = self.shape.map((_, i) => i);
  let mean = sumOver(accumulands(self, dtype), self.shape, dims, dtype)[0] / x.length;
  if (dtype === 'float32') mean = Math.fround(mean);
  let total = 0;
  for (let i = 0; i < x.length; i++) total += (x[i] - mean) * (x[i] - mean);
  return total / Math.max(0, x.length - correction);
}

function varianceHost(self: HostTensor, attrs: Attrs, outputs: number, root: boolean): HostData {
  const dims = reducedDims(attrs.dim, self.shape.length);
  const correction = correctionOf(attrs);
  const finish = (v: number): number => (root ? Math.sqrt(v) : v);
  const out = new Float64Array(outputs).fill(Number.NaN);
  const count = dims.reduce((n, d) => n * self.shape[d], 1);
  if (elementCount(self.shape) === 0) return store(self.dtype, out);
  if (dims.length === self.shape.length && (self.dtype === 'float32' || self.dtype === 'float64')) {
    out[0] = finish(varianceOfAll(self, correction));
    return store(self.dtype, out);
  }
  const x = readElements(self);
  const groups = groupDims(self.shape, dims);
  const reduced = groups.filter((g) => g.reduced);
  let next = 0;
  forEachOffset(
    groups.filter((g) => !g.reduced),
    (offset) => {
      // Welford's update, one element after the other (native/SharedReduceOps.h, WelfordOps).
      let mean = 0;
      let squares = 0;
      let n = 0;
      forEachOffset(
        reduced,
        (at) => {
          const delta = x[at] - mean;
          n++;
          const moved = mean + delta / n;
          squares += delta * (x[at] - moved);
          mean = moved;
        },
        undefined,
        offset,
      );
      out[next++] = finish(squares / Math.max(0, count - correction));
    },
  );
  return store(self.dtype, out);
}

/** d var: 2 / (N - correction) * grad * (x - mean). With N <= correction NaN at the mean, infinity elsewhere. */
function varBackward(b: Builder, grad: Value, self: Value, attrs: Attrs): Value {
  const dims = reducedDims(attrs.dim, self.shape.length);
  const count = dims.reduce((n, d) => n * self.shape[d], 1);
  const freedom = count - correctionOf(attrs);
  const mean = b.op('mean', [self], { dim: dims, keepdim: true, dtype: null });
  if ((attrs.dim === null || self.shape.length === 0) && freedom <= 0) {
    const nan = b.full(self, [], Number.NaN);
    return b.mul(b.where(b.eq(self, mean), nan, b.full(self, [], Infinity)), grad);
  }
  const spread = restoreReduced(b, grad, self.shape, dims, attrs.keepdim === true);
  return b.mul(b.mul(spread, 2 / freedom), b.sub(self, mean));
}

for (const name of ['var', 'std'] as const) {
  defineOp({
    name,
    doc:
      name === 'var'
        ? 'Variance over `dim` (all elements if None): squared deviations summed in double, divided by N - correction. N <= correction gives NaN or inf.'
        : 'Standard deviation: square root of the variance, taken in double before the one rounding.',
    params: 'self: Tensor, dim: int[]?, correction: float?, keepdim: bool',
    promotion: 'same',
    infer: ([self], attrs) => {
      if (!isFloating(self.dtype)) {
        throw new TorchError('RuntimeError', 'std and var only support floating point and complex dtypes');
      }
      const dims = reducedDims(attrs.dim, self.shape.length);
      return [{ dtype: self.dtype, shape: reducedShape(self.shape, dims, attrs.keepdim === true) }];
    },
    reference: ([self], attrs, [out]) => [varianceHost(self, attrs, elementCount(out.shape), name === 'std')],
    wgsl: 'host',
    gradName: name === 'var' ? 'Var' : 'Std',
    gradient: {
      saves: name === 'var' ? { inputs: [0] } : { inputs: [0], outputs: [0] },
      backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => {
        if (name === 'var') return [varBackward(b, gradOutput, self, attrs)];
        // d sqrt(v) = d v / (2 sqrt(v)); taken as 0 where v is 0.
        const gradVar = b.where(b.eq(result, 0), b.full(result, [], 0), b.div(gradOutput, b.mul(result, 2)));
        return [varBackward(b, gradVar, self, attrs)];
      },
    },
    autocast: { cpu: 'none', cuda: 'none' },
    tolerance: { half: exactTolerance, float32: exactTolerance },
    samples: [
      { inputs: [{ shape: [4], values: [1, 2, 3, 4] }], attrs: { dim: null, correction: 1, keepdim: false } },
      {
        inputs: [{ shape: [2, 3], values: [1, 1, 1, 300, 301, 299] }],
        attrs: { dim: [1], correction: 0, keepdim: true },
      },
      { inputs: [{ shape: [1], values: [5] }], attrs: { dim: null, correction: 1, keepdim: false } },
    ],
  });
}
