import { describe, expect, it } from 'vitest';
import { CpuBackend } from '@/engine/backends/cpu/cpu-backend';
import { createBridge } from '@/engine/session/bridge';

describe('the reference backend', () => {
  it('counts bytes as PyTorch counts element sizes', () => {
    const backend = new CpuBackend();
    const half = backend.allocate('float16', 10);
    const long = backend.allocate('int64', 10);
    expect(backend.bytesInUse).toBe(100);
    backend.release(half);
    backend.release(long);
    expect(backend.bytesInUse).toBe(0);
  });

  it('refuses what goes beyond its limit, with the sizes', () => {
    const b = createBridge({ cpu: new CpuBackend(1024 * 1024) });
    b.full(-3, 0, 'float32', 'cpu', 128, 1024);
    expect(() => b.full(-3, 0, 'float32', 'cpu', 256, 1024)).toThrow(
      'CPU out of memory. Tried to allocate 1.00 MiB. 512.00 KiB of 1.00 MiB is in use. Use smaller tensors, or delete those that you no longer need.',
    );
    expect(b.memory('cpu')).toBe(128 * 1024 * 4);
  });

  it('a failing op leaks nothing', () => {
    const b = createBridge();
    const x = b.full(-3, 1, 'float16', 'cpu', 2, 3);
    const y = b.full(-3, 1, 'float32', 'cpu', 2);
    const before = b.memory('cpu');
    expect(() => b.op('add', x, y, 0, -2, 1)).toThrow('The size of tensor a (3) must match the size of tensor b (2)');
    expect(b.memory('cpu')).toBe(before);
  });

  it('uploads and reads are copies', () => {
    const backend = new CpuBackend();
    const data = Float32Array.of(1, 2);
    const buffer = backend.upload('float32', data);
    data[0] = 9;
    const read = backend.read(buffer);
    expect(read).toEqual(Float32Array.of(1, 2));
    read[1] = 9;
    expect(backend.read(buffer)).toEqual(Float32Array.of(1, 2));
  });
});

describe('errors', () => {
  it('PyTorch errors carry the Python type as their name; faults of the engine do not', () => {
    const b = createBridge();
    const x = b.full(-3, 1, 'float32', 'cpu', 2);
    const errorOf = (f: () => unknown): Error & { pythonType?: string } => {
      try {
        f();
      } catch (error) {
        return error as Error;
      }
      throw new Error('nothing was thrown');
    };
    expect(errorOf(() => b.select(x, 1, 0))).toMatchObject({ name: 'IndexError', pythonType: 'IndexError' });
    expect(errorOf(() => b.values(999)).pythonType).toBe(undefined);
  });
});
