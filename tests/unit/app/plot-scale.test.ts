import { describe, expect, test } from 'vitest';
import { linear, logarithmic, number, powersOfTen, powersOfTwo, superscript, ticks } from '@/app/components/plot/scale';

const at = (marks: readonly { at: number }[]) => marks.map((m) => m.at);
const texts = (marks: readonly { text: string }[]) => marks.map((m) => m.text);

describe('scales of a plot', () => {
  test('linear maps the domain’s ends to the range’s, and a single value to the middle', () => {
    const y = linear([0, 4], [100, 0]);
    expect([y(0), y(1), y(4)]).toEqual([100, 75, 0]);
    expect(linear([3, 3], [0, 10])(3)).toBe(5);
  });

  test('logarithmic puts equal ratios at equal distances, and 0 at the low end', () => {
    const x = logarithmic([1e-4, 1e4], [0, 80]);
    expect(x(1)).toBeCloseTo(40, 10);
    expect(x(10) - x(1)).toBeCloseTo(x(1e-3) - x(1e-4), 10);
    expect(x(0)).toBe(0);
    expect(() => logarithmic([0, 1], [0, 1])).toThrow(/must be positive/);
  });

  test('ticks are 1, 2 or 5 times a power of ten, within the domain', () => {
    expect(at(ticks([0, 1]))).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(at(ticks([0, 0.233], 4))).toEqual([0, 0.1, 0.2]);
    expect(at(ticks([-1, 1], 4))).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(at(ticks([2, 2]))).toEqual([2]);
    expect(at(powersOfTen([3e-8, 2e-3], 3))).toEqual([1e-7, 1e-5, 1e-3]);
    expect(texts(powersOfTwo([-30, 20], 16))).toEqual(['2⁻¹⁶', '2⁰', '2¹⁶']);
  });

  test('numbers are short, and say what is not finite', () => {
    expect([0, 0.2327, 65536, 1e-8, 1234567].map(number)).toEqual(['0', '0.2327', '65536', '1 × 10⁻⁸', '1.23 × 10⁶']);
    expect([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(number)).toEqual([
      'nan',
      'inf',
      '−inf',
    ]);
    expect(superscript(-24)).toBe('⁻²⁴');
  });
});
