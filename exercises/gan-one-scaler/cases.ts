/** Hidden inputs of the GAN step: small dyadic numbers, kept where float16 holds every intermediate value (gan.ts says whether). */
import fc from 'fast-check';
import { type GanCase, type State, simulate } from './gan';

const NO_CLIPPING = 2 ** 40;

const of = (values: readonly number[]) => fc.constantFrom(...values);
const matrix = (rows: number, columns: number, value: fc.Arbitrary<number>) =>
  fc.array(fc.array(value, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows });
const list = (n: number, value: fc.Arbitrary<number>) => fc.array(value, { minLength: n, maxLength: n });

const halves = fc.integer({ min: -3, max: 3 }).map((v) => v / 2);
const whole = fc.integer({ min: -2, max: 2 });

/** Any small GAN; `keep` says which of them are of interest, all calls being exact. */
const cases = (
  calls: number,
  keep: (states: readonly State[], c: GanCase) => boolean,
  options: { readonly maxNorm?: readonly number[]; readonly initScale?: readonly number[] } = {},
): fc.Arbitrary<GanCase> =>
  fc
    // rows is a power of two, so that dividing by it is exact
    .tuple(of([1, 2]), of([1, 2]), of(calls > 1 ? [1] : [1, 2, 4]))
    .chain(([latent, features, rows]) =>
      fc.record({
        generator: fc.record({ weight: matrix(features, latent, halves), bias: list(features, halves) }),
        critic: fc.record({ weight: list(features, halves), bias: halves }),
        steps: fc.array(fc.record({ real: matrix(rows, features, whole), noise: matrix(rows, latent, whole) }), {
          minLength: calls,
          maxLength: calls,
        }),
        learningRate: of([0.5, 0.25]),
        maxNorm: of(options.maxNorm ?? [NO_CLIPPING]),
        initScale: of(options.initScale ?? [16, 64]),
        growthInterval: fc.constant(2000),
      }),
    )
    .filter((c) => {
      const states = simulate(c);
      return states.every((s) => s.exact) && keep(states, c);
    });

const moves = (s: State): boolean => !s.criticSkipped && !s.generatorSkipped && s.norm > 0;

/** Both take their step, and something moves. */
export const cleanCases = (calls: number): fc.Arbitrary<GanCase> => cases(calls, (states) => states.every(moves));

/** The generator's gradients are far above the threshold. */
export const clippedCases: fc.Arbitrary<GanCase> = cases(
  1,
  ([s], c) => s !== undefined && moves(s) && s.norm > 1.5 * c.maxNorm,
  { maxNorm: [0.25, 0.5, 1] },
);

const one = (c: Partial<GanCase> & Pick<GanCase, 'steps'>): GanCase => ({
  generator: { weight: [[1]], bias: [0] },
  critic: { weight: [1], bias: 0 },
  learningRate: 0.5,
  maxNorm: NO_CLIPPING,
  initScale: 64,
  growthInterval: 2000,
  ...c,
});
const step = (real: number, noise: number) => ({ real: [[real]], noise: [[noise]] });

/**
 * At the scale 65536 a score may be off by less than 0.5. The critic wants 0 of a fake that scores 0.75, the generator wants 1: only the
 * critic's gradients overflow. Where it scores 0.25, only the generator's do.
 */
const overflowing = (scores: readonly number[]): fc.Arbitrary<GanCase> =>
  fc.tuple(of(scores), of([1, -1]), of([0.75, 1, 1.25])).map(([score, sign, real]) =>
    one({
      // critic(x) = sign * x, so a score is the sign times what comes in
      critic: { weight: [sign], bias: 0 },
      initScale: 65536,
      learningRate: 0.25,
      steps: [step(sign * real, sign * score)],
    }),
  );

export const criticOverflows: fc.Arbitrary<GanCase> = overflowing([0.625, 0.75, 0.875, 1.25]);
export const generatorOverflows: fc.Arbitrary<GanCase> = overflowing([0.125, 0.25, 0.375]).filter((c) => {
  const [s] = simulate(c);
  return s?.exact === true && !s.criticSkipped && s.generatorSkipped;
});

/** Clean calls in a row; only the scale is judged, so their values need not be exact. */
export const growthCases: fc.Arbitrary<GanCase> = fc
  .tuple(of([1, 2, 3]), of([16, 64]))
  .map(([growthInterval, initScale]) =>
    one({
      growthInterval,
      initScale,
      learningRate: 2 ** -6,
      steps: Array.from({ length: 4 }, (_, i) => step(1 + (i % 2), 1)),
    }),
  );

export const examples = {
  /** Scores: 2 on real, 1 on fake. The critic moves to -1.5 x - 2; by that, the fake scores -3.5. */
  plain: one({ steps: [step(2, 1)] }),
  rows: one({
    steps: [
      {
        real: [[2], [1]],
        noise: [[1], [-1]],
      },
    ],
  }),
  features: one({
    generator: { weight: [[1], [-0.5]], bias: [0, 1] },
    critic: { weight: [1, 0.5], bias: -0.5 },
    steps: [{ real: [[1, 2]], noise: [[2]] }],
  }),
  clipped: one({ steps: [step(2, 1)], maxNorm: 0.5 }),
  twice: one({ steps: [step(2, 1), step(1, -1)], learningRate: 0.25 }),
  criticOverflows: one({ initScale: 65536, learningRate: 0.25, steps: [step(1, 0.75)] }),
  generatorOverflows: one({ initScale: 65536, learningRate: 0.25, steps: [step(1, 0.25)] }),
  growth: one({ growthInterval: 2, learningRate: 2 ** -6, steps: [step(1, 1), step(2, 1), step(1, 1), step(2, 1)] }),
};
