import { describe, expect, test } from 'vitest';
import type { View } from '@/engine/backends/backend';
import type { DType, HostData } from '@/engine/formats/dtype';
import { type OpRecord, TorchError } from '@/engine/ops/record';
import { testBackend } from './dawn';

/** A host op: doubles float32 values, or raises. */
const double: OpRecord = {
  name: 'test_double',
  doc: '',
  params: 'self: Tensor',
  promotion: 'same',
  infer: (inputs) => [inputs[0]],
  reference: ([x]) => [Float32Array.from(x.data, (v) => v * 2)],
  wgsl: 'host',
  gradient: 'not differentiable',
  autocast: { cpu: 'none', cuda: 'none' },
  tolerance: { half: { ulp: 0, source: 'test' }, float32: { ulp: 0, source: 'test' } },
  samples: [],
};
const raises: OpRecord = {
  ...double,
  name: 'test_raises',
  reference: () => {
    throw new TorchError('IndexError', 'index out of range in self');
  },
};

const backend = await testBackend();
const view = (data: HostData, shape: number[], dtype: DType = 'float32'): View => {
  const strides = shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));
  return { buffer: backend.upload(dtype, data), dtype, shape, strides, offset: 0 };
};

describe('the WebGPU queue', () => {
  test('a host op on an uploaded tensor is read back', async () => {
    const x = view(Float32Array.of(1, 2, 3), [3]);
    const [y] = backend.run(double, [x], {}, [{ dtype: 'float32', shape: [3] }]);
    expect(await backend.read(y)).toEqual(Float32Array.of(2, 4, 6));
    expect(backend.lastServedBy).toBe('host');
  });

  test('a transposed view arrives contiguous at the reference', async () => {
    const x = view(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
    const t: View = { ...x, shape: [3, 2], strides: [1, 3] };
    const [y] = backend.run(double, [t], {}, [{ dtype: 'float32', shape: [3, 2] }]);
    expect(await backend.read(y)).toEqual(Float32Array.of(2, 8, 4, 10, 6, 12));
    expect(await backend.read(backend.contiguous(t))).toEqual(Float32Array.of(1, 4, 2, 5, 3, 6));
  });

  test.each<[DType, HostData, HostData]>([
    ['float32', Float32Array.of(1, 2, 3, 4), Float32Array.of(1, 9, 3, 9)],
    ['float16', Uint16Array.of(1, 2, 3, 4), Uint16Array.of(1, 0x4880, 3, 0x4880)],
    ['bool', Uint8Array.of(0, 0, 1, 0), Uint8Array.of(0, 1, 1, 1)],
    ['int64', Float64Array.of(1, 2, 2 ** 40, 4), Float64Array.of(1, 9, 2 ** 40, 9)],
    ['float64', Float64Array.of(1, 2, 3, 4), Float64Array.of(1, 9, 3, 9)],
  ])('copyInto writes a number through a strided %s window', async (dtype, before, after) => {
    const x = view(before, [4], dtype);
    backend.copyInto({ ...x, shape: [2], strides: [2], offset: 1 }, { constant: dtype === 'bool' ? 1 : 9, dtype });
    expect(await backend.read(x.buffer)).toEqual(after);
  });

  test('an overlapping copy reads everything first', async () => {
    const x = view(Float32Array.of(1, 2, 3, 4), [4]);
    backend.copyInto({ ...x, shape: [3], offset: 1 }, { ...x, shape: [3] });
    expect(await backend.read(x.buffer)).toEqual(Float32Array.of(1, 1, 2, 3));
  });

  test('a host op whose inputs lie on the host raises at once', () => {
    expect(() => backend.run(raises, [view(Float32Array.of(1), [1])], {}, [{ dtype: 'float32', shape: [1] }])).toThrow(
      'index out of range',
    );
  });

  test('every uploaded dtype comes back with its bits', async () => {
    const bits = new Float32Array(Uint32Array.of(1, 0x80000000, 0x7fc00001, 0x00400000).buffer);
    expect(new Uint32Array(((await backend.read(backend.upload('float32', bits))) as Float32Array).buffer)).toEqual(
      new Uint32Array(bits.buffer),
    );
    expect(await backend.read(backend.upload('int64', Float64Array.of(2 ** 53, -1)))).toEqual(
      Float64Array.of(2 ** 53, -1),
    );
  });

  test('memory is counted as PyTorch counts it and comes back on release', () => {
    const before = backend.bytesInUse;
    const x = backend.allocate('float16', 1000);
    expect(backend.bytesInUse - before).toBe(2000);
    backend.release(x);
    backend.release(x);
    expect(backend.bytesInUse).toBe(before);
  });

  test('more than the limit raises out of memory with sizes', () => {
    expect(() => backend.allocate('float32', 2 ** 29)).toThrow(
      /CUDA out of memory\. Tried to allocate 2\.00 GiB\. GPU 0 has a total capacity of 1\.00 GiB/,
    );
  });
});
