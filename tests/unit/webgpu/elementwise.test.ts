import { describe, expect, test } from 'vitest';
import type { View } from '@/engine/backends/backend';
import '@/engine/ops';
import type { DType } from '@/engine/formats/dtype';
import { opTable } from '@/engine/ops/record';
import { byReference, firstDifference, onDevice, randomNear, randomPatterns, tensor } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const floats: DType[] = ['float32', 'float16', 'bfloat16'];
const op = (name: string) => {
  const record = opTable.get(name);
  if (!record) throw new Error(`no op ${name}`);
  return record;
};

describe("binary arithmetic gives the reference's bits on random patterns", () => {
  for (const name of [
    'add',
    'sub',
    'mul',
    'div',
    'maximum',
    'minimum',
    'eq',
    'lt',
    'ge',
    'logical_and',
    'logical_or',
    'logical_xor',
  ].filter((n) => opTable.has(n)))
    for (const dtype of floats)
      test(`${name} ${dtype}`, async () => {
        const record = op(name);
        // The second size takes the form for big calls, where sums and products are two kernels.
        for (const n of [20_001, 50_001])
          for (const make of [randomPatterns, randomNear]) {
            const inputs = [make(dtype, n, 7), make(dtype, n, 11)];
            const outputs = record.infer(inputs, {});
            const { results, kernels } = await onDevice(backend, record, inputs, {}, outputs);
            expect(kernels).toBe(n > 2 ** 15 && ['add', 'sub', 'mul'].includes(name) ? 2 : 1);
            expect(firstDifference(outputs[0].dtype, results[0], byReference(record, inputs, {}, outputs)[0])).toBe('');
          }
      });
});

describe.each([false, true])('big 16-bit sums and products, read by unpack2x16float: %s', (exactUnpack) => {
  for (const dtype of ['float16', 'bfloat16'] as const)
    for (const name of ['add', 'sub', 'mul'])
      test(`${name} of every ${dtype} with the hard ones, and with a partner each`, async () => {
        const { adapter } = backend;
        backend.adapter = { ...adapter, exactUnpack };
        const record = op(name);
        const every = { dtype, shape: [65537], data: Uint16Array.from({ length: 65537 }, (_, i) => i & 0xffff) };
        const hard =
          dtype === 'float16'
            ? [0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00]
            : [0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0];
        const partners = [
          ...hard.map((bits) => ({ dtype, shape: [1], data: Uint16Array.of(bits) })),
          { dtype, shape: [65537], data: Uint16Array.from({ length: 65537 }, (_, i) => Math.imul(i, 40503) & 0xffff) },
          { dtype, shape: [65537], data: Uint16Array.from({ length: 65537 }, (_, i) => (i ^ 0x8000) & 0xffff) },
          { constant: -1.5, dtype },
        ];
        for (const partner of partners) {
          const inputs = [every, partner];
          const outputs = [{ dtype, shape: [65537] }];
          const { results, kernels } = await onDevice(backend, record, inputs, {}, outputs);
          expect(kernels).toBe(2);
          expect(firstDifference(dtype, results[0], byReference(record, inputs, {}, outputs)[0])).toBe('');
        }
        backend.adapter = adapter;
      });
});

