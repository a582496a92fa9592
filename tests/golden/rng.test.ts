/** Random numbers after manual_seed are PyTorch 2.13's, bit for bit (data/rng.json was recorded from it). */
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { Generator } from '../../engine/core/random';
import type { DType, HostData } from '../../engine/formats/dtype';
import { readElements, writeElements } from '../../engine/formats/host-elements';
import { doubleFromHex } from './load';
import { recordGolden } from './results';

interface GoldenTensor {
  readonly t: string;
  readonly s: readonly number[];
  readonly b?: string;
  readonly v?: readonly number[];
}
interface Entry {
  readonly code: string;
  readonly value?: GoldenTensor | readonly GoldenTensor[] | readonly number[] | string;
  readonly crc32?: string;
  readonly first?: GoldenTensor;
}

const seeds = JSON.parse(readFileSync(new URL('./data/rng.json', import.meta.url), 'utf8')) as (Record<
  string,
  Entry
> & { readonly seed: string })[];

const constant = (dtype: DType, count: number, value: number): HostData =>
  writeElements(dtype, new Float64Array(count).fill(value));
const values = (dtype: DType, data: HostData): Float32Array | Float64Array =>
  readElements({ dtype, shape: [data.length], data }) as Float32Array | Float64Array;

/** F.dropout(torch.ones(count), p): the mask of bernoulli_(1 - p) divided by 1 - p, in the tensor's dtype. */
function dropoutOfOnes(g: Generator, dtype: DType, count: number, p: number): HostData {
  const mask = values(dtype, g.bernoulli(dtype, count, 1 - p));
  const divisor = Math.fround(1 - p);
  return writeElements(
    dtype,
    mask.map((m) => Math.fround(m / divisor)),
  );
}

type Draw = (g: Generator) => HostData | HostData[];
const randn =
  (n: number, dtype: DType = 'float32'): Draw =>
  (g) =>
    g.normal(dtype, n);
const rand =
  (n: number, dtype: DType = 'float32'): Draw =>
  (g) =>
    g.uniform(dtype, n);

/** The entries that are the generator's own; module initialisation and DataLoader are tested where those live. */
const draws: Record<string, Draw> = {
  raw32: (g) => Float64Array.from({ length: 4 }, () => g.randint('int64', 1, 0, 2 ** 27)[0]!),
  ...Object.fromEntries(
    [1, 2, 3, 5, 7, 8, 12, 15, 16, 17, 20, 31, 32, 33, 48, 1000].map((n) => [`randn${n}`, randn(n)]),
  ),
  ...Object.fromEntries([1, 5, 16, 20, 1000].map((n) => [`rand${n}`, rand(n)])),
  randn_2x3: randn(6),
  randn_4x5: randn(20),
  randn_f16_7: randn(7, 'float16'),
  randn_f16_20: randn(20, 'float16'),
  randn_bf16_20: randn(20, 'bfloat16'),
  rand_f16_20: rand(20, 'float16'),
  rand_bf16_20: rand(20, 'bfloat16'),
  randn_f64_5: randn(5, 'float64'),
  randn_f64_20: randn(20, 'float64'),
  rand_f64_5: rand(5, 'float64'),
  randperm10: (g) => g.randperm('int64', 10),
  randperm100: (g) => g.randperm('int64', 100),
  randint: (g) => g.randint('int64', 20, 0, 10),
  randint_neg: (g) => g.randint('int64', 12, -5, 5),
  randint_big: (g) => g.randint('int64', 4, 0, 2 ** 40),
  uniform: (g) => g.uniform('float32', 6, -2, 3),
  normal_small: (g) => g.normal('float32', 6, 1, 0.5),
  normal_big: (g) => g.normal('float32', 20, 0, 0.02),
  normal_fn: (g) => g.normal('float32', 5, 2, 3),
  bernoulli: (g) => g.bernoulliFrom('float32', values('float32', constant('float32', 20, 0.3))),
  bernoulli_: (g) => g.bernoulli('float32', 20, 0.3),
  dropout: (g) => dropoutOfOnes(g, 'float32', 20, 0.25),
  dropout_f16: (g) => dropoutOfOnes(g, 'float16', 20, 0.1),
  multinomial: (g) => g.multinomial('float32', Float32Array.of(0.1, 0.2, 0.7), 1, 3, 6, true),
  exponential: (g) => g.exponential('float32', 5),
  randn_like: randn(3),
  'mix: randn(3),rand(2),randn(2),randn(16),randn(1)': (g) =>
    [randn(3)(g), rand(2)(g), randn(2)(g), randn(16)(g), randn(1)(g)] as HostData[],
  generator: () => new Generator(7).normal('float32', 3),
};
/** These go through Python (nn, nn.init, DataLoader) or are views. */
const testedFromPython = [
  'trunc_normal',
  'linear_4_3_weight',
  'linear_4_3_bias',
  'linear_1_1',
  'linear_nobias',
  'linear_784_10_weight',
  'linear_784_10_bias',
  'mlp',
  'linear_f16',
  'conv2d',
  'embedding',
  'xavier_uniform',
  'kaiming_normal',
  'mha_in_proj',
  'dataloader_shuffle',
];

