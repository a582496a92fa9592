/** Random numbers: generators by number (0 is the default one), and tensors filled from them. "cpu" and "cuda" share generators. */
import { fromHost } from '../../core/creation';
import type { Engine } from '../../core/engine';
import { Generator } from '../../core/random';
import type { Tensor } from '../../core/tensor';
import { permuteView } from '../../core/views';
import type { DType, HostData } from '../../formats/dtype';
import type { Handles } from './handles';
import { deviceOf } from './tensors';

/** What `random` and `random_` draw; two parameters each: bounds, mean and std, bounds, probability, rate. */
export type Distribution = 'uniform' | 'normal' | 'integers' | 'permutation' | 'bernoulli' | 'exponential';

function draw(
  generator: Generator,
  kind: Distribution,
  a: number,
  b: number,
  dtype: DType,
  count: number,
  contiguous = true,
): HostData {
  switch (kind) {
    case 'uniform':
      return generator.uniform(dtype, count, a, b);
    case 'normal':
      return generator.normal(dtype, count, a, b, contiguous);
    case 'integers':
      return generator.randint(dtype, count, a, b);
    case 'permutation':
      return generator.randperm(dtype, count);
    case 'bernoulli':
      return generator.bernoulli(dtype, count, a);
    case 'exponential':
      return generator.exponential(dtype, count, a);
  }
}

const count = (shape: readonly number[]): number => shape.reduce((n, s) => n * s, 1);

export function randomFunctions(engine: Engine, handles: Handles) {
  const generators = new Map<number, Generator>([[0, new Generator()]]);
  let next = 1;
  const of = (id: number): Generator => {
    const generator = generators.get(id);
    if (generator === undefined) throw new Error(`there is no generator ${id}`);
    return generator;
  };
  const then = <T, R>(value: T | Promise<T>, use: (value: T) => R): R | Promise<R> =>
    value instanceof Promise ? value.then(use) : use(value);

  return {
    /** generator_new(): the number of a new generator, seeded as torch.Generator() is. */
    generator_new(): number {
      generators.set(next, new Generator());
      return next++;
    },
    /** generator_free(id). */
    generator_free: (id: number): void => void generators.delete(id),
    /** generator_seed(id, low, high): restarts from a 64-bit seed given as two 32-bit words. */
    generator_seed: (id: number, low: number, high: number): void =>
      void of(id).manualSeed((BigInt(high) << 32n) | BigInt(low)),
    /** generator_initial_seed(id): the seed of the last restart, as decimal text. */
    generator_initial_seed: (id: number): string => of(id).initialSeed().toString(),
    /** generator_state(id): get_state()'s 5,056 bytes. */
    generator_state: (id: number): Uint8Array => of(id).getState(),
    /** generator_set_state(id, bytes). Errors: another size. */
    generator_set_state: (id: number, bytes: ArrayLike<number>): void => void of(id).setState(Uint8Array.from(bytes)),

    /** random(kind, generator, a, b, dtype, device, ...shape): a new tensor. */
    random(
      kind: Distribution,
      id: number,
      a: number,
      b: number,
      dtype: DType,
      device: string,
      ...shape: number[]
    ): number {
      const data = draw(of(id), kind, a, b, dtype, count(shape));
      return handles.add(fromHost(engine, data, dtype, deviceOf(device), shape));
    },
    /** random_(kind, generator, a, b, h): fills in place, in the order of memory. */
    random_(kind: Distribution, id: number, a: number, b: number, h: number): number {
      const target = handles.get(h);
      const { dtype, shape, strides, device } = target;
      const order = shape.map((_, i) => i).sort((i, j) => strides[j] - strides[i] || i - j);
      const data = draw(of(id), kind, a, b, dtype, count(shape), target.contiguous);
      const drawn = fromHost(
        engine,
        data,
        dtype,
        device,
        order.map((i) => shape[i]),
      );
      const inverse = order.map((_, i) => order.indexOf(i));
      const placed: Tensor = target.contiguous ? drawn : permuteView(engine, drawn, inverse);
      engine.copyInPlace(target, placed);
      return h;
    },
    /** bernoulli(generator, h): ones with the tensor's own probabilities. A promise on an asynchronous backend. */
    bernoulli(id: number, h: number): number | Promise<number> {
      const { dtype, device, shape } = handles.get(h);
      return then(engine.read(handles.get(h)), (p) =>
        handles.add(fromHost(engine, of(id).bernoulliFrom(dtype, p), dtype, device, shape)),
      );
    },
    /** multinomial(generator, h, samples, replacement): indices drawn by the weights of a vector or of each row. */
    multinomial(id: number, h: number, samples: number, replacement: boolean): number | Promise<number> {
      const { dtype, device, shape } = handles.get(h);
      const columns = shape[shape.length - 1];
      const rows = shape.length === 1 ? 1 : shape[0];
      return then(engine.read(handles.get(h)), (weights) => {
        const chosen = of(id).multinomial(dtype, weights, rows, columns, samples, Boolean(replacement));
        return handles.add(fromHost(engine, chosen, 'int64', device, shape.length === 1 ? [samples] : [rows, samples]));
      });
    },
  };
}
