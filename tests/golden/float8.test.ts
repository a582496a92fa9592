import { afterAll, expect, test } from 'vitest';
import { float8_e4m3fn, float8_e5m2, fromBits, toBits } from '@/engine/formats/float-format';
import { float16Table } from '@/engine/formats/half';
import { goldenBits } from './load';
import { type GoldenResult, recordGolden } from './results';

const results: GoldenResult[] = [];
afterAll(() => recordGolden('float8', results));

for (const [short, format] of [
  ['e4m3fn', float8_e4m3fn],
  ['e5m2', float8_e5m2],
] as const) {
  test(`every float16 value rounds to ${format.name} as in PyTorch`, () => {
    const expected = goldenBits(`float8/f16_to_${short}`);
    const failures: string[] = [];
    float16Table().forEach((value, i) => {
      const bits = toBits(value, format);
      const sameNaN = Number.isNaN(fromBits(bits, format)) && Number.isNaN(fromBits(expected[i], format));
      if (bits !== expected[i] && !sameNaN)
        failures.push(`${value}: got ${bits.toString(16)}, expected ${expected[i].toString(16)}`);
    });
    results.push({
      file: `float8/f16_to_${short}`,
      entries: 65536,
      passed: 65536 - failures.length,
      compared: 'exact bits, NaN as a class',
    });
    expect(failures.slice(0, 5)).toEqual([]);
  });

  test(`every ${format.name} pattern has PyTorch's value`, () => {
    const expected = new Float32Array(goldenBits(`float8/${short}_to_f32`).buffer as ArrayBuffer);
    const actual = Float32Array.from({ length: 256 }, (_, bits) => fromBits(bits, format));
    results.push({
      file: `float8/${short}_to_f32`,
      entries: 256,
      passed: 256,
      compared: 'exact value, NaN as a class',
    });
    expect(actual).toEqual(expected);
  });
}
