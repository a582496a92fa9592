/** A "cuda" whose reads are promises, as WebGPU's are: what must wait, waits; what needn't, doesn't. */
import { describe, expect, it } from 'vitest';
import type { DeviceBuffer } from '@/engine/backends/backend';
import { CpuBackend } from '@/engine/backends/cpu/cpu-backend';
import type { HostData } from '@/engine/formats/dtype';
import { createBridge } from '@/engine/session/bridge';

class SlowReads extends CpuBackend {
  reads = 0;
  // The interface allows a promise; CpuBackend's own type is narrower.
  override read(buffer: DeviceBuffer): HostData {
    this.reads++;
    const data = super.read(buffer);
    return new Promise<HostData>((resolve) => setTimeout(() => resolve(data), 1)) as unknown as HostData;
  }
}

function setUp() {
  const cuda = new SlowReads();
  const b = createBridge({ cuda });
  const run = async (loss: number): Promise<number[]> => {
    const codes: number[] = [];
    const id = b.backward_start(4, 1, loss, 0, -1);
    for (let code = b.backward_step(id); code !== 0; code = b.backward_resume(id)) {
      codes.push(code);
      await b.backward_wait(id);
    }
    b.backward_end(id);
    return codes;
  };
  return { b, cuda, run };
}

describe('an asynchronous device', () => {
  it('reads nothing until a value is asked for, and then gives a promise', async () => {
    const { b, cuda, run } = setUp();
    const x = b.from_values([1, 2, 3], 'float32', 'cuda', 3);
    b.set_requires_grad(x, true);
    const y = b.op('exp', b.op('mul', x, x, 0));
    expect(await run(b.op('sum', y, -1, false, null))).toEqual([]);
    expect(cuda.reads).toBe(0);
    const values = b.values(b.grad(x));
    expect(values).toBeInstanceOf(Promise);
    expect((await values)[0]).toBeCloseTo(2 * Math.E, 5);
  });

  it('a tensor that is freed while its read is on the way is still read', async () => {
    const { b } = setUp();
    const x = b.from_values([1, 2, 3], 'float32', 'cuda', 3);
    const y = b.op('mul', x, -2, 2);
    const values = b.values(y);
    b.free(y, x);
    expect(await values).toEqual(Float64Array.of(2, 4, 6));
    b.live_handles(); // any call sweeps
    expect(b.memory('cuda')).toBe(0);
  });

  it('the gradient of x.to("cuda") comes back to the cpu: backward pauses for it', async () => {
    const { b, run } = setUp();
    const x = b.from_values([1, 2], 'float32', 'cpu', 2);
    b.set_requires_grad(x, true);
    const y = b.to_device(x, 'cuda') as number;
    expect(b.meta(y)).toBe('float32|cuda|2|1|0|1|0|ToCopyBackward0');
    expect(await run(b.op('sum', b.op('mul', y, -2, 3), -1, false, null))).toEqual([4]);
    expect(b.meta(b.grad(x)).split('|')[1]).toBe('cpu');
    expect(b.values(b.grad(x))).toEqual(Float64Array.of(3, 3));
  });

  it('anomaly detection waits for each gradient and names the function', async () => {
    const { b, run } = setUp();
    b.set_anomaly(true, true);
    const x = b.from_values([0], 'float32', 'cuda', 1);
    b.set_requires_grad(x, true);
    const y = b.op('mul', b.op('sqrt', x), -2, 0); // gradient 0 * inf
    await expect(run(b.op('sum', y, -1, false, null))).rejects.toThrow(
      "Function 'SqrtBackward0' returned nan values in its 0th output.",
    );
  });

  it('a 0-dim cpu tensor meets cuda tensors in elementwise ops, a vector does not', async () => {
    const { b } = setUp();
    const x = b.from_values([1, 2], 'float32', 'cuda', 2);
    const s = b.from_values([10], 'float32', 'cpu');
    expect(await b.values(b.op('mul', x, s, 0))).toEqual(Float64Array.of(10, 20));
    const v = b.from_values([1, 2], 'float32', 'cpu', 2);
    expect(() => b.op('mul', x, v, 0)).toThrow(
      'Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!',
    );
    const m = b.from_values([1], 'float32', 'cpu', 1, 1);
    const c = b.from_values([1], 'float32', 'cuda', 1, 1);
    expect(() => b.op('mm', c, m)).toThrow(
      'Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)',
    );
  });

  it('a 0-dim cpu parameter gets its gradient from a cuda loss', async () => {
    const { b, run } = setUp();
    const x = b.from_values([1, 2], 'float32', 'cuda', 2);
    const s = b.from_values([10], 'float32', 'cpu');
    b.set_requires_grad(s, true);
    await run(b.op('sum', b.op('mul', x, s, 0), -1, false, null));
    expect(b.values(b.grad(s))).toEqual(Float64Array.of(3));
  });
});
