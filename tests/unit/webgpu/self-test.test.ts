import { expect, test } from 'vitest';
import '@/engine/ops';
import { opTable } from '@/engine/ops/record';
import { replaceFunction } from '@/engine/ops/wgsl/link';
import { startEngine } from '@/engine/session/engine';
import { tensor } from './calls';
import { dawn, testBackend } from './dawn';

test('SwiftShader passes the self-test in every family', async () => {
  const backend = await testBackend();
  const results = await backend.prove();
  expect(backend.adapter).toEqual({ exactUnpack: true, software: true });
  expect(results.map(({ family, fault }) => [family, fault])).toEqual([
    ['elementwise', ''],
    ['product', ''],
    ['reduction', ''],
    ['softmax', ''],
  ]);
  expect(backend.notices).toEqual([]);
});

test('an adapter that truncates instead of rounding is found out, and the reference serves the op', async () => {
  const restore = replaceFunction('f32_to_bf16', 'fn f32_to_bf16(u: u32) -> u32 { return u >> 16u; }\n');
  try {
    const backend = await testBackend();
    const results = await backend.prove();
    expect(results.find((r) => r.family === 'elementwise')?.fault).toMatch(/^mul bfloat16: index \d+: got/);
    expect(backend.notices[0]).toContain('are not exact');
    const mul = opTable.get('mul')!;
    const x = tensor('bfloat16', [1], [1 + 2 ** -7]);
    const view = { buffer: backend.upload('bfloat16', x.data), dtype: x.dtype, shape: [1], strides: [1], offset: 0 };
    const [y] = backend.run(mul, [view, view], {}, [{ dtype: 'bfloat16', shape: [1] }]);
    expect(backend.lastServedBy).toBe('host');
    // 1.0078125^2 = 1.01568603515625, between 1.015625 (0x3f82) and 1.0234375: nearest is the first.
    expect(await backend.read(y)).toEqual(Uint16Array.of(0x3f82));
  } finally {
    restore();
  }
});

test('after the device is lost every call says so, and nothing hangs', async () => {
  const backend = await testBackend();
  const x = {
    buffer: backend.upload('float32', Float32Array.of(1)),
    dtype: 'float32',
    shape: [1],
    strides: [1],
    offset: 0,
  } as const;
  const exp = opTable.get('exp')!;
  const [y] = backend.run(exp, [x], {}, [{ dtype: 'float32', shape: [1] }]);
  backend.device.destroy();
  await backend.device.lost;
  await expect((async () => backend.read(y))()).rejects.toThrow(/The GPU device was lost/);
  expect(() => backend.run(exp, [x], {}, [{ dtype: 'float32', shape: [1] }])).toThrow(/The GPU device was lost/);
  await expect(backend.finish()).rejects.toThrow(/The GPU device was lost/);
});

test("the self-test's kernels are never counted to a run", async () => {
  const engine = await startEngine({ gpu: dawn(), canSuspend: true });
  const proof = engine.prove();
  let running = true;
  const counts: number[] = [];
  const watch = (async () => {
    while (running) {
      counts.push(engine.kernels);
      await new Promise((next) => setTimeout(next, 1));
    }
  })();
  await proof;
  running = false;
  await watch;
  expect(counts.filter((n) => n !== 0)).toEqual([]);
  expect(engine.kernels).toBe(0);
  const x = engine.bridge.full(1.5, 3, 'float16', 'cuda', 4) as number;
  const before = engine.kernels;
  engine.bridge.op('exp', x);
  expect(engine.kernels).toBe(before + 1);
  engine.loseDevice();
});
