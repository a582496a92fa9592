/** Largest and smallest: max, min, max_dim, min_dim, amax, amin, argmax, argmin. NaN beats every number; ties go to the first index. */
import { allocateHost, type HostData, type HostTensor } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { elementCount } from './broadcast';
import {
  type DimGroup,
  forEachOffset,
  groupDims,
  normalizeDim,
  reducedDims,
  reducedShape,
  restoreReduced,
  splitAt,
} from './dimensions';
import { type Attrs, type Builder, defineOp, type Sample, type TensorSpec, TorchError, type Value } from './record';
import { exactTolerance } from './reductions';

const selects = { half: exactTolerance, float32: exactTolerance };
const noCast = { cpu: 'none', cuda: 'none' } as const;

/** Whether `v` at a later position replaces `best`: strictly beyond it, or the first NaN. */
function beats(v: number, best: number, largest: boolean): boolean {
  if (Number.isNaN(best)) return false;
  return Number.isNaN(v) || (largest ? v > best : v < best);
}

/** Errors of reducing nothing: there is no largest of no elements. */
function checkNotEmpty(
  name: string,
  self: TensorSpec,
  dims: readonly number[] | null,
  whole: 'RuntimeError' | 'IndexError',
): void {
  if (elementCount(self.shape) > 0) return;
  if (dims === null) {
    const hint = whole === 'RuntimeError' ? " Specify the reduction dim with the 'dim' argument." : '';
    throw new TorchError(whole, `${name}(): Expected reduction dim to be specified for input.numel() == 0.${hint}`);
  }
  const empty = dims.find((d) => self.shape[d] === 0);
  if (empty !== undefined)
    throw new TorchError('IndexError', `${name}(): Expected reduction dim ${empty} to have non-zero size.`);
}

/** Storage of the extremum of each group of reduced elements: the bits are copied, never recomputed. */
function extremum(self: HostTensor, dims: readonly number[], largest: boolean, outputs: number): HostData {
  const x = readElements(self);
  const groups: readonly DimGroup[] = groupDims(self.shape, dims);
  const reduced = groups.filter((g) => g.reduced);
  const out = allocateHost(self.dtype, outputs);
  if (x.length === 0) return out;
  let next = 0;
  forEachOffset(
    groups.filter((g) => !g.reduced),
    (offset) => {
      let at = offset;
      forEachOffset(
        reduced,
        (p) => {
          if (beats(x[p], x[at], largest)) at = p;
        },
        undefined,
        offset,
      );
      out[next++] = self.data[at];
    },
  );
  return out;
}

/** Index along `dim` of the extremum of each line, with its position in the data. */
function eachLineBest(
  self: HostTensor,
  dim: number,
  largest: boolean,
  visit: (line: number, index: number, at: number) => void,
): void {
  const x = readElements(self);
  const { outer, size, inner } = splitAt(self.shape, dim);
  let line = 0;
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const start = o * size * inner + i;
      let best = 0;
      for (let k = 1; k < size; k++) if (beats(x[start + k * inner], x[start + best * inner], largest)) best = k;
      visit(line++, best, start + best * inner);
    }
  }
}

const values = (...v: number[]): Sample['inputs'] => [{ shape: [v.length], values: v }];
const table = (...v: number[]): Sample['inputs'] => [{ shape: [2, v.length / 2], values: v }];

/** Where x attains the extremum; NaN attains NaN. */
function attains(b: Builder, x: Value, extreme: Value): Value {
  const bothNaN = b.op('logical_and', [b.op('isnan', [x]), b.op('isnan', [extreme])]);
  return b.op('logical_or', [b.eq(x, extreme), bothNaN]);
}

