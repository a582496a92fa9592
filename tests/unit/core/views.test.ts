/** Views against a naive model: a view is a shape and, for each of its elements, the position in the base. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { broadcastShapes } from '@/engine/core/shape';
import { type T, Torch } from './torch';

interface Model {
  readonly shape: readonly number[];
  readonly at: readonly number[];
}

const count = (shape: readonly number[]): number => shape.reduce((n, s) => n * s, 1);

/** All index tuples of a shape, row-major. */
function* indices(shape: readonly number[]): Generator<number[]> {
  for (let i = 0; i < count(shape); i++) {
    const index: number[] = [];
    let rest = i;
    for (let d = shape.length - 1; d >= 0; d--) {
      index[d] = rest % shape[d];
      rest = Math.floor(rest / shape[d]);
    }
    yield index;
  }
}

const flat = (shape: readonly number[], index: readonly number[]): number =>
  index.reduce((n, x, d) => n * shape[d] + x, 0);

/** The model of a view of `shape` whose element `index` is element `from(index)` of `m`. */
const pick = (m: Model, shape: readonly number[], from: (index: number[]) => number[]): Model => ({
  shape,
  at: [...indices(shape)].map((index) => m.at[flat(m.shape, from(index))]),
});

/** A view op on a model of any shape, chosen by three numbers, with the same op on a tensor; null where it doesn't apply. */
type Step = (m: Model, a: number, b: number, c: number) => { model: Model; apply: (t: T) => T } | null;

const steps: Readonly<Record<string, Step>> = {
  transpose(m, a, b) {
    const rank = m.shape.length;
    if (rank < 2) return null;
    const [i, j] = [a % rank, b % rank];
    const swap = (x: readonly number[]): number[] => x.map((v, d) => (d === i ? x[j] : d === j ? x[i] : v));
    return { model: pick(m, swap(m.shape), swap), apply: (t) => t.transpose(i, j) };
  },
  permute(m, a) {
    const rank = m.shape.length;
    if (rank === 0) return null;
    const dims = m.shape.map((_, d) => (d + a) % rank);
    const model = pick(
      m,
      dims.map((d) => m.shape[d]),
      (index) => m.shape.map((_, d) => index[dims.indexOf(d)]),
    );
    return { model, apply: (t) => t.permute(...dims) };
  },
  slice(m, a, b, c) {
    const rank = m.shape.length;
    if (rank === 0) return null;
    const d = a % rank;
    const start = b % (m.shape[d] + 1);
    const step = 1 + (c % 3);
    const shape = m.shape.map((s, i) => (i === d ? Math.ceil((s - start) / step) : s));
    const model = pick(m, shape, (index) => index.map((x, i) => (i === d ? start + x * step : x)));
    return { model, apply: (t) => t.slice(d, start, null, step) };
  },
  narrow(m, a, b) {
    const rank = m.shape.length;
    if (rank === 0) return null;
    const d = a % rank;
    const start = b % (m.shape[d] + 1);
    const shape = m.shape.map((s, i) => (i === d ? s - start : s));
    return {
      model: pick(m, shape, (index) => index.map((x, i) => (i === d ? x + start : x))),
      apply: (t) => t.narrow(d, start, m.shape[d] - start),
    };
  },
  select(m, a, b) {
    const rank = m.shape.length;
    if (rank === 0) return null;
    const d = a % rank;
    if (m.shape[d] === 0) return null;
    const at = b % m.shape[d];
    const shape = m.shape.filter((_, i) => i !== d);
    return {
      model: pick(m, shape, (index) => [...index.slice(0, d), at, ...index.slice(d)]),
      apply: (t) => t.select(d, at),
    };
  },
  unsqueeze(m, a) {
    const d = a % (m.shape.length + 1);
    const shape = [...m.shape.slice(0, d), 1, ...m.shape.slice(d)];
    return { model: { ...m, shape }, apply: (t) => t.unsqueeze(d) };
  },
  squeeze(m, a) {
    const ones = m.shape.map((s, d) => (s === 1 ? d : -1)).filter((d) => d >= 0);
    if (ones.length === 0) return null;
    const d = ones[a % ones.length];
    return { model: { ...m, shape: m.shape.filter((_, i) => i !== d) }, apply: (t) => t.squeeze(d) };
  },
  diagonal(m, a) {
    if (m.shape.length !== 2) return null;
    const offset = (a % 3) - 1;
    const [rows, columns] = m.shape;
    const n = Math.max(offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns), 0);
    const model = pick(m, [n], ([i]) => [i + Math.max(-offset, 0), i + Math.max(offset, 0)]);
    return { model, apply: (t) => t.diagonal(offset) };
  },
};
const names = Object.keys(steps);

