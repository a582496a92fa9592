/**
 * The trace: one event for each op as it ran, with the learner's source line. Off by default, and then it costs one test an op.
 *
 * With statistics on, the events form a graph, and say what is in it: `detail` holds `numel`, `finite`, `nan`, `inf`, `zero`, `subnormal`
 * (counts over the first output) and `min`, `max` (over its finite values), read in order as the ops ran, within `COUNTED_OPS` and `COUNTED_ELEMENTS`;
 * each input has `from`, the index of the event that wrote it; a tensor that no op made is an event of its own, op "input". An op's `nth` is
 * its place among the ops of the run, by which an intervention (intervention.ts) finds it again.
 *
 * `detail.inPlace` is true for an in-place op. Scaler events have op "GradScaler.…" and `detail` as the scaler gives it (scale, found_inf, skipped).
 */
import type { DType } from '../formats/dtype';
import { bfloat16, type FloatFormat, float16, float32 } from '../formats/float-format';
import type { OpRecord } from '../ops/record';
import type { Intervention } from './intervention';
import { type Input, type Storage, Tensor } from './tensor';

/** As session/session.ts has it. */
export interface TraceEvent {
  readonly op: string;
  readonly line: number | null;
  readonly inputs: readonly { readonly dtype: string; readonly shape: readonly number[]; readonly from?: number }[];
  readonly outputs: readonly { readonly dtype: string; readonly shape: readonly number[] }[];
  readonly backend: 'cpu' | 'webgpu' | 'host';
  readonly autocast?: string;
  readonly phase: 'forward' | 'backward' | 'scaler';
  readonly detail?: Readonly<Record<string, number | string | boolean>>;
  readonly nth?: number;
  /** Of an op of the backward: the line of the forward op whose gradient it is part of. */
  readonly forwardLine?: number;
}

/** Each count is a read of its own; a long training loop is not slowed down beyond this many. */
export const COUNTED_OPS = 2000;
/** Elements read and counted in all: 128 MiB of float32 over the bus. */
const COUNTED_ELEMENTS = 2 ** 25;

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
  /** While a backward node runs: the line of its forward op. */
  forwardLine: number | null = null;
  /** One op to run otherwise, and whether it has been. */
  intervention: Intervention | null = null;
  intervened = false;
  private entered = 0;
  private elements = 0;
  /** The event that last wrote a storage, and the line that made it, where no op did. */
  private writers = new WeakMap<Storage, number>();
  private births = new WeakMap<Storage, number | null>();
  private events: TraceEvent[] = [];
  private pending: Promise<void>[] = [];

  constructor(private readonly read: (t: Tensor) => Float64Array | Promise<Float64Array>) {}

  start(statisticsToo: boolean, intervention: Intervention | null = null): void {
    this.on = true;
    this.statistics = statisticsToo;
    this.intervention = intervention;
    this.intervened = false;
    this.entered = 0;
    this.elements = 0;
    this.writers = new WeakMap();
    this.births = new WeakMap();
    this.events = [];
    this.pending = [];
  }

  /** An op begins: its place among the ops of the run. */
  enter(): number {
    return this.entered++;
  }

  /** Memory that no op made: torch.tensor, torch.full. */
  born(storage: Storage): void {
    if (this.statistics) this.births.set(storage, this.line);
  }

  /** Memory that is a plain copy: clone(), .to(device). */
  copied(from: Storage, to: Storage): void {
    if (!this.statistics) return;
    const writer = this.writers.get(from);
    if (writer !== undefined) this.writers.set(to, writer);
    else this.births.set(to, this.births.get(from) ?? this.line);
  }

  record(
    record: OpRecord,
    inputs: readonly Input[],
    outputs: readonly Tensor[],
    servedBy: TraceEvent['backend'],
    autocast: string | undefined,
    nth: number,
    inPlace = false,
  ): void {
    const detail: Detail = {};
    if (inPlace) detail.inPlace = true;
    const { statistics: counted, forwardLine } = this;
    this.events.push({
      op: record.name,
      line: this.line,
      inputs: counted ? inputs.map((x) => this.linked(x, outputs)) : inputs.map(spec),
      outputs: outputs.map(spec),
      backend: servedBy,
      ...(autocast !== undefined && { autocast }),
      phase: this.phase,
      detail,
      ...(counted && { nth }),
      ...(counted && forwardLine !== null && { forwardLine }),
    });
    if (!counted) return;
    for (const out of outputs) this.writers.set(out.storage, this.events.length - 1);
    if (outputs.length > 0) this.count(outputs[0], detail);
  }

  /** An input with the event that wrote it; what nothing wrote gets an event first. */
  private linked(x: Input, outputs: readonly Tensor[]): TraceEvent['inputs'][number] {
    if (!(x instanceof Tensor)) return spec(x);
    let from = this.writers.get(x.storage);
    if (from === undefined) {
      // An in-place op's target holds the result by now.
      if (outputs.some((out) => out.storage === x.storage)) return spec(x);
      const detail: Detail = {};
      const { phase } = this;
      const line = this.births.get(x.storage) ?? this.line;
      from = this.events.length;
      this.events.push({ op: 'input', line, inputs: [], outputs: [spec(x)], backend: 'cpu', phase, detail });
      this.writers.set(x.storage, from);
      this.count(x, detail);
    }
    return { ...spec(x), from };
  }

  private count(t: Tensor, detail: Detail): void {
    if (this.events.length > COUNTED_OPS || this.elements + t.elementCount > COUNTED_ELEMENTS) return;
    this.elements += t.elementCount;
    const { dtype } = t;
    const values = this.read(t);
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
    this.statistics = false;
    this.intervention = null;
    const { events, pending } = this;
    this.events = [];
    this.pending = [];
    return pending.length === 0 ? events : Promise.all(pending).then(() => events);
  }
}
