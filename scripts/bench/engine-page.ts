/** Runs in Chromium: times the engine's WebGPU backend. Minimum of several runs after one that compiles. */

import type { View } from '@/engine/backends/backend';
import { createWebGpuBackend, type WebGpuBackend } from '@/engine/backends/webgpu';
import type { DType } from '@/engine/formats/dtype';
import { writeElements } from '@/engine/formats/host-elements';
import '@/engine/ops';
import { type Attrs, opTable } from '@/engine/ops/record';

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

function random(backend: WebGpuBackend, dtype: DType, shape: number[]): View {
  const values = Float32Array.from(
    { length: count(shape) },
    (_, i) => ((Math.imul(i + 1, 2654435761) >>> 8) / 2 ** 24) * 2 - 1,
  );
  const strides = shape.map((_, d) => count(shape.slice(d + 1)));
  return { buffer: backend.upload(dtype, writeElements(dtype, values)), dtype, shape, strides, offset: 0 };
}

/** Milliseconds of one call, submitted and finished: the least of `runs` after a first one. */
async function timed(backend: WebGpuBackend, op: string, inputs: View[], attrs: Attrs = {}, runs = 5): Promise<number> {
  const record = opTable.get(op)!;
  const outputs = record.infer(inputs, attrs);
  let least = Infinity;
  for (let i = 0; i <= runs; i++) {
    const start = performance.now();
    const buffers = backend.run(record, inputs, attrs, outputs);
    await backend.finish();
    if (i > 0) least = Math.min(least, performance.now() - start);
    for (const buffer of buffers) backend.release(buffer);
  }
  return least;
}

export async function measure(): Promise<{ adapter: string; results: Measurement[] }> {
  const results: Measurement[] = [];
  const add = (name: string, value: number, unit: string) =>
    results.push({ name, value: Number(value.toPrecision(3)), unit });

  const cold = performance.now();
  let backend = await createWebGpuBackend(navigator.gpu);
  {
    const [a, b] = [random(backend, 'float32', [256, 256]), random(backend, 'float32', [256, 256])];
    const [out] = backend.run(opTable.get('matmul')!, [a, b], {}, [{ dtype: 'float32', shape: [256, 256] }]);
    await backend.read(out);
    add('cold start to first matmul 256', performance.now() - cold, 'ms');
  }
  const tested = performance.now();
  backend.destroy();
  // With the self-test, as the product runs: it decides which quicker forms are used.
  backend = await createWebGpuBackend(navigator.gpu);
  await backend.prove();
  add('device and self-test', performance.now() - tested, 'ms');

  for (const dtype of ['float32', 'float16', 'bfloat16'] as const)
    for (const n of [256, 512, 1024]) {
      const [a, b] = [random(backend, dtype, [n, n]), random(backend, dtype, [n, n])];
      const ms = await timed(backend, 'matmul', [a, b], {}, n === 1024 ? 3 : 5);
      add(`matmul ${dtype} ${n}`, (2 * n ** 3) / ms / 1e6, 'GFLOP/s');
      for (const x of [a, b]) backend.release(x.buffer);
    }
  for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
    const [a, b] = [random(backend, dtype, [2 ** 24]), random(backend, dtype, [2 ** 24])];
    add(`add ${dtype} 16M`, await timed(backend, 'add', [a, b], {}, 3), 'ms');
    for (const x of [a, b]) backend.release(x.buffer);
  }
  for (const dtype of ['float32', 'float16'] as const) {
    const x = random(backend, dtype, [4096, 1024]);
    add(`softmax ${dtype} 4096x1024`, await timed(backend, 'softmax', [x], { dim: 1, dtype: null }, 3), 'ms');
    backend.release(x.buffer);
  }

  const tiny = random(backend, 'float32', [16]);
  const record = opTable.get('add')!;
  const spec = [{ dtype: 'float32', shape: [16] } as const];
  let least = Infinity;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    let x = tiny;
    for (let i = 0; i < 1000; i++) {
      const [next] = backend.run(record, [x, tiny], {}, spec);
      if (x !== tiny) backend.release(x.buffer);
      x = { ...tiny, buffer: next };
    }
    await backend.finish();
    least = Math.min(least, performance.now() - start);
  }
  add('chain of 1,000 tiny adds', least, 'us/op');
  least = Infinity;
  for (let round = 0; round < 20; round++) {
    const start = performance.now();
    const [out] = backend.run(record, [tiny, tiny], {}, spec);
    await backend.read(out);
    least = Math.min(least, performance.now() - start);
  }
  add('tiny add and read-back', least, 'ms');
  const adapter = backend.info.adapter;
  backend.destroy();
  return { adapter, results };
}

Object.assign(globalThis, { measure });
