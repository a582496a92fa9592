/**
 * The trace: one event for each op as it ran, with the learner's source line. Off by default, and then it costs one test an op.
 *
 * `detail` of an op event may hold, with statistics on: `numel`, `finite`, `nan`, `inf`, `zero`, `subnormal` (counts over the first output) and
 * `min`, `max` (over its finite values), read after the run; `inPlace: true` for an in-place op. Scaler events have op "GradScaler.…" and
 * `detail` as the scaler gives it (scale, found_inf, skipped).
 */
import type { DType } from '../formats/dtype';
import { bfloat16, type FloatFormat, float16, float32 } from '../formats/float-format';
import type { OpRecord } from '../ops/record';
import type { Input, Tensor } from './tensor';

/** As session/session.ts has it. */
export interface TraceEvent {
  readonly op: string;
  readonly line: number | null;
  readonly inputs: readonly { readonly dtype: string; readonly shape: readonly number[] }[];
  readonly outputs: readonly { readonly dtype: string; readonly shape: readonly number[] }[];
  readonly backend: 'cpu' | 'webgpu' | 'host';
  readonly autocast?: string;
  readonly phase: 'forward' | 'backward' | 'scaler';
  readonly detail?: Readonly<Record<string, number | string | boolean>>;
}

type Detail = Record<string, number | string | boolean>;

const spec = (x: Input): { dtype: string; shape: readonly number[] } => ({ dtype: x.dtype, shape: x.shape });

/** Counts over one tensor's values. */
export function statistics(values: Float64Array, dtype: DType): Detail {
  const format: FloatFormat | undefined = { float16, bfloat16, float32 }[dtype as 'float16'];
  const smallestNormal = format === undefined ? 2 ** -1022 : 2 ** (2 - 2 ** (format.exponentBits - 1));
  let nan = 0;
  let inf = 0;
  let zero = 0;
  let subnormal = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const x of values) {
    if (Number.isNaN(x)) nan++;
    else if (!Number.isFinite(x)) inf++;
    else {
      if (x === 0) zero++;
      else if (Math.abs(x) < smallestNormal) subnormal++;
      if (x < min) min = x;
      if (x > max) max = x;
    }
  }
  const finite = values.length - nan - inf;
  const counts: Detail = { numel: values.length, finite, nan, inf, zero, subnormal };
  return finite > 0 ? { ...counts, min, max } : counts;
}

export class Tracer {
  on = false;
  /** Also read every first output and count what is in it. */
  statistics = false;
  phase: 'forward' | 'backward' | 'scaler' = 'forward';
  line: number | null = null;
  private events: TraceEvent[] = [];
  private pending: Promise<void>[] = [];

  constructor(private readonly read: (t: Tensor) => Float64Array | Promise<Float64Array>) {}

  start(statisticsToo: boolean): void {
    this.on = true;
    this.statistics = statisticsToo;
    this.events = [];
    this.pending = [];
  }

  record(
    record: OpRecord,
    inputs: readonly Input[],
    outputs: readonly Tensor[],
    servedBy: TraceEvent['backend'],
    autocast: string | undefined,
    inPlace = false,
  ): void {
    const detail: Detail = {};
    if (inPlace) detail.inPlace = true;
    this.events.push({
      op: record.name,
      line: this.line,
      inputs: inputs.map(spec),
      outputs: outputs.map(spec),
      backend: servedBy,
      ...(autocast !== undefined && { autocast }),
      phase: this.phase,
      detail,
    });
    if (!this.statistics || outputs.length === 0) return;
    const { dtype } = outputs[0];
    const values = this.read(outputs[0]);
    if (values instanceof Promise)
      this.pending.push(values.then((v) => void Object.assign(detail, statistics(v, dtype))));
    else Object.assign(detail, statistics(values, dtype));
  }

  /** An event that isn't an op: scaler steps, optimizer steps. */
  note(op: string, phase: TraceEvent['phase'], detail: Detail): void {
    if (!this.on) return;
    this.events.push({ op, line: this.line, inputs: [], outputs: [], backend: 'cpu', phase, detail });
  }

  /** Ends the trace. A promise where statistics are still on their way. */
  take(): TraceEvent[] | Promise<TraceEvent[]> {
    this.on = false;
    const { events, pending } = this;
    this.events = [];
    this.pending = [];
    return pending.length === 0 ? events : Promise.all(pending).then(() => events);
  }
}
