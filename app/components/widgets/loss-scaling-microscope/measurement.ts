/** What the scripts print, read line by line as it comes, and what the pictures need of it. */
import { exponentOf, formats, fromBits } from '@/engine/formats/float-format';
import type { RunResult, Session } from '@/engine/session/session';
import { HIGHEST, type Kind, MEASURE, STEPS, trainingScript } from './script';

/** Counts of gradients at one scale. */
export interface AtScale {
  /** Of the scale: S = 2^exponent. */
  readonly exponent: number;
  /** Of the float32 gradients times S, rounded to float16. */
  readonly zero: number;
  readonly subnormal: number;
  readonly inf: number;
  /** Of the gradients that a float16 backward gave. */
  readonly backwardZero: number;
  readonly backwardNonfinite: number;
}

export interface Measurement {
  readonly total: number;
  /** Gradients by binary exponent: [e, how many lie in 2^e … 2^(e+1)], ascending. */
  readonly histogram: readonly (readonly [number, number])[];
  readonly scales: readonly AtScale[];
}

export interface TrainingStep {
  readonly loss: number;
  /** After the step. */
  readonly scale: number;
  /** The optimizer was called. */
  readonly taken: boolean;
}

export interface TrainingRun {
  readonly kind: Kind;
  /** Of the first scale; 0 without one. */
  readonly exponent: number;
  readonly steps: readonly TrainingStep[];
}

/** Milliseconds. Some seconds on a GPU; a software adapter on a busy machine takes longer than the session's own limit of 30 s. */
const TIME_LIMIT = 180_000;

const numbersOf = (line: string) => line.split(' ').map((word) => Number(word.replace('inf', 'Infinity')));

function scaleOf(line: string): AtScale {
  const [exponent = 0, zero = 0, subnormal = 0, inf = 0, backwardZero = 0, backwardNonfinite = 0] = numbersOf(line);
  return { exponent, zero, subnormal, inf, backwardZero, backwardNonfinite };
}

function stepOf(line: string): TrainingStep {
  const [, loss = Number.NaN, scale = Number.NaN, taken = 0] = numbersOf(line);
  return { loss, scale, taken: taken === 1 };
}

/** Calls `onLine` with each whole line of what is printed. */
function lines(onLine: (line: string) => void): (text: string, stream: 'stdout' | 'stderr') => void {
  let rest = '';
  return (text, stream) => {
    if (stream !== 'stdout') return;
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) onLine(line);
  };
}

/** Gradients by binary exponent, from their float32 bit patterns. Zeros have no exponent and are left out. */
export function histogramOf(bits: string): [number, number][] {
  const counts = new Map<number, number>();
  for (const pattern of bits.split(' ')) {
    const value = fromBits(Number.parseInt(pattern, 16), formats.float32);
    if (value === 0 || !Number.isFinite(value)) continue;
    const exponent = exponentOf(value);
    counts.set(exponent, (counts.get(exponent) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** Gradients at every scale. `onScale` hears of each as it is done. No measurement: the run ended early, and `result` says how. */
export async function measure(
  session: Session,
  onScale: (done: number) => void = () => undefined,
): Promise<{ measurement?: Measurement; result: RunResult }> {
  const scales: AtScale[] = [];
  const onOutput = lines((line) => onScale(scales.push(scaleOf(line))));
  const result = await session.run(MEASURE, { filename: 'microscope.py', onOutput, timeLimit: TIME_LIMIT });
  if (result.status !== 'done') return { result };
  const exact = await session.evaluate('exact');
  if (exact.value?.kind !== 'tensor' || scales.length !== HIGHEST + 1) return { result };
  const { bits, shape } = exact.value;
  return { measurement: { total: shape[0] ?? 0, histogram: histogramOf(bits), scales }, result };
}

/** A training run. `onSteps` hears of it as it grows. */
export async function train(
  session: Session,
  kind: Kind,
  exponent: number,
  onSteps: (steps: readonly TrainingStep[]) => void = () => undefined,
): Promise<{ run?: TrainingRun; result: RunResult }> {
  const steps: TrainingStep[] = [];
  const onOutput = lines((line) => {
    steps.push(stepOf(line));
    onSteps(steps);
  });
  const result = await session.run(trainingScript(kind, exponent), {
    filename: 'training.py',
    onOutput,
    timeLimit: TIME_LIMIT,
  });
  if (result.status !== 'done' || steps.length !== STEPS) return { result };
  return { run: { kind, exponent, steps }, result };
}

/** Steps on which the optimizer was called, up to and including each. */
export function updatesOf(steps: readonly TrainingStep[]): number[] {
  let n = 0;
  return steps.map((step) => (step.taken ? ++n : n));
}

/** Where a gradient of 2^exponent … 2^(exponent + 1) lands in float16, bin by bin: bins know no finer. */
export type Zone = 'zero' | 'subnormal' | 'normal' | 'inf';

/**
 * Below 2^-25, half of the smallest subnormal, everything rounds to 0; from 2^-14 on values are normal; 2^16 and more are past 65504.
 * (The bin of 2^15 ends at 65536: what lies above 65520 in it overflows too, and the counts say so.)
 */
export function zoneOf(exponent: number): Zone {
  if (exponent < -25) return 'zero';
  if (exponent < -14) return 'subnormal';
  return exponent < 16 ? 'normal' : 'inf';
}
