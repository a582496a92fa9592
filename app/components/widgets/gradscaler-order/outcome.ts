/** What an order did: read from the session after its script has run. */
import { formats, fromBits } from '@/engine/formats/float-format';
import type { EvaluateResult, PyValue, RunResult, Session } from '@/engine/session/session';
import { type StepId, scriptOf } from './steps';

export interface Iteration {
  /** Of the scaler after the iteration. */
  readonly scale: number;
  /** As clip_grad_norm_ returned it; undefined where the order has no clipping. */
  readonly norm: number | undefined;
  /** All parameters after the iteration, as float32 bit patterns in hexadecimal. */
  readonly bits: string;
  readonly weights: readonly number[];
}

export interface Raised {
  readonly type: string;
  readonly message: string;
  /** From 1. */
  readonly iteration: number;
  /** Position in the order of the call that raised; undefined where it wasn't one of them. */
  readonly position: number | undefined;
}

export interface Outcome {
  readonly order: readonly StepId[];
  readonly start: readonly number[];
  /** Those that ran to their end. */
  readonly iterations: readonly Iteration[];
  readonly raised: Raised | undefined;
  /** GPU dispatches; 0 on the reference backend. */
  readonly kernels: number;
  readonly milliseconds: number;
}

/** The script ran, and what it left can't be read: a fault of ours, not of the order. */
export class Unreadable extends Error {}

/** Runs the order's script in the session and reads what it left. No outcome: it was stopped, and `result` says why. */
export async function runOrder(
  session: Session,
  order: readonly StepId[],
): Promise<{ outcome?: Outcome; result: RunResult }> {
  const { code, positions } = scriptOf(order);
  const result = await session.run(code, { filename: 'order.py' });
  if (result.status === 'stopped') return { result };
  const { start, iterations } = decode(await session.evaluate('(start, history)'));
  const { error, kernels, milliseconds } = result;
  const raised = error && {
    type: error.type,
    message: error.message,
    iteration: iterations.length + 1,
    position: error.line === undefined ? undefined : positions.get(error.line),
  };
  return { outcome: { order, start, iterations, raised, kernels, milliseconds }, result };
}

function decode(left: EvaluateResult): { start: readonly number[]; iterations: Iteration[] } {
  const [start, history] = items(left.value);
  if (left.status !== 'done' || !start || !history)
    throw new Unreadable(left.reason ?? left.error?.message ?? 'The run left nothing to read.');
  return {
    start: floats(start).weights,
    iterations: items(history).map((entry) => {
      const [scale, , norm, weights] = items(entry);
      if (!scale || !norm || !weights) throw new Unreadable('An iteration left nothing to read.');
      return {
        scale: number(scale),
        norm: norm.kind === 'none' ? undefined : floats(norm).weights[0],
        ...floats(weights),
      };
    }),
  };
}

function items(value: PyValue | undefined): readonly PyValue[] {
  return value?.kind === 'tuple' || value?.kind === 'list' ? value.items : [];
}

function number(value: PyValue): number {
  if (value.kind !== 'number') throw new Unreadable(`A number was expected, and a ${value.kind} came.`);
  return typeof value.value === 'number' ? value.value : Number(value.value.replace('inf', 'Infinity'));
}

function floats(value: PyValue): { bits: string; weights: readonly number[] } {
  if (value.kind !== 'tensor' || value.dtype !== 'float32')
    throw new Unreadable('A float32 tensor was expected, and something else came.');
  const patterns = value.bits === '' ? [] : value.bits.split(' ');
  return { bits: value.bits, weights: patterns.map((hex) => fromBits(Number.parseInt(hex, 16), formats.float32)) };
}

/** Euclidean distance; NaN where one of the numbers is. */
export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.sqrt(a.reduce((sum, v, i) => sum + (v - (b[i] ?? Number.NaN)) ** 2, 0));
}

/** Distance of the parameters from the right order's after each iteration that both finished. */
export function errors(outcome: Outcome, right: Outcome): number[] {
  return outcome.iterations.map((it, i) => distance(it.weights, right.iterations[i]?.weights ?? []));
}

/** How far the parameters moved in each iteration. */
export function strides(outcome: Outcome): number[] {
  return outcome.iterations.map((it, i) => distance(it.weights, outcome.iterations[i - 1]?.weights ?? outcome.start));
}

/** Equal if two orders did the same to the parameters, to the bit, and raised the same in the same iteration. */
export function fingerprint({ iterations, raised }: Outcome): string {
  return [
    ...iterations.map((it) => it.bits),
    raised ? `${raised.iteration} ${raised.type}: ${raised.message}` : '',
  ].join('\n');
}

/** Equal if a trace of scale, norm, parameters and message can't tell two outcomes apart. */
export function traceOf(outcome: Outcome): string {
  return [fingerprint(outcome), ...outcome.iterations.map((it) => `${it.scale} ${it.norm}`)].join('\n');
}
