import { afterAll, expect, test } from 'vitest';
import type { DType } from '@/engine/formats/dtype';
import { encodeBfloat16, encodeFloat16 } from '@/engine/formats/half';
import { readElements, toInteger, writeElements } from '@/engine/formats/host-elements';
import { compareBits } from './compare';
import { type GoldenFloat, goldenBits, goldenDtype, goldenFloat, goldenJson } from './load';
import { type GoldenResult, recordGolden } from './results';

const results: GoldenResult[] = [];
const compared = 'exact bits, NaN as a class';
afterAll(() => recordGolden('convert', results));

const everyPattern = Uint16Array.from({ length: 65536 }, (_, i) => i);

function convert(from: DType, data: Uint16Array | Float32Array, to: DType): Uint16Array {
  return writeElements(to, readElements({ dtype: from, shape: [data.length], data })) as Uint16Array;
}

function check(file: string, actual: Uint16Array, to: DType): void {
  const comparison = compareBits(actual, goldenBits(file), to);
  results.push({ file, entries: comparison.count, passed: comparison.count - comparison.failures.length, compared });
  expect(comparison.examples).toEqual([]);
}

test('every float16 converts to bfloat16 as in PyTorch', () => {
  check('convert/f16_to_bf16', convert('float16', everyPattern, 'bfloat16'), 'bfloat16');
});

test('every bfloat16 converts to float16 as in PyTorch', () => {
  check('convert/bf16_to_f16', convert('bfloat16', everyPattern, 'float16'), 'float16');
});

for (const set of ['rand', 'hard']) {
  for (const short of ['f16', 'bf16'] as const) {
    test(`float32 (${set}) rounds to ${short} as in PyTorch, ties to even, overflow to inf`, () => {
      const input = new Float32Array(goldenBits(`convert/f32_${set}_in`).buffer as ArrayBuffer);
      const to = goldenDtype(short);
      check(`convert/f32_${set}_to_${short}`, convert('float32', input, to), to);
    });
  }
}

test('a double rounds to float32 first, then to half', () => {
  const rows =
    goldenJson<Array<Record<'f16' | 'bf16' | 'f32' | 'ctor_f16' | 'ctor_bf16', string> & { x: GoldenFloat }>>(
      'convert/f64_cases.json',
    );
  const hex = (bits: number, digits: number): string => bits.toString(16).padStart(digits, '0');
  let passed = 0;
  for (const row of rows) {
    const x = goldenFloat(row.x);
    const f16 = hex(encodeFloat16(x), 4);
    const bf16 = hex(encodeBfloat16(x), 4);
    const f32 = hex(new Uint32Array(Float32Array.of(x).buffer)[0], 8);
    const actual = { x: row.x, f16, bf16, f32, ctor_f16: f16, ctor_bf16: bf16 };
    expect(actual).toEqual(row);
    passed++;
  }
  results.push({ file: 'convert/f64_cases.json', entries: rows.length, passed, compared: 'exact bits' });
});

test('integers round to nearest even; floats truncate to integers and are true unless zero', () => {
  type FromInt = { i: number; f16: string; bf16: string; f32: string };
  type ToInt = { src: 'f16' | 'bf16' | 'f32'; x: GoldenFloat; i32: number; i64: number; bool: boolean };
  const rows = goldenJson<Array<FromInt | ToInt>>('convert/int_cases.json');
  let passed = 0;
  for (const row of rows) {
    if ('i' in row) {
      const bits = (dtype: DType): string => {
        const data = writeElements(dtype, [row.i]);
        return dtype === 'float32'
          ? new Uint32Array(data.buffer)[0].toString(16).padStart(8, '0')
          : data[0].toString(16).padStart(4, '0');
      };
      expect({ i: row.i, f16: bits('float16'), bf16: bits('bfloat16'), f32: bits('float32') }).toEqual(row);
    } else {
      const dtype = goldenDtype(row.src);
      const held = readElements({ dtype, shape: [], data: writeElements(dtype, [goldenFloat(row.x)]) })[0];
      const actual = {
        i32: toInteger(held, 'int32'),
        i64: toInteger(held, 'int64'),
        bool: toInteger(held, 'bool') === 1,
      };
      expect(actual).toEqual({ i32: row.i32, i64: row.i64, bool: row.bool });
    }
    passed++;
  }
  results.push({
    file: 'convert/int_cases.json',
    entries: rows.length,
    passed,
    compared: 'exact (NaN and inf as on x86)',
  });
});