const boundary = [
  0,
  -0,
  1,
  -1,
  2 ** -126,
  -(2 ** -126),
  2 ** -149,
  -(2 ** -149),
  2 ** -100,
  -(2 ** -100),
  2 ** -101,
  2 ** -63,
  2 ** -62,
  2 ** -24,
  2 ** 64,
  2 ** 63,
  2 ** 126,
  -(2 ** 126),
  2 ** 127,
  3.4028234663852886e38,
  Infinity,
  -Infinity,
  Number.NaN,
];
describe.each(['add', 'sub', 'mul'])('%s of big float32 tensors is exact at every boundary', (name) => {
  const n = 40_003;
  const all = (pick: (i: number) => number) =>
    tensor(
      'float32',
      [n],
      Float64Array.from({ length: n }, (_, i) => boundary[pick(i) % boundary.length]),
    );
  // Every pair meets beside ordinary pairs and beside its like, so that vec4s with one hard element and with four occur.
  const cases = [
    [all((i) => i), all((i) => Math.floor(i / boundary.length))],
    [all((i) => Math.floor(i / 64)), all((i) => Math.floor(i / 2048))],
    [all((i) => (i % 97 === 0 ? i : 2)), all((i) => (i % 89 === 0 ? i : 2))],
  ];
  test.each(cases.map((inputs, i) => [i, inputs] as const))('two tensors, case %i', async (_i, inputs) => {
    const outputs = [{ dtype: 'float32', shape: [n] } as const];
    const { results } = await onDevice(backend, op(name), inputs, {}, outputs);
    expect(firstDifference('float32', results[0], byReference(op(name), inputs, {}, outputs)[0])).toBe('');
  });
  test.each(boundary)('with the number %f', async (constant) => {
    const inputs = [cases[0][0], { constant, dtype: 'float32' as const }];
    const outputs = [{ dtype: 'float32', shape: [n] } as const];
    const { results } = await onDevice(backend, op(name), inputs, {}, outputs);
    expect(firstDifference('float32', results[0], byReference(op(name), inputs, {}, outputs)[0])).toBe('');
  });
});

test.each(floats)('add with alpha rounds as PyTorch does: %s', async (dtype) => {
  for (const value of [0.3, -1, 70000]) {
    const attrs = { alpha: { value, kind: 'float' as const } };
    for (const make of [randomPatterns, randomNear]) {
      const inputs = [make(dtype, 30_000, 5), make(dtype, 30_000, 3)];
      const outputs = [{ dtype, shape: [30_000] }];
      const { results, kernels } = await onDevice(backend, op('add'), inputs, attrs, outputs);
      expect(kernels).toBe(1);
      expect(firstDifference(dtype, results[0], byReference(op('add'), inputs, attrs, outputs)[0])).toBe('');
    }
  }
});

test.each(['float16', 'bfloat16'] as const)(
  '%s times a number multiplies in float32 and rounds once',
  async (dtype) => {
    for (const constant of [0.1, 65536, 1e-40, 3e38]) {
      const inputs = [randomPatterns(dtype, 20_001, 9), { constant, dtype: 'float32' as const }];
      const outputs = [{ dtype, shape: [20_001] }];
      const { results, kernels } = await onDevice(backend, op('mul'), inputs, {}, outputs);
      expect(kernels).toBe(1);
      expect(firstDifference(dtype, results[0], byReference(op('mul'), inputs, {}, outputs)[0])).toBe('');
    }
  },
);

test.each(floats)('strided and broadcast operands read the right elements: %s', async (dtype) => {
  const a = tensor(
    dtype,
    [3, 5],
    Array.from({ length: 15 }, (_, i) => i + 0.5),
  );
  const row = tensor(dtype, [5], [1, 2, 3, 4, 5]);
  const x: View = { buffer: backend.upload(dtype, a.data), dtype, shape: [5, 3], strides: [1, 5], offset: 0 };
  const y: View = { buffer: backend.upload(dtype, row.data), dtype, shape: [5, 1], strides: [1, 1], offset: 0 };
  const [out] = backend.run(op('mul'), [x, y], {}, [{ dtype, shape: [5, 3] }]);
  const expected = Array.from(
    { length: 15 },
    (_, k) => ((k % 3) * 5 + Math.floor(k / 3) + 0.5) * (Math.floor(k / 3) + 1),
  );
  expect(firstDifference(dtype, await backend.read(out), tensor(dtype, [15], expected).data)).toBe('');
});

test.each(['float16', 'bfloat16'] as const)(
  "exp of all 65,536 %s patterns comes from the reference's table",
  async (dtype) => {
    const all = { dtype, shape: [65536], data: Uint16Array.from({ length: 65536 }, (_, i) => i) };
    const outputs = [{ dtype, shape: [65536] }];
    const { results, kernels } = await onDevice(backend, op('exp'), [all], {}, outputs);
    expect(kernels).toBe(1);
    expect(firstDifference(dtype, results[0], byReference(op('exp'), [all], {}, outputs)[0])).toBe('');
  },
);

