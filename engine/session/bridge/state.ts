/** Autocast state, the trace, and what serves "cuda". */
import type { Engine } from '../../core/engine';
import type { TraceEvent } from '../../core/trace';
import type { DType } from '../../formats/dtype';
import { deviceOf } from './tensors';

export interface ServedBy {
  readonly name: 'webgpu' | 'cpu';
  readonly reason?: string;
  readonly adapter?: string;
}

export function stateFunctions(
  engine: Engine,
  info: ServedBy,
  prove?: () => Promise<readonly string[]> | readonly string[],
) {
  const { autocast, tracer } = engine;
  return {
    /** autocast_set(device, enabled, dtype): sets a device's state (set_autocast_enabled and set_autocast_dtype). */
    autocast_set(device: string, enabled: boolean, dtype: DType): void {
      const state = autocast.state[deviceOf(device)];
      state.enabled = Boolean(enabled);
      state.dtype = dtype;
    },
    /** autocast_enabled(device); autocast_dtype(device). */
    autocast_enabled: (device: string): boolean => autocast.state[deviceOf(device)].enabled,
    autocast_dtype: (device: string): string => autocast.state[deviceOf(device)].dtype,
    /** autocast_set_cache(flag): gives the former flag. autocast_cache_enabled(). */
    autocast_set_cache(flag: boolean): boolean {
      const before = autocast.cacheEnabled;
      autocast.cacheEnabled = Boolean(flag);
      return before;
    },
    autocast_cache_enabled: (): boolean => autocast.cacheEnabled,
    /** autocast_enter(), autocast_exit(): nesting; both give the new depth. Leaving the outermost region clears the weight cache. */
    autocast_enter: (): number => autocast.incrementNesting(),
    autocast_exit: (): number => autocast.decrementNesting(),
    /** autocast_clear_cache(). */
    autocast_clear_cache: (): void => autocast.clearCache(),

    /**
     * trace_start(statistics, at, change): from now on every op is recorded; with statistics, counts of each first output too. `at` and
     * `change` are an intervention (core/intervention.ts): change 0 stands for 'float32'.
     */
    trace_start(statistics: boolean, at?: number, change?: number): void {
      tracer.start(Boolean(statistics), at === undefined ? null : { at, change: change || 'float32' });
    },
    /** trace_on(): whether it is on, so that Python spares itself set_line otherwise. */
    trace_on: (): boolean => tracer.on,
    /** trace_take(): ends the trace: JSON of TraceEvent[]; a promise on an asynchronous backend. NaN and infinities are strings in it. */
    trace_take(): string | Promise<string> {
      const events = tracer.take();
      return events instanceof Promise ? events.then(traceText) : traceText(events);
    },
    /** set_line(line or None): the learner's line for the events that follow. */
    set_line(line: number | null): void {
      tracer.line = line ?? null;
    },
    /** set_phase("forward" | "backward" | "scaler"): gives the former phase. */
    set_phase(phase: TraceEvent['phase']): string {
      const before = tracer.phase;
      tracer.phase = phase;
      return before;
    },
    /** trace_note(op, phase, detail as JSON): an event that isn't an op, as a scaler step: {"scale": 65536, "found_inf": 1, "skipped": true}. */
    trace_note: (op: string, phase: TraceEvent['phase'], detail: string): void =>
      tracer.note(op, phase, JSON.parse(detail)),

    /** prove(): the first use of "cuda" waits for the GPU's self-test. JSON of notices for the learner, a promise on an asynchronous backend. */
    prove(): string | Promise<string> {
      const notices = prove?.() ?? [];
      return notices instanceof Promise ? notices.then((list) => JSON.stringify(list)) : JSON.stringify(notices);
    },
    /** backend_info(): JSON {name, reason?, adapter?} of what serves "cuda". */
    backend_info: (): string => JSON.stringify(info),
  };
}

const traceText = (events: readonly TraceEvent[]): string =>
  JSON.stringify(events, (_, v: unknown) => (typeof v === 'number' && !Number.isFinite(v) ? String(v) : v));
