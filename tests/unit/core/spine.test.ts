import { describe, expect, it } from 'vitest';
import { createBridge } from '../../../engine/session/bridge';

/** Runs backward() of a 0-dim tensor to the end. */
function backward(b: ReturnType<typeof createBridge>, loss: number): void {
  const run = b.backward_start(4, 1, loss, 0, -1);
  expect(b.backward_step(run)).toBe(0);
  b.backward_end(run);
}

const vector = (
  b: ReturnType<typeof createBridge>,
  values: number[],
  dtype: 'float32' | 'float16' = 'float32',
): number => b.from_values(values, dtype, 'cpu', values.length);

describe('from Python call to bits and back', () => {
  it('d(sum(x*x))/dx is 2x', () => {
    const b = createBridge();
    const x = vector(b, [1, 2, 3]);
    b.set_requires_grad(x, true);
    backward(b, b.op('sum', b.op('mul', x, x, 0), -1, false, null));
    expect(b.values(b.grad(x))).toEqual(Float64Array.of(2, 4, 6));
  });

  it('a Python float times float16 is read in float32 and rounded once', () => {
    const b = createBridge();
    // torch.tensor([1., 2., 3.]).half() * 0.1
    expect(b.bits(b.op('mul', vector(b, [1, 2, 3], 'float16'), -3, 0.1))).toBe('2e66 3266 34cd');
  });

  it('a graph that is dropped without backward gives its memory back', () => {
    const b = createBridge();
    const x = vector(b, [1, 2, 3]);
    b.set_requires_grad(x, true);
    const before = b.memory('cpu');
    const y = b.op('mul', x, x, 0);
    const z = b.op('exp', y);
    b.free(y, z);
    expect(b.memory('cpu')).toBe(before);
  });
});