const bytesOf = (data: HostData, goldenType: string): Uint8Array => {
  if (goldenType !== 'i64') return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(BigInt64Array.from(data as Float64Array, (x) => BigInt(x)).buffer);
};
const hex = (data: HostData): string => {
  const words =
    data instanceof Float64Array
      ? new BigUint64Array(data.buffer)
      : data instanceof Float32Array
        ? new Uint32Array(data.buffer)
        : data;
  const width = data.BYTES_PER_ELEMENT * 2;
  return Array.from(words as ArrayLike<number | bigint>, (w) => w.toString(16).padStart(width, '0')).join(' ');
};
const expectTensor = (data: HostData, golden: GoldenTensor): void => {
  if (golden.t === 'f64') {
    // log, sin and cos of double precision come from the platform's maths library, here and in PyTorch: 2 ulp.
    const expected = golden.b!.split(' ').map((word) => doubleFromHex(word));
    for (let i = 0; i < expected.length; i++) {
      expect(Math.abs(data[i] - expected[i])).toBeLessThanOrEqual(2 * 2 ** -52 * Math.abs(expected[i]));
    }
    return;
  }
  if (golden.v) expect(Array.from(data)).toEqual(golden.v);
  else expect(hex(data)).toBe(golden.b);
};

let entries = 0;
let passed = 0;
afterAll(() => {
  const compared = 'exact bits; float64 normals: 2 ulp (log, sin and cos of the maths library)';
  recordGolden('rng', [{ file: 'rng.json (generator)', entries, passed, compared }]);
});

for (const recorded of seeds) {
  describe(`manual_seed(${recorded.seed})`, () => {
    const start = (): Generator => new Generator(BigInt(recorded.seed));
    test('every recorded entry is tested here or from Python', () => {
      const known = new Set([
        ...Object.keys(draws),
        ...testedFromPython,
        'seed',
        'initial_seed',
        'noncontiguous_normal',
      ]);
      expect(Object.keys(recorded).filter((name) => !known.has(name))).toEqual([]);
    });
    for (const [name, draw] of Object.entries(draws)) {
      const entry = recorded[name];
      test(`${name}: ${entry?.code}`, () => {
        entries++;
        expect(entry).toBeDefined();
        const got = draw(start());
        const { value, first } = entry!;
        if (first) {
          expectTensor((got as HostData).slice(0, first.s[0]) as HostData, first);
          expect(
            crc32(bytesOf(got as HostData, first.t))
              .toString(16)
              .padStart(8, '0'),
          ).toBe(entry!.crc32);
        } else if (Array.isArray(got)) {
          for (const [i, golden] of (value as readonly GoldenTensor[]).entries()) expectTensor(got[i], golden);
        } else if (Array.isArray(value)) {
          expect(Array.from(got)).toEqual(value);
        } else {
          expectTensor(got, value as GoldenTensor);
        }
        passed++;
      });
    }
    test('initial_seed()', () => {
      expect(start().initialSeed().toString()).toBe(recorded.initial_seed?.value);
    });
    test('normal_() on a transposed [4, 8] fills storage one by one', () => {
      const storage = start().normal('float32', 32, 0, 1, false) as Float32Array;
      const rowMajor = Float32Array.from({ length: 32 }, (_, i) => storage[Math.floor(i / 4) + 8 * (i % 4)]!);
      expectTensor(rowMajor, recorded.noncontiguous_normal?.value as GoldenTensor);
    });
  });
}

test('get_state() and set_state() carry the kept normal and the position', () => {
  const g = new Generator(5);
  g.normal('float32', 3);
  const state = g.getState();
  // Recorded from torch.Generator().manual_seed(5) after randn(3).
  const view = new DataView(state.buffer);
  expect([
    view.getBigUint64(0, true),
    view.getInt32(8, true),
    view.getInt32(12, true),
    view.getBigUint64(16, true),
  ]).toEqual([5n, 617, 1, 8n]);
  expect([0, 1, 2, 3].map((j) => Number(view.getBigUint64(24 + 8 * j, true)))).toEqual([
    4081643083, 713234725, 1676298141, 2703880759,
  ]);
  expect(view.getFloat64(5016 + 8, true)).toBe(0.6675243015344896);
  const expected = [g.normal('float32', 1), g.uniform('float32', 700)];
  const again = new Generator(0).setState(state);
  expect([again.normal('float32', 1), again.uniform('float32', 700)]).toEqual(expected);
});
