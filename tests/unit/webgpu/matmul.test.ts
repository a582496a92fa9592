import { describe, expect, test } from 'vitest';
import type { View } from '@/engine/backends/backend';
import '@/engine/ops';
import { type DType, type HostTensor, isHalf } from '@/engine/formats/dtype';
import { readElements, writeElements } from '@/engine/formats/host-elements';
import { opTable } from '@/engine/ops/record';
import { firstDifference, randomNear, stridesOf } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
// SwiftShader's unpack2x16float is exact (self-test.test.ts); both ways to read float16 are compared below.
backend.adapter = { exactUnpack: true };
const matmul = opTable.get('matmul')!;
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

const make = (dtype: DType, shape: number[], seed: number): HostTensor => ({
  ...randomNear(dtype, count(shape), seed),
  shape,
});

/** The transposed copy of a matrix, so that a view can undo it: what `b.T` looks like to the backend. */
function stored(x: HostTensor, transposed: boolean): View {
  const [rows, columns] = x.shape.slice(-2);
  if (!transposed)
    return {
      buffer: backend.upload(x.dtype, x.data),
      dtype: x.dtype,
      shape: x.shape,
      strides: stridesOf(x.shape),
      offset: 0,
    };
  const data = x.data.slice();
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) data[c * rows + r] = x.data[r * columns + c];
  return { buffer: backend.upload(x.dtype, data), dtype: x.dtype, shape: x.shape, strides: [1, rows], offset: 0 };
}

/**
 * 16-bit: the reference's bits. float32: an adapter may fuse or reorder, so two results may differ by twice the classic bound
 * k u sum |a||b| (Higham, Accuracy and Stability, 3.1), u = 2^-24.
 */
function compare(
  dtype: DType,
  got: ReturnType<typeof readElements>,
  want: ReturnType<typeof readElements>,
  magnitude: ArrayLike<number>,
  k: number,
): string {
  for (let i = 0; i < want.length; i++) {
    const allowed = isHalf(dtype) ? 0 : 2 * k * 2 ** -24 * magnitude[i];
    if (!(Math.abs(got[i] - want[i]) <= allowed)) return `index ${i}: got ${got[i]}, expected ${want[i]}`;
  }
  return '';
}

const shapes: [number, number, number][] = [
  [1, 1, 1],
  [3, 5, 7],
  [4, 4, 4],
  [17, 33, 9],
  [64, 64, 64],
  [36, 100, 68],
  [33, 64, 65],
];

describe.each<DType>(['float32', 'float16', 'bfloat16'])('matmul %s', (dtype) => {
  for (const [m, k, n] of shapes)
    for (const [ta, tb] of [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ])
      test(`[${m}, ${k}]${ta ? '.T' : ''} @ [${k}, ${n}]${tb ? '.T' : ''}`, async () => {
        const a = make(dtype, [m, k], 5);
        const b = make(dtype, [k, n], 6);
        const outputs = [{ dtype, shape: [m, n] }];
        const before = backend.stats.byOp.get('matmul')?.kernel ?? 0;
        const [out] = backend.run(matmul, [stored(a, ta), stored(b, tb)], {}, outputs);
        const got = { dtype, shape: [m, n], data: await backend.read(out) };
        expect(backend.stats.byOp.get('matmul')?.kernel).toBe(before + 1);
        const [want] = matmul.reference([a, b], {}, outputs);
        const absolute = (x: HostTensor): HostTensor => ({
          dtype: 'float32',
          shape: x.shape,
          data: Float32Array.from(readElements(x), Math.abs),
        });
        const [magnitude] = matmul.reference([absolute(a), absolute(b)], {}, [{ dtype: 'float32', shape: [m, n] }]);
        expect(compare(dtype, readElements(got), readElements({ ...got, data: want }), magnitude, k)).toBe('');
      });
});

