/** Numbers as Python prints them. The expected texts are CPython's own (repr(x), f"{x:.3g}", str(round(x, 3))). */
import { expect, test } from 'vitest';
import { pythonFloat, roundedList, threeDigits } from '@/content/questions/kit/python-text';

test('a float has the text of repr()', () => {
  const floats = [0, -0, 1, 2048, 0.1, 1e-4, 1e-5, 9.77e-4, 65504, 1e15, 1e16, 1.5e16, 123456789012345.6];
  expect(floats.map(pythonFloat).join('|')).toBe(
    '0.0|-0.0|1.0|2048.0|0.1|0.0001|1e-05|0.000977|65504.0|1000000000000000.0|1e+16|1.5e+16|123456789012345.6',
  );
  const others = [2 ** -24, -2.5, 99614720, 1 / 3, Infinity, Number.NaN, 2 ** -14];
  expect(others.map(pythonFloat).join('|')).toBe(
    '5.960464477539063e-08|-2.5|99614720.0|0.3333333333333333|inf|nan|6.103515625e-05',
  );
});

test('three digits are those of :.3g', () => {
  const floats = [0, 1, 20, 1234.5, 999.6, 99.96, 0.000488, 0.0000488, 65536, 32752, 1.0012e-8, 0.709, 5, 100, 1e-4];
  expect(floats.map(threeDigits).join('|')).toBe(
    '0|1|20|1.23e+03|1e+03|100|0.000488|4.88e-05|6.55e+04|3.28e+04|1e-08|0.709|5|100|0.0001',
  );
  expect([9.999e-5, Infinity, Number.NaN].map(threeDigits).join('|')).toBe('0.0001|inf|nan');
});

test('round(x, 3) sends exact ties to the even digit', () => {
  expect(roundedList([0.0625, 0.1875, 0.3125, 0.4375, 0.73095703125, 0.9141, 1 / 3, 0.0005, 2, 0.9999])).toBe(
    '[0.062, 0.188, 0.312, 0.438, 0.731, 0.914, 0.333, 0.001, 2.0, 1.0]',
  );
});
