/**
 * What a right GAN step does, in exact arithmetic. Generator and critic are Linear, both losses mean squared errors, both optimizers SGD.
 * `exact` says whether every value that is cast to float16 is one (or overflows) and every sum is a float32: then one result is right.
 */
import { float16, float32, roundToFormat } from '../../engine/formats/float-format';

export type Matrix = readonly (readonly number[])[];

export interface GanCase {
  /** [features, latent] and [features] */
  readonly generator: { readonly weight: Matrix; readonly bias: readonly number[] };
  /** [1, features] and [1] */
  readonly critic: { readonly weight: readonly number[]; readonly bias: number };
  /** real: [rows, features], noise: [rows, latent]; one for each call. */
  readonly steps: readonly { readonly real: Matrix; readonly noise: Matrix }[];
  readonly learningRate: number;
  readonly maxNorm: number;
  readonly initScale: number;
  readonly growthInterval: number;
}

/** After one call of gan_step. */
export interface State {
  /** Of the generator's true gradients, before clipping; NaN where they overflowed. */
  readonly norm: number;
  readonly criticSkipped: boolean;
  readonly generatorSkipped: boolean;
  readonly critic: { readonly weight: readonly number[]; readonly bias: number };
  readonly generator: { readonly weight: Matrix; readonly bias: readonly number[] };
  /** How far each generator parameter (weight row by row, then bias) may be off: 0 unless its step was clipped. */
  readonly slack: readonly number[];
  readonly scale: number;
  /** Everything up to here has one right value. */
  readonly exact: boolean;
}

/** float16 rounds to infinity from here: halfway between 65504 and 2^16. */
const OVERFLOW = 65520;
const half = (v: number): number => roundToFormat(v, float16);
const isSingle = (v: number): boolean => roundToFormat(v, float32) === v;

export function simulate(c: GanCase): State[] {
  let { critic, generator } = c as Pick<State, 'critic' | 'generator'>;
  let scale = c.initScale;
  let clean = 0;
  let exact = true;
  const states: State[] = [];
  for (const { real, noise } of c.steps) {
    const rows = real.length;
    let overflow = false;
    /** A value that is rounded to float16: a score, or a scaled gradient. */
    const stored = (v: number): number => {
      if (Math.abs(v) < OVERFLOW) exact &&= half(v) === v;
      else overflow = true;
      return Math.abs(v) < OVERFLOW ? v : v * Number.POSITIVE_INFINITY; // what comes of it is inf or NaN
    };
    const score = (row: readonly number[], d: State['critic']): number =>
      stored(row.reduce((a, v, f) => a + half(v) * half(d.weight[f] as number), half(d.bias)));

    const fake = noise.map((z) =>
      generator.weight.map((w, f) =>
        stored(z.reduce((a, v, l) => a + half(v) * half(w[l] as number), half(generator.bias[f] as number))),
      ),
    );
    // d/d score of the mean of (score - target)^2, times the scale
    const slope = (s: number, target: number): number => stored(((2 * (s - target)) / rows) * scale);

    // The critic: real towards 1, fake towards 0. Both parts add up in float16, in the cast weights.
    const onReal = real.map((row) => slope(score(row, critic), 1));
    const onFake = fake.map((row) => slope(score(row, critic), 0));
    const column = (m: Matrix, g: readonly number[], f: number): number =>
      stored(m.reduce((a, row, r) => a + (g[r] as number) * half(row[f] as number), 0));
    const total = (g: readonly number[]): number => stored(g.reduce((a, b) => a + b, 0));
    const dWeight = critic.weight.map((_, f) => stored(column(real, onReal, f) + column(fake, onFake, f)));
    const dBias = stored(total(onReal) + total(onFake));
    const criticSkipped = overflow;
    if (!criticSkipped) {
      const move = (p: number, g: number): number => {
        const moved = p - (c.learningRate * g) / scale;
        exact &&= isSingle(moved);
        return moved;
      };
      critic = {
        weight: critic.weight.map((w, f) => move(w, dWeight[f] as number)),
        bias: move(critic.bias, dBias),
      };
    }

    // The generator: fake towards 1, as the critic sees it now.
    overflow = false;
    const wanted = fake.map((row) => slope(score(row, critic), 1));
    const dFake = wanted.map((g) => critic.weight.map((w) => stored(g * half(w))));
    const gWeight = generator.weight.map((w, f) =>
      w.map((_, l) => stored(noise.reduce((a, z, r) => a + (dFake[r]?.[f] as number) * half(z[l] as number), 0))),
    );
    const gBias = generator.bias.map((_, f) => total(dFake.map((g) => g[f] as number)));
    const generatorSkipped = overflow;
    const gradients = [...gWeight.flat(), ...gBias].map((g) => g / scale);
    const norm = generatorSkipped ? Number.NaN : Math.hypot(...gradients);
    const clipped = norm > c.maxNorm;
    const before = [...generator.weight.flat(), ...generator.bias];
    let after = before;
    if (!generatorSkipped) {
      const factor = clipped ? c.maxNorm / norm : 1;
      after = before.map((p, i) => p - c.learningRate * factor * (gradients[i] as number));
      if (!clipped) exact &&= after.every(isSingle);
    }
    // PyTorch divides by norm + 1e-6; norm, sum, quotient, both products and the difference round once each.
    const relative = 1e-6 / norm + 8 * float32.unitRoundoff;
    const slack = after.map((p, i) =>
      clipped
        ? Math.abs(p - (before[i] as number)) * relative +
          (Math.abs(p) + Math.abs(before[i] as number)) * float32.unitRoundoff
        : 0,
    );
    const latent = noise[0]?.length ?? 0;
    generator = {
      weight: generator.weight.map((_, f) => after.slice(f * latent, (f + 1) * latent)),
      bias: after.slice(generator.weight.length * latent),
    };
    if (criticSkipped || generatorSkipped) {
      scale /= 2;
      clean = 0;
    } else if (++clean === c.growthInterval) {
      scale *= 2;
      clean = 0;
    }
    states.push({ norm, criticSkipped, generatorSkipped, critic, generator, slack, scale, exact });
    if (clipped) exact = false; // what follows is no longer exact
  }
  return states;
}