for (const [name, largest] of [
  ['max', true],
  ['min', false],
] as const) {
  const adjective = largest ? 'largest' : 'smallest';
  defineOp({
    name,
    doc: `The ${adjective} of all elements, [] from [*]; NaN if there is any. Elements that tie share the gradient evenly.`,
    params: 'self: Tensor',
    promotion: 'same',
    infer: ([self]) => {
      checkNotEmpty(name, self, null, 'RuntimeError');
      return [{ dtype: self.dtype, shape: [] }];
    },
    reference: ([self]) => [
      extremum(
        self,
        self.shape.map((_, i) => i),
        largest,
        1,
      ),
    ],
    wgsl: { kind: 'kernel', kernel: 'extremum' },
    gradName: largest ? 'Max' : 'Min',
    gradient: {
      saves: { inputs: [0], outputs: [0] },
      backward: ({ b, inputs: [self], outputs: [result], gradOutput }) => {
        const mask = attains(b, self, result);
        return [b.where(mask, b.div(gradOutput, b.sum(mask, null, false)), b.full(self, [], 0))];
      },
    },
    autocast: noCast,
    tolerance: selects,
    samples: [
      { inputs: values(1, 3, 2, 3) },
      { inputs: values(1, Number.NaN, 3) },
      { inputs: values(-Infinity, Infinity, -0) },
    ],
  });

  defineOp({
    name: `${name}_dim`,
    doc: `Values and indices of the ${adjective} elements along \`dim\`; ties give the first index, which gets the gradient.`,
    params: 'self: Tensor, dim: int, keepdim: bool',
    promotion: 'same',
    infer: ([self], attrs) => {
      const dim = normalizeDim(attrs.dim as number, self.shape.length);
      checkNotEmpty(name, self, self.shape.length === 0 ? [] : [dim], 'IndexError');
      const shape = reducedShape(self.shape, self.shape.length === 0 ? [] : [dim], attrs.keepdim === true);
      return [
        { dtype: self.dtype, shape },
        { dtype: 'int64', shape },
      ];
    },
    reference: ([self], attrs, [out]) => {
      const found = allocateHost(self.dtype, elementCount(out.shape));
      const indices = allocateHost('int64', elementCount(out.shape));
      if (found.length > 0) {
        eachLineBest(self, normalizeDim(attrs.dim as number, self.shape.length), largest, (line, index, at) => {
          found[line] = self.data[at];
          indices[line] = index;
        });
      }
      return [found, indices];
    },
    wgsl: { kind: 'kernel', kernel: 'extremum' },
    gradName: largest ? 'Max' : 'Min',
    gradient: {
      saves: { outputs: [1] },
      backward: ({ b, inputs: [self], outputs: [, indices], attrs, gradOutput }) => [
        scatterAlong(b, self, gradOutput, indices, attrs),
      ],
    },
    autocast: noCast,
    tolerance: selects,
    samples: [
      { inputs: table(1, 3, 3, 2, Number.NaN, 5), attrs: { dim: 1, keepdim: false } },
      { inputs: table(1, 3, 3, 2, 4, 3), attrs: { dim: 0, keepdim: true } },
    ],
  });

  const all = `a${name}`;
  defineOp({
    name: all,
    doc: `The ${adjective} elements over \`dim\` (all dims if None); NaN wins; ties share the gradient evenly.`,
    params: 'self: Tensor, dim: int[]?, keepdim: bool',
    promotion: 'same',
    infer: ([self], attrs) => {
      const dims = reducedDims(attrs.dim, self.shape.length);
      const whole = !Array.isArray(attrs.dim) || attrs.dim.length === 0;
      checkNotEmpty(all, self, whole ? null : dims, 'RuntimeError');
      return [{ dtype: self.dtype, shape: reducedShape(self.shape, dims, attrs.keepdim === true) }];
    },
    reference: ([self], attrs, [out]) => [
      extremum(self, reducedDims(attrs.dim, self.shape.length), largest, elementCount(out.shape)),
    ],
    wgsl: { kind: 'kernel', kernel: 'extremum' },
    gradName: largest ? 'Amax' : 'Amin',
    gradient: {
      saves: { inputs: [0], outputs: [0] },
      backward: ({ b, inputs: [self], outputs: [result], attrs, gradOutput }) => {
        const dims = reducedDims(attrs.dim, self.shape.length);
        const keepdim = attrs.keepdim === true;
        const mask = b.eq(self, restoreReduced(b, result, self.shape, dims, keepdim));
        const grad = restoreReduced(b, gradOutput, self.shape, dims, keepdim);
        // Where NaN won the mask is empty and the gradient is 0 / 0, as in PyTorch.
        return [b.div(b.mul(grad, mask), b.sum(mask, dims, true))];
      },
    },
    autocast: noCast,
    tolerance: selects,
    samples: [
      { inputs: values(1, 3, 2, 3), attrs: { dim: null, keepdim: false } },
      { inputs: table(1, 3, 3, 2, Number.NaN, 5), attrs: { dim: [0, 1], keepdim: true } },
      { inputs: table(1, 3, 3, 2, 4, 3), attrs: { dim: [0], keepdim: false } },
    ],
  });

  const arg = `arg${name}`;
  defineOp({
    name: arg,
    doc: `Index of the first ${adjective} element along \`dim\`, or in the flattened tensor if None; the first NaN if there is any.`,
    params: 'self: Tensor, dim: int?, keepdim: bool',
    promotion: 'same',
    infer: ([self], attrs) => {
      const rank = self.shape.length;
      if (self.dtype === 'bool') throw new TorchError('RuntimeError', `${arg}(): does not support bool input`);
      const dim = typeof attrs.dim === 'number' ? normalizeDim(attrs.dim, rank) : null;
      checkNotEmpty(arg, self, dim === null ? null : rank === 0 ? [] : [dim], 'IndexError');
      const dims = rank === 0 ? [] : dim === null ? self.shape.map((_, i) => i) : [dim];
      return [{ dtype: 'int64', shape: reducedShape(self.shape, dims, attrs.keepdim === true) }];
    },
    reference: ([self], attrs, [out]) => {
      const indices = allocateHost('int64', elementCount(out.shape));
      if (indices.length === 0) return [indices];
      const flat = typeof attrs.dim !== 'number';
      const host = flat ? { ...self, shape: [elementCount(self.shape)] } : self;
      eachLineBest(host, flat ? 0 : normalizeDim(attrs.dim as number, self.shape.length), largest, (line, index) => {
        indices[line] = index;
      });
      return [indices];
    },
    wgsl: { kind: 'kernel', kernel: 'extremum' },
    gradient: 'not differentiable',
    autocast: noCast,
    tolerance: selects,
    samples: [
      { inputs: values(1, 3, 2, 3), attrs: { dim: null, keepdim: false } },
      { inputs: table(1, 3, 3, 2, Number.NaN, 5), attrs: { dim: 1, keepdim: true } },
    ],
  });
}

/** Puts each gradient where its value came from, zeros elsewhere: the backward of every op that picks elements along a dim. */
export function scatterAlong(b: Builder, self: Value, grad: Value, indices: Value, attrs: Attrs): Value {
  const zeros = b.full(self, self.shape, 0, grad.dtype);
  const rank = self.shape.length;
  if (rank === 0) return b.reshape(grad, []);
  const dim = normalizeDim(attrs.dim as number, rank);
  const kept = grad.shape.length === rank;
  return b.op('scatter', [zeros, kept ? indices : b.unsqueeze(indices, dim), kept ? grad : b.unsqueeze(grad, dim)], {
    dim,
  });
}
