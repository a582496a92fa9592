import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '@/engine/core/trace';
import { Torch } from './torch';

const take = (torch: Torch): TraceEvent[] => JSON.parse(torch.b.trace_take() as string) as TraceEvent[];

describe('the trace', () => {
  it('records nothing until it is started, and ends when it is taken', () => {
    const torch = new Torch();
    torch.tensor([1]).exp();
    torch.b.trace_start(false);
    torch.tensor([1]).exp();
    expect(take(torch).map((e) => e.op)).toEqual(['exp']);
    torch.tensor([1]).exp();
    torch.b.trace_start(false);
    expect(take(torch)).toEqual([]);
  });

  it('has the line, dtypes, shapes, the backend that ran it, and the phase', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2], 'float16');
    torch.b.trace_start(false);
    torch.b.set_line(7);
    const y = x.mul(2);
    torch.b.set_line(8);
    y.sum().backward();
    const events = take(torch);
    expect(events[0]).toEqual({
      op: 'mul',
      line: 7,
      inputs: [
        { dtype: 'float16', shape: [2] },
        { dtype: 'int64', shape: [] },
      ],
      outputs: [{ dtype: 'float16', shape: [2] }],
      backend: 'cpu',
      phase: 'forward',
      detail: {},
    });
    expect(events.map((e) => [e.op, e.line, e.phase])).toEqual([
      ['mul', 7, 'forward'],
      ['sum', 8, 'forward'],
      ['mul', 8, 'backward'],
    ]);
  });

  it('says what autocast did, casts included', () => {
    const torch = new Torch();
    const w = torch.leaf([
      [1, 2],
      [3, 4],
    ]);
    torch.b.autocast_set('cpu', true, 'bfloat16');
    torch.b.trace_start(false);
    torch.b.autocast_enter();
    w.matmul(w);
    torch.b.autocast_exit();
    const events = take(torch);
    expect(events.map((e) => [e.op, e.outputs[0].dtype, e.autocast])).toEqual([
      ['_to_copy', 'bfloat16', undefined],
      ['matmul', 'bfloat16', 'lower_precision_fp: float32 -> bfloat16'],
    ]);
  });

  it('counts what is in each first output when asked to', () => {
    const torch = new Torch();
    torch.b.trace_start(true);
    torch.tensor([1, -2, 0, 2 ** -24, 65504, Infinity, Number.NaN], 'float16').mul(1);
    const [event] = take(torch);
    // 2^-24 is the smallest float16 subnormal.
    expect(event.detail).toEqual({ numel: 7, finite: 5, nan: 1, inf: 1, zero: 1, subnormal: 1, min: -2, max: 65504 });
  });

  it('marks in-place ops, and takes notes of the scaler', () => {
    const torch = new Torch();
    torch.b.trace_start(false);
    torch.tensor([1]).add_(1);
    torch.b.trace_note('GradScaler.step', 'scaler', '{"scale":65536,"skipped":true}');
    const events = take(torch);
    expect(events[0].detail).toEqual({ inPlace: true });
    expect(events[1]).toMatchObject({
      op: 'GradScaler.step',
      phase: 'scaler',
      detail: { scale: 65536, skipped: true },
    });
  });
});
