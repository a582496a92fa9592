/**
 * The op graph of a traced run (core/trace.ts, with statistics): nodes in the order in which they ran, what each one made of its inputs, and the first
 * nonfinite value. Plain data in, plain data out.
 */
import type { TraceEvent } from '@/engine/session/session';

export interface Counts {
  readonly numel: number;
  readonly nan: number;
  readonly inf: number;
  readonly zero: number;
  readonly subnormal: number;
  /** Over the finite values; absent where there are none. */
  readonly min?: number;
  readonly max?: number;
}

export interface TraceNode {
  /** Index of its event. */
  readonly id: number;
  /** As the learner knows it: "matmul", "mul_", "to float16"; "tensor" for one that no op made. */
  readonly name: string;
  /** Its place among the ops, for interventions; null for inputs and for ops that are written in place. */
  readonly nth: number | null;
  readonly phase: 'forward' | 'backward';
  /** Line of the script; of an op of the backward, the line of the forward op that it belongs to. */
  readonly line: number | null;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly parents: readonly number[];
  readonly autocast?: string;
  /** Absent beyond the limits of counting. */
  readonly counts?: Counts;
  /** Has nonfinite values. */
  readonly bad: boolean;
  /** All of it is zero, and none of its inputs is: an underflow, or a product with a zero. */
  readonly vanished: boolean;
}

export interface TraceGraph {
  readonly nodes: readonly TraceNode[];
  readonly firstBad: TraceNode | null;
  /** The first node of which nothing but zeros is left. */
  readonly firstVanished: TraceNode | null;
  readonly badCount: number;
  /** Ops whose values were not counted, because the run was too long. */
  readonly uncounted: number;
}

const FLOATS = new Set(['float16', 'bfloat16', 'float32', 'float64']);

function nameOf({ op, outputs, detail }: TraceEvent): string {
  if (op === 'input') return 'tensor';
  if (op === '_to_copy') return `to ${outputs[0].dtype}`;
  return `${op.replace(/^(linalg|_amp)_/, '')}${detail?.inPlace === true ? '_' : ''}`;
}

function countsOf(detail: TraceEvent['detail']): Counts | undefined {
  const n = (key: string) => (typeof detail?.[key] === 'number' ? (detail[key] as number) : undefined);
  const numel = n('numel');
  if (numel === undefined) return undefined;
  const [nan = 0, inf = 0, zero = 0, subnormal = 0] = [n('nan'), n('inf'), n('zero'), n('subnormal')];
  return { numel, nan, inf, zero, subnormal, min: n('min'), max: n('max') };
}

/** Every op with an output, in order. Notes of the scaler have none. */
export function traceGraph(events: readonly TraceEvent[]): TraceGraph {
  const nodes: TraceNode[] = [];
  const byId = new Map<number, TraceNode>();
  for (const [id, event] of events.entries()) {
    const [output] = event.outputs;
    if (output === undefined || event.phase === 'scaler') continue;
    const counts = countsOf(event.detail);
    const parents = [...new Set(event.inputs.flatMap(({ from }) => (from !== undefined && from < id ? [from] : [])))];
    const known = parents.flatMap((p) => byId.get(p) ?? []);
    const node: TraceNode = {
      id,
      name: nameOf(event),
      nth: event.detail?.inPlace === true || event.op === 'input' ? null : (event.nth ?? null),
      phase: event.phase,
      line: event.forwardLine ?? event.line,
      dtype: output.dtype,
      shape: output.shape,
      parents: known.map((p) => p.id),
      ...(event.autocast !== undefined && { autocast: event.autocast }),
      ...(counts && { counts }),
      bad: counts !== undefined && counts.nan + counts.inf > 0,
      vanished: vanished(output.dtype, counts, known),
    };
    nodes.push(node);
    byId.set(id, node);
  }
  return {
    nodes,
    firstBad: nodes.find((n) => n.bad) ?? null,
    firstVanished: nodes.find((n) => n.vanished) ?? null,
    badCount: nodes.filter((n) => n.bad).length,
    uncounted: nodes.filter((n) => n.counts === undefined).length,
  };
}

function vanished(dtype: string, counts: Counts | undefined, parents: readonly TraceNode[]): boolean {
  if (!FLOATS.has(dtype) || counts === undefined || counts.numel === 0 || counts.zero < counts.numel) return false;
  return parents.length > 0 && parents.every((p) => p.counts !== undefined && p.counts.zero < p.counts.numel && !p.bad);
}

const plural = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
export const at = ({ line, phase }: TraceNode): string =>
  line === null ? '' : phase === 'backward' ? ` in the backward of line ${line}` : ` on line ${line}`;

/** "6 of 256 values are inf, 2 NaN" */
export function badText({ nan, inf, numel }: Counts): string {
  const of = (n: number) => `${n.toLocaleString('en')} of ${numel.toLocaleString('en')}`;
  if (inf > 0 && nan > 0) return `${of(inf)} values are inf and ${nan.toLocaleString('en')} NaN`;
  return `${of(inf + nan)} ${inf + nan === 1 && numel === 1 ? 'value is' : 'values are'} ${inf > 0 ? 'inf' : 'NaN'}`;
}

/** The run in one or two sentences. */
export function verdict({ nodes, firstBad, firstVanished, badCount, uncounted }: TraceGraph): string {
  if (nodes.length === 0) return 'No op ran: this code computes with no tensor.';
  const limit =
    uncounted > 0
      ? ` The values of ${plural(uncounted, 'op')} were not counted: the run is too long, or its tensors too large.`
      : '';
  if (firstBad?.counts) {
    const later = badCount - 1;
    const inherited = later > 0 ? ` ${plural(later, 'later op inherits', 'later ops inherit')} it.` : '';
    const given = firstBad.name === 'tensor' ? ' It came in with the data: no op made it.' : '';
    return `First nonfinite value: ${firstBad.name}${at(firstBad)}, where ${badText(firstBad.counts)}.${given}${inherited}${limit}`;
  }
  const lost = firstVanished
    ? ` But nothing is left of ${firstVanished.name}${at(firstVanished)}: every value is zero, and its inputs were not.`
    : '';
  return `Every value of ${plural(nodes.length, 'op')} is finite.${lost}${limit}`;
}

/** The same in a few words, for a button. */
export function shortVerdict(graph: TraceGraph): string {
  if (graph.firstBad) {
    const kind = (graph.firstBad.counts?.inf ?? 0) > 0 ? 'inf' : 'NaN';
    return `${kind} in ${graph.firstBad.name}${graph.firstBad.line === null ? '' : `, line ${graph.firstBad.line}`}`;
  }
  return graph.firstVanished ? `finite, but all zero in ${graph.firstVanished.name}` : 'finite throughout';
}