describe('copies on the device', () => {
  test.each<DType>(['float32', 'float16', 'bfloat16', 'int32', 'bool', 'int64'])(
    'a transposed %s view becomes contiguous, and is written through a window',
    async (dtype) => {
      const n = 96;
      const source = randomPatterns(dtype, n * n, 21);
      const x: View = { buffer: backend.upload(dtype, source.data), dtype, shape: [n, n], strides: [1, n], offset: 0 };
      const before = backend.stats.dispatches;
      const flipped = await backend.read(backend.contiguous(x));
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++)
          if (flipped[i * n + j] !== source.data[j * n + i] && !Number.isNaN(flipped[i * n + j]))
            throw new Error(`${i},${j}`);
      const target = backend.upload(dtype, source.data);
      backend.copyInto(
        { buffer: target, dtype, shape: [n, n - 1], strides: [n, 1], offset: 1 },
        { ...x, shape: [n, n - 1] },
      );
      const written = await backend.read(target);
      const expected = source.data.slice();
      for (let i = 0; i < n; i++) for (let j = 0; j < n - 1; j++) expected[i * n + 1 + j] = source.data[j * n + i];
      expect(firstDifference(dtype, written, expected)).toBe('');
      expect(backend.stats.dispatches - before).toBe(2);
    },
  );
});

describe('conversions', () => {
  const cases: [DType, DType][] = [];
  for (const from of ['float32', 'float16', 'bfloat16', 'int32', 'bool'] as const)
    for (const to of ['float32', 'float16', 'bfloat16', 'int32', 'bool'] as const) cases.push([from, to]);
  cases.push(['bool', 'int64'], ['int32', 'int64'], ['int64', 'float16'], ['int64', 'int32']);
  test.each(cases)('%s to %s', async (from, to) => {
    const input = randomPatterns(from, 40_001, 13);
    const outputs = [{ dtype: to, shape: [40_001] }];
    const { results, kernels } = await onDevice(backend, op('_to_copy'), [input], { dtype: to }, outputs);
    expect(kernels).toBe(1);
    expect(firstDifference(to, results[0], byReference(op('_to_copy'), [input], { dtype: to }, outputs)[0])).toBe('');
  });
});

describe('integers', () => {
  test.each(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'logical_and'])('%s of int64, also with a number', async (name) => {
    const a = tensor(
      'int64',
      [1001],
      Array.from({ length: 1001 }, (_, i) => ((i * 7919) % 21) - 10),
    );
    const b = tensor(
      'int64',
      [1001],
      Array.from({ length: 1001 }, (_, i) => ((i * 104729) % 21) - 10),
    );
    const outputs = [{ dtype: 'bool' as const, shape: [1001] }];
    for (const other of [b, { constant: -3, dtype: 'int64' as const }]) {
      const { results, kernels } = await onDevice(backend, op(name), [a, other], {}, outputs);
      expect(kernels).toBe(1);
      expect(firstDifference('bool', results[0], byReference(op(name), [a, other], {}, outputs)[0])).toBe('');
    }
  });
  test('values and numbers beyond int32 are left to the reference', async () => {
    const a = tensor('int64', [2], [2 ** 40, 1]);
    const outputs = [{ dtype: 'bool' as const, shape: [2] }];
    for (const [x, y] of [
      [a, { constant: 1, dtype: 'int64' as const }],
      [tensor('int64', [2], [0, 1]), { constant: 2 ** 32, dtype: 'int64' as const }],
    ]) {
      const { results, kernels } = await onDevice(backend, op('eq'), [x, y], {}, outputs);
      expect(kernels).toBe(0);
      expect(firstDifference('bool', results[0], byReference(op('eq'), [x, y], {}, outputs)[0])).toBe('');
    }
  });
});

describe.each(floats)('tests of one %s', (dtype) => {
  test.each(['isnan', 'isinf', 'isfinite', 'signbit', 'logical_not', 'sign', 'relu', 'neg', 'abs'])(
    '%s',
    async (name) => {
      const x = randomPatterns(dtype, 30_001, 3);
      const outputs = op(name).infer([x], {});
      const { results, kernels } = await onDevice(backend, op(name), [x], {}, outputs);
      expect(kernels).toBe(1);
      expect(firstDifference(outputs[0].dtype, results[0], byReference(op(name), [x], {}, outputs)[0])).toBe('');
    },
  );
});
