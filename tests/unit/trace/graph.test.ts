import { describe, expect, it } from 'vitest';
import { inBfloat16 } from '@/app/components/trace/bfloat16-source';
import { shortVerdict, traceGraph, verdict } from '@/app/components/trace/graph';
import { lanesOf, rowsOf } from '@/app/components/trace/rows';
import type { TraceEvent } from '@/engine/session/session';

const counted = (values: readonly number[]) => {
  const finite = values.filter(Number.isFinite);
  return {
    numel: values.length,
    finite: finite.length,
    nan: values.filter(Number.isNaN).length,
    inf: values.filter((x) => Math.abs(x) === Infinity).length,
    zero: finite.filter((x) => x === 0).length,
    subnormal: 0,
    ...(finite.length > 0 && { min: Math.min(...finite), max: Math.max(...finite) }),
  };
};

/** An op of float16 tensors, reading the events in `from`. */
const event = (
  op: string,
  from: readonly number[],
  values: readonly number[],
  more: Partial<TraceEvent> = {},
): TraceEvent => ({
  op,
  line: 1,
  inputs: from.map((f) => ({ dtype: 'float16', shape: [values.length], from: f })),
  outputs: [{ dtype: 'float16', shape: [values.length] }],
  backend: 'webgpu',
  phase: 'forward',
  detail: counted(values),
  ...more,
});

const softmax = [
  event('input', [], [20, 19]),
  event('exp', [0], [Infinity, Infinity], { line: 4, nth: 0 }),
  event('sum', [1], [Infinity], { line: 5, nth: 1 }),
  event('div', [1, 2], [Number.NaN, Number.NaN], { line: 5, nth: 2 }),
];

describe('the op graph', () => {
  it('names the first nonfinite value, its line, and how many inherit it', () => {
    const graph = traceGraph(softmax);
    expect(graph.firstBad?.name).toBe('exp');
    expect(graph.nodes.map((n) => n.parents)).toEqual([[], [0], [1], [1, 2]]);
    expect(verdict(graph)).toBe(
      'First nonfinite value: exp on line 4, where 2 of 2 values are inf. 2 later ops inherit it.',
    );
    expect(shortVerdict(graph)).toBe('inf in exp, line 4');
  });

  it('says when the data came in nonfinite', () => {
    const graph = traceGraph([event('input', [], [Infinity, 1]), event('mul', [0], [Infinity, 1])]);
    expect(verdict(graph)).toContain('no op made it');
  });

  it('tells a gradient that underflowed from one that was zero before', () => {
    const graph = traceGraph([
      event('input', [], [1e-3]),
      event('input', [], [1e-6]),
      event('matmul', [0, 1], [0], { phase: 'backward', line: 8, forwardLine: 6 }),
      event('mul', [2, 0], [0], { phase: 'backward' }),
    ]);
    expect(graph.nodes.map((n) => n.vanished)).toEqual([false, false, true, false]);
    expect(verdict(graph)).toBe(
      'Every value of 4 ops is finite. But nothing is left of matmul in the backward of line 6: every value is zero, and its inputs were not.',
    );
  });

  it('leaves out the scaler’s notes, and says what was not counted', () => {
    const note: TraceEvent = {
      op: 'GradScaler.step',
      line: 3,
      inputs: [],
      outputs: [],
      backend: 'cpu',
      phase: 'scaler',
    };
    const graph = traceGraph([event('input', [], [1]), note, event('exp', [0], [2.7], { detail: {} })]);
    expect(graph.nodes.map((n) => n.id)).toEqual([0, 2]);
    expect(verdict(graph)).toContain('The values of 1 op were not counted');
  });
});

describe('rows and lanes', () => {
  it('give a chain one lane, and a value that is used again later a lane of its own meanwhile', () => {
    const rows = rowsOf(traceGraph(softmax), new Set(), null);
    const lanes = lanesOf(rows);
    expect(lanes.map((l) => l.own)).toEqual([0, 0, 1, 0]);
    expect(lanes[2].through).toEqual([{ lane: 0, from: 1 }]);
    expect(lanes[3].joins).toEqual([
      { lane: 0, from: 1 },
      { lane: 1, from: 2 },
    ]);
    expect(lanes.map((l) => l.goesOn)).toEqual([true, true, true, false]);
  });

  const long = Array.from({ length: 300 }, (_, i) =>
    event(i === 0 ? 'input' : 'add', i === 0 ? [] : [i - 1], [i < 200 ? 1 : Infinity], { nth: i }),
  );

  it('fold a long run around its first nonfinite value', () => {
    const graph = traceGraph(long);
    const rows = rowsOf(graph, new Set(), null);
    expect(rows.length).toBeLessThan(30);
    expect(rows.some((r) => r.kind === 'node' && r.id === 200)).toBe(true);
    // Nothing is lost: each op is in a row or in a fold.
    expect(rows.reduce((n, r) => n + (r.kind === 'fold' ? r.nodes.length : 1), 0)).toBe(300);
    // The edges go through the folds: still one chain in one lane.
    expect(new Set(lanesOf(rows).map((l) => l.own))).toEqual(new Set([0]));
  });

  it('open a fold when asked, and keep what was selected in sight', () => {
    const graph = traceGraph(long);
    const fold = rowsOf(graph, new Set(), null).find((r) => r.kind === 'fold');
    expect(rowsOf(graph, new Set([fold?.id ?? 0]), null).some((r) => r.kind === 'node' && r.id === 50)).toBe(true);
    expect(rowsOf(graph, new Set(), 50).some((r) => r.kind === 'node' && r.id === 50)).toBe(true);
  });
});

describe('the script in bfloat16', () => {
  it('replaces every float16 that is named, and CUDA’s default, line by line', () => {
    const { code, count } = inBfloat16(
      'x = torch.ones(2, dtype=torch.float16)\ny = x.half()\nwith torch.autocast("cuda"):\n    z = torch.float32\n',
    );
    expect(code).toBe(
      'x = torch.ones(2, dtype=torch.bfloat16)\ny = x.bfloat16()\nwith torch.autocast("cuda", dtype=torch.bfloat16):\n    z = torch.float32\n',
    );
    expect(count).toBe(3);
  });
});