const walk = fc.record({
  shape: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 0, maxLength: 3 }),
  path: fc.array(fc.tuple(fc.nat(names.length - 1), fc.nat(20), fc.nat(20), fc.nat(20)), { maxLength: 5 }),
});

/** A base of 0, 1, 2, … and the views along the path. */
function follow(
  torch: Torch,
  base: T,
  shape: readonly number[],
  path: readonly [number, number, number, number][],
): { view: T; model: Model } {
  let model: Model = { shape, at: Array.from({ length: count(shape) }, (_, i) => i) };
  let view = base;
  void torch;
  for (const [which, a, b, c] of path) {
    const next = steps[names[which]](model, a, b, c);
    if (next === null) continue;
    view = next.apply(view);
    model = next.model;
  }
  return { view, model };
}

const makeBase = (torch: Torch, shape: readonly number[]): T =>
  torch.tensor(Array.from({ length: count(shape) }, (_, i) => i)).view(...shape);

describe('views', () => {
  it('show the same elements as the model, and stay views', () => {
    fc.assert(
      fc.property(walk, ({ shape, path }) => {
        const torch = new Torch();
        const base = makeBase(torch, shape);
        const { view, model } = follow(torch, base, shape, path);
        expect(view.shape).toEqual(model.shape);
        expect(view.v).toEqual(model.at);
        expect(torch.b.storage_id(view.h)).toBe(torch.b.storage_id(base.h));
      }),
      { numRuns: 300 },
    );
  });

  it('writes through a view change exactly its elements of the base', () => {
    fc.assert(
      fc.property(walk, fc.integer({ min: -5, max: 5 }), ({ shape, path }, number) => {
        const torch = new Torch();
        const base = makeBase(torch, shape);
        const { view, model } = follow(torch, base, shape, path);
        view.mul_(2).add_(number);
        const expected = Array.from({ length: count(shape) }, (_, i) => (model.at.includes(i) ? 2 * i + number : i));
        expect(base.v).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('gradients through a view land on its elements', () => {
    fc.assert(
      fc.property(walk, ({ shape, path }) => {
        const torch = new Torch();
        const base = makeBase(torch, shape);
        const leaf = base.detach();
        torch.b.set_requires_grad(leaf.h, true);
        const { view, model } = follow(torch, leaf, shape, path);
        const weights = model.at.map((_, i) => i + 1);
        view
          .mul(torch.tensor(weights).view(...model.shape))
          .sum()
          .backward();
        const expected = new Array<number>(count(shape)).fill(0);
        model.at.forEach((p, i) => {
          expected[p] += weights[i];
        });
        expect(leaf.grad?.v).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('gradients after a write through a view follow the write: d/dx of 3x inside, x outside', () => {
    fc.assert(
      fc.property(walk, ({ shape, path }) => {
        const torch = new Torch();
        const leaf = makeBase(torch, shape).detach();
        torch.b.set_requires_grad(leaf.h, true);
        const y = leaf.mul(1);
        const { view, model } = follow(torch, y, shape, path);
        view.mul_(3);
        y.sum().backward();
        expect(leaf.grad?.v).toEqual(Array.from({ length: count(shape) }, (_, i) => (model.at.includes(i) ? 3 : 1)));
      }),
      { numRuns: 300 },
    );
  });

  it('reshape of any view reads row-major', () => {
    fc.assert(
      fc.property(walk, ({ shape, path }) => {
        const torch = new Torch();
        const { view, model } = follow(torch, makeBase(torch, shape), shape, path);
        expect(view.reshape(model.at.length).v).toEqual(model.at);
        expect(view.contiguous().v).toEqual(model.at);
      }),
      { numRuns: 200 },
    );
  });

  it('view refuses strides that it can not express', () => {
    const torch = new Torch();
    const x = torch.tensor([
      [1, 1, 1],
      [1, 1, 1],
    ]);
    expect(() => x.t().view(6)).toThrow(
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
    );
    expect(() => x.view(4)).toThrow("shape '[4]' is invalid for input of size 6");
    expect(() => x.reshape(4, -1)).toThrow("shape '[4, -1]' is invalid for input of size 6");
    expect(() => x.view(-1, -1)).toThrow('only one dimension can be inferred');
    expect(() => x.expand(2)).toThrow(
      'expand(torch.FloatTensor{[2, 3]}, size=[2]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)',
    );
    expect(() => x.expand(4, 3)).toThrow(
      'The expanded size of the tensor (4) must match the existing size (2) at non-singleton dimension 0.  Target sizes: [4, 3].  Tensor sizes: [2, 3]',
    );
    expect(() => x.select(0, 5)).toThrow('select(): index 5 out of range for tensor of size [2, 3] at dimension 0');
    expect(() => x.narrow(1, 2, 2)).toThrow('start (2) + length (2) exceeds dimension size (3).');
    expect(() => x.squeeze(3)).toThrow('Dimension out of range (expected to be in range of [-2, 1], but got 3)');
    expect(() => torch.tensor([1, 2, 3]).asStrided([5], [1])).toThrow(
      'setStorage: sizes [5], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 20 are out of bounds for storage of size 12',
    );
  });
});

describe('broadcasting', () => {
  const shapes = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });

  it('is symmetric and gives each element the operands aligned at the last dimension', () => {
    fc.assert(
      fc.property(shapes, shapes, (a, b) => {
        const torch = new Torch();
        const x = makeBase(torch, a);
        const y = makeBase(torch, b);
        const rank = Math.max(a.length, b.length);
        const size = (s: readonly number[], d: number): number => s[d - rank + s.length] ?? 1;
        const clash = Array.from({ length: rank }, (_, d) => [size(a, d), size(b, d)]).some(
          ([p, q]) => p !== q && p !== 1 && q !== 1,
        );
        if (clash) {
          expect(() => x.add(y)).toThrow(
            /The size of tensor a \(\d\) must match the size of tensor b \(\d\) at non-singleton dimension \d/,
          );
          expect(() => broadcastShapes(b, a)).toThrow();
          return;
        }
        const sum = x.add(y.mul(100));
        const shape = broadcastShapes(a, b);
        expect(sum.shape).toEqual(shape);
        expect(broadcastShapes(b, a)).toEqual(shape);
        const own = (s: readonly number[], index: readonly number[]): number =>
          flat(
            s,
            s.map((n, d) => (n === 1 ? 0 : index[d + rank - s.length])),
          );
        expect(sum.v).toEqual([...indices(shape)].map((index) => own(a, index) + 100 * own(b, index)));
      }),
      { numRuns: 300 },
    );
  });

  it('sums the gradient back to each operand', () => {
    fc.assert(
      fc.property(shapes, fc.array(fc.boolean(), { maxLength: 4 }), (full, ones) => {
        const torch = new Torch();
        // A shape that broadcasts to `full`: some leading dims dropped, some sizes 1.
        const small = full.slice(Math.min(ones.filter(Boolean).length, full.length)).map((n, d) => (ones[d] ? 1 : n));
        const x = makeBase(torch, small).detach();
        torch.b.set_requires_grad(x.h, true);
        x.mul(torch.tensor(new Array(count(full)).fill(1)).view(...full))
          .sum()
          .backward();
        const repeats = count(small) === 0 ? 0 : count(broadcastShapes(small, full)) / count(small);
        expect(x.grad?.v).toEqual(new Array(count(small)).fill(repeats));
      }),
      { numRuns: 200 },
    );
  });
});