describe.each<DType>(['float16', 'bfloat16'])('products with batches and bias, %s', (dtype) => {
  const check = async (name: string, inputs: HostTensor[], attrs: Record<string, never> | object = {}) => {
    const record = opTable.get(name)!;
    const outputs = record.infer(inputs, attrs as never);
    const views = inputs.map(
      (x): View => ({
        buffer: backend.upload(x.dtype, x.data),
        dtype: x.dtype,
        shape: x.shape,
        strides: stridesOf(x.shape),
        offset: 0,
      }),
    );
    const [out] = backend.run(record, views, attrs as never, outputs);
    expect(backend.lastServedBy).toBe('webgpu');
    expect(firstDifference(dtype, await backend.read(out), record.reference(inputs, attrs as never, outputs)[0])).toBe(
      '',
    );
  };
  test('linear adds the bias before the one rounding', () =>
    check('linear', [make(dtype, [5, 3, 20], 1), make(dtype, [12, 20], 2), make(dtype, [12], 3)], { has_bias: true }));
  test('a bias that is infinite, NaN, a negative zero or the smallest subnormal', () => {
    const bias = {
      dtype,
      shape: [6],
      data: writeElements(dtype, [Infinity, -Infinity, Number.NaN, -0, 2 ** -24, 2 ** -133]),
    };
    const rows = {
      dtype,
      shape: [3, 4],
      data: writeElements(dtype, [1, 1, 1, 1, 0, 0, 0, 0, 2 ** -24, 0, 0, Infinity]),
    };
    return check('linear', [rows, make(dtype, [6, 4], 2), bias], { has_bias: true });
  });
  test('linear without a bias', () =>
    check('linear', [make(dtype, [7, 64], 1), make(dtype, [33, 64], 2)], { has_bias: false }));
  test('batches broadcast', () => check('matmul', [make(dtype, [2, 1, 9, 12], 1), make(dtype, [3, 12, 8], 2)]));
  test('a vector on either side', async () => {
    await check('matmul', [make(dtype, [12], 1), make(dtype, [12, 5], 2)]);
    await check('matmul', [make(dtype, [2, 9, 12], 1), make(dtype, [12], 2)]);
    await check('matmul', [make(dtype, [12], 1), make(dtype, [12], 2)]);
  });
  test('addmm and baddbmm scale both terms', async () => {
    const scalars = { beta: { value: 0.3, kind: 'float' }, alpha: { value: -2, kind: 'float' } };
    await check('addmm', [make(dtype, [8], 4), make(dtype, [6, 5], 1), make(dtype, [5, 8], 2)], scalars);
    await check('baddbmm', [make(dtype, [3, 1, 8], 4), make(dtype, [3, 6, 5], 1), make(dtype, [3, 5, 8], 2)], scalars);
  });
});

test('a float16 product that overflows is inf, and inf - inf is NaN', async () => {
  const dtype = 'float16';
  const big = 0x7bff; // 65504
  const a = { dtype, shape: [2, 2], data: Uint16Array.of(big, big, 0x7c00, 0x7c00) } as const;
  const b = { dtype, shape: [2, 1], data: Uint16Array.of(0x3c00, 0x3c00) } as const;
  const c = { dtype, shape: [2, 1], data: Uint16Array.of(0x3c00, 0xbc00) } as const;
  const run = async (x: HostTensor, y: HostTensor) => [
    ...readElements({
      dtype,
      shape: [2],
      data: await backend.read(
        backend.run(matmul, [stored(x, false), stored(y, false)], {}, [{ dtype, shape: [2, 1] }])[0],
      ),
    }),
  ];
  expect(await run(a, b)).toEqual([Infinity, Infinity]);
  expect(await run(a, c)).toEqual([0, Number.NaN]);
});

test('bfloat16 products below the smallest normal float32 are not lost', async () => {
  const dtype = 'bfloat16';
  const tiny = { dtype, shape: [1, 2], data: Uint16Array.of(0x0c80, 0x1f80) } as const; // 2^-102, 2^-64
  const other = { dtype, shape: [2, 1], data: Uint16Array.of(0x3080, 0x1f80) } as const; // 2^-30, 2^-64
  const outputs = [{ dtype, shape: [1, 1] } as const];
  const [out] = backend.run(matmul, [stored(tiny, false), stored(other, false)], {}, outputs);
  expect(firstDifference(dtype, await backend.read(out), matmul.reference([tiny, other], {}, outputs)[0])).toBe('');
});

test('reading float16 by integer code gives the same bits', async () => {
  const [a, b] = [make('float16', [36, 100], 5), make('float16', [100, 68], 6)];
  const run = async () =>
    backend.read(
      backend.run(matmul, [stored(a, false), stored(b, false)], {}, [{ dtype: 'float16', shape: [36, 68] }])[0],
    );
  const quick = await run();
  backend.adapter = { exactUnpack: false };
  expect(await run()).toEqual(quick);
  backend.adapter = { exactUnpack: true };
});
