/** Hidden inputs of the training step: small dyadic numbers, so that float16 holds every intermediate value (training.ts checks it). */
import fc from 'fast-check';
import { type MicroBatch, type TrainingCase, train } from './training';

const NO_CLIPPING = 2 ** 40;

const of = (values: readonly number[]) => fc.constantFrom(...values);
const matrix = (rows: number, columns: number, value: fc.Arbitrary<number>) =>
  fc.array(fc.array(value, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows });

const halves = fc.integer({ min: -4, max: 4 }).map((v) => v / 2);
const targets = fc.integer({ min: -6, max: 6 }).map((v) => v / 2);
const features = fc.integer({ min: -3, max: 3 });

interface Options {
  readonly microBatches: readonly number[];
  readonly calls: readonly number[];
  /** Where set, gradients are clipped to one of these; only cases in which that is far below the norm are kept. */
  readonly maxNorm?: readonly number[];
}

/** Any small regression in which nothing overflows. */
export const trainingCases = ({ microBatches, calls, maxNorm }: Options): fc.Arbitrary<TrainingCase> =>
  fc
    // rows x outputs x micro-batches is a power of two, so that dividing by it is exact
    .tuple(of([1, 2, 3]), of([1, 2]), of([1, 2]), of(microBatches), of(calls))
    .chain(([inputs, outputs, rows, count, steps]) =>
      fc.record({
        weight: matrix(outputs, inputs, halves),
        bias: fc.array(halves, { minLength: outputs, maxLength: outputs }),
        steps: fc.array(
          fc.array(fc.record({ x: matrix(rows, inputs, features), y: matrix(rows, outputs, targets) }), {
            minLength: count,
            maxLength: count,
          }),
          { minLength: steps, maxLength: steps },
        ),
        learningRate: of([0.5, 0.25]),
        maxNorm: maxNorm ? of(maxNorm) : fc.constant(NO_CLIPPING),
        initScale: of([64, 256]),
        growthInterval: fc.constant(2000),
      }),
    )
    .filter((c) => {
      const states = train(c);
      if (states === null || states.some((s) => s.skipped)) return false;
      // A step that changes nothing can't be told from a wrong one.
      if (states.some((s) => s.norm === 0)) return false;
      return maxNorm === undefined || states.every((s) => s.norm > 1.5 * c.maxNorm);
    });

const one = (x: number, y: number): MicroBatch => ({ x: [[x]], y: [[y]] });

const scalar = (c: Partial<TrainingCase> & Pick<TrainingCase, 'steps'>): TrainingCase => ({
  weight: [[1]],
  bias: [0],
  learningRate: 0.5,
  maxNorm: NO_CLIPPING,
  initScale: 1024,
  growthInterval: 2000,
  ...c,
});

/**
 * The scale 65536 overflows on an error of 2 or more in one of the micro-batches; the next call, with small errors and half the scale, is
 * within range.
 */
export const overflowCases: fc.Arbitrary<TrainingCase> = fc
  .tuple(halves, halves, fc.array(of([0, 1, 2]), { minLength: 1, maxLength: 2 }), fc.nat(), of([8, -8, 16, -32]))
  .map(([w, b, xs, at, big]) => {
    const batch = (errors: (i: number) => number) => xs.map((x, i) => one(x, w * x + b - errors(i)));
    const bad = batch((i) => (i === at % xs.length ? big : 0.25));
    return scalar({ weight: [[w]], bias: [b], initScale: 65536, steps: [bad, batch(() => 0.25)] });
  })
  .filter((c) => {
    const states = train(c);
    return states !== null && states[0]?.skipped === true && states[1]?.skipped === false;
  });

/** Clean calls in a row; the interval counts calls, not micro-batches. */
export const growthCases: fc.Arbitrary<TrainingCase> = fc
  .tuple(of([1, 2, 3]), of([1, 2, 4]), of([64, 1024]))
  .map(([growthInterval, count, initScale]) =>
    // Target and prediction agree after the first call, so that nothing overflows while the scale grows.
    scalar({
      growthInterval,
      initScale,
      learningRate: 0.25,
      steps: Array.from({ length: 4 }, () => Array.from({ length: count }, () => one(1, 0))),
    }),
  )
  .filter((c) => train(c) !== null);

/** Two rows of micro-batches with different errors; 3, 4 and 12 make the norms easy to follow. */
export const examples = {
  single: scalar({ steps: [[one(2, 1)]] }),
  several: scalar({ steps: [[one(2, 1), one(1, 3)]] }),
  four: scalar({ steps: [[one(2, 1), one(1, 3), one(-1, 0), one(3, 2)]] }),
  clipped: scalar({ steps: [[one(2, -2), one(1, 3)]], maxNorm: 0.5 }),
  twice: scalar({
    steps: [
      [one(2, 1), one(1, 3)],
      [one(1, 1), one(-1, 2)],
    ],
  }),
  overflow: scalar({
    steps: [
      [one(2, -6), one(1, 0.75)],
      [one(2, 1.75), one(1, 0.75)],
    ],
    initScale: 65536,
  }),
  growth: scalar({
    growthInterval: 2,
    learningRate: 0.25,
    steps: Array.from({ length: 4 }, () => [one(1, 0), one(1, 0)]),
  }),
  /** 2049 is not a float16: it rounds to 2048, and then the error is 0. 257 is no bfloat16. */
  float16: scalar({ steps: [[one(2049, 2048), one(257, 256)]], learningRate: 2 ** -10, initScale: 16 }),
};
