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

describe('the trace with statistics is a graph', () => {
  it('links each input to the event that wrote it; a tensor that no op made is an event of its own', () => {
    const torch = new Torch();
    torch.b.trace_start(true);
    torch.b.set_line(1);
    const x = torch.tensor([1000, 2], 'float16');
    torch.b.set_line(2);
    const y = x.mul(x);
    y.clone().add_(y);
    const events = take(torch);
    expect(events.map((e) => [e.op, e.line, e.inputs.map((i) => i.from)])).toEqual([
      ['input', 1, []],
      ['mul', 2, [0, 0]],
      // The clone stands for what it copies.
      ['add', 2, [1, 1]],
    ]);
    // 1000 * 1000 is beyond 65504; 2 * 2 isn't.
    expect(events[1].detail).toMatchObject({ inf: 1, finite: 1, max: 4 });
  });

  it('gives an op of the backward the line of its forward op', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2]);
    torch.b.trace_start(true);
    torch.b.set_line(5);
    const y = x.exp();
    torch.b.set_line(6);
    y.sum().backward();
    const backward = take(torch).filter((e) => e.phase === 'backward' && e.op === 'mul');
    expect(backward.map((e) => [e.line, e.forwardLine])).toEqual([[6, 5]]);
  });
});

describe('an intervention runs one op otherwise', () => {
  const square = (torch: Torch) => torch.tensor([1000, 3], 'float16').mul(torch.tensor([1000, 3], 'float16'));

  it('in float32, and what follows goes on with the wide result', () => {
    const torch = new Torch();
    torch.b.trace_start(true, 1, 0);
    const other = torch.tensor([2, 2], 'float16').add(0);
    const y = square(torch);
    const z = y.matmul(other);
    expect([y.dtype, y.v]).toEqual(['float32', [1_000_000, 9]]);
    // A matrix product refuses mixed dtypes: the 16-bit side is cast up.
    expect([z.dtype, z.v]).toEqual(['float32', [2_000_018]]);
    const again = square(torch);
    expect([again.dtype, again.v]).toEqual(['float16', [Number.POSITIVE_INFINITY, 9]]);
  });

  it('with its first input multiplied', () => {
    const torch = new Torch();
    torch.b.trace_start(true, 0, 2 ** -8);
    // 1000 / 256 = 3.90625 is exact in float16, times 1000 is 3906.25, which rounds to 3906.
    expect(square(torch).v[0]).toBe(3906);
  });

  it('keeps gradients, and ends with the trace', () => {
    const torch = new Torch();
    const x = torch.leaf([1000], 'float16');
    torch.b.trace_start(true, 0, 0);
    const y = x.mul(x);
    expect(y.dtype).toBe('float32');
    y.sum().backward();
    expect([x.grad?.dtype, x.grad?.v]).toEqual(['float16', [2000]]);
    take(torch);
    expect(x.mul(x).dtype).toBe('float16');
  });
});
