/**
 * What a right training step does, in exact arithmetic. The model is Linear, the loss the mean squared error, the optimizer SGD. Cases are
 * chosen so that every value after the casts to float16 is a float16 (or overflows), and every sum a float32: then there is one right answer.
 */
import { float16, float32, roundToFormat } from '../../engine/formats/float-format';

export interface MicroBatch {
  /** [rows, in] and [rows, out] */
  readonly x: readonly (readonly number[])[];
  readonly y: readonly (readonly number[])[];
}

export interface TrainingCase {
  /** [out, in] */
  readonly weight: readonly (readonly number[])[];
  readonly bias: readonly number[];
  /** One list of micro-batches for each call of train_step. */
  readonly steps: readonly (readonly MicroBatch[])[];
  readonly learningRate: number;
  readonly maxNorm: number;
  readonly initScale: number;
  readonly growthInterval: number;
}

/** After one call of train_step. */
export interface State {
  /** Norm of the true gradients before clipping; NaN where they overflowed. */
  readonly norm: number;
  readonly skipped: boolean;
  readonly clipped: boolean;
  /** Weight row by row, then bias. */
  readonly parameters: readonly number[];
  /** How far a parameter may be off: 0 unless the step was clipped. */
  readonly slack: readonly number[];
  readonly scale: number;
}

const half = (v: number): number => roundToFormat(v, float16);
const isHalf = (v: number): boolean => half(v) === v;
const isSingle = (v: number): boolean => roundToFormat(v, float32) === v;
/** float16 rounds to infinity from here: halfway between 65504 and 2^16. */
const OVERFLOW = 65520;

/** The states after each call, or null if some value isn't exact, so that its last bit would depend on the order of operations. */
export function train(c: TrainingCase): State[] | null {
  const inputs = (c.weight[0] as readonly number[]).length;
  let parameters = [...c.weight.flat(), ...c.bias];
  let scale = c.initScale;
  let clean = 0;
  const states: State[] = [];
  for (const microBatches of c.steps) {
    const scaled = new Array<number>(parameters.length).fill(0);
    let overflow = false;
    let exact = true;
    for (const { x, y } of microBatches) {
      const outputs = c.bias.length;
      const gradient = new Array<number>(parameters.length).fill(0);
      x.forEach((row, r) => {
        for (let o = 0; o < outputs; o++) {
          let prediction = half(parameters[outputs * inputs + o] as number);
          for (let i = 0; i < inputs; i++)
            prediction += half(row[i] as number) * half(parameters[o * inputs + i] as number);
          exact &&= isHalf(prediction);
          const error = prediction - (y[r]?.[o] as number);
          // d/d prediction of the mean of squares over all elements of all micro-batches, times the scale
          const g = ((2 * error) / (x.length * outputs * microBatches.length)) * scale;
          if (Math.abs(g) >= OVERFLOW) overflow = true;
          else exact &&= isHalf(g);
          for (let i = 0; i < inputs; i++) gradient[o * inputs + i] += g * half(row[i] as number);
          gradient[outputs * inputs + o] += g;
        }
      });
      gradient.forEach((g, i) => {
        if (Math.abs(g) >= OVERFLOW) overflow = true;
        else exact &&= isHalf(g);
        scaled[i] += g;
        exact &&= isSingle(scaled[i] as number);
      });
    }
    if (!exact && !overflow) return null;
    if (overflow) {
      scale /= 2;
      clean = 0;
      const slack = parameters.map(() => 0);
      states.push({ norm: Number.NaN, skipped: true, clipped: false, parameters, slack, scale });
      continue;
    }
    const gradients = scaled.map((g) => g / scale);
    const norm = Math.hypot(...gradients);
    const clipped = norm > c.maxNorm;
    const factor = clipped ? c.maxNorm / norm : 1;
    const before = parameters;
    parameters = before.map((p, i) => p - c.learningRate * factor * (gradients[i] as number));
    if (!clipped && !parameters.every(isSingle)) return null;
    // PyTorch divides by norm + 1e-6; norm, sum, quotient, both products and the difference round once each.
    const relative = 1e-6 / norm + 8 * float32.unitRoundoff;
    const slack = parameters.map((p, i) =>
      clipped
        ? Math.abs(p - (before[i] as number)) * relative +
          (Math.abs(p) + Math.abs(before[i] as number)) * float32.unitRoundoff
        : 0,
    );
    if (++clean === c.growthInterval) {
      scale *= 2;
      clean = 0;
    }
    states.push({ norm, skipped: false, clipped, parameters, slack, scale });
    if (clipped) break; // what follows is no longer exact
  }
  return states.length === c.steps.length ? states : null;
}
