import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bfloat16,
  type FloatFormat,
  float16,
  float32,
  formats,
  fromBits,
  neighbours,
  nextDown,
  nextUp,
  roundToFormat,
  tf32,
  toBits,
  ulp,
  ulpDistance,
} from '@/engine/formats/float-format';
import { fma32 } from '@/engine/formats/float32-arithmetic';
import { bfloat16Table, encodeBfloat16, encodeFloat16, float16Table } from '@/engine/formats/half';

/** Doubles of every magnitude that matters to a format: its whole range and a little beyond, on both sides. */
const around = (format: FloatFormat): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double(),
    fc
      .tuple(
        fc.double({ min: 1, max: 2, noNaN: true }),
        fc.integer({ min: format.minExponent - format.significandBits - 3, max: format.maxExponent + 2 }),
        fc.boolean(),
      )
      .map(([significand, exponent, negative]) => (negative ? -1 : 1) * significand * 2 ** exponent),
  );

/** Bit patterns of a format, NaN and infinity included. */
const patterns = (format: FloatFormat): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 2 ** (1 + format.exponentBits + format.significandBits) - 1 });

describe.each(Object.values(formats))('$name', (format) => {
  test('rounding is idempotent: a rounded value is representable', () => {
    fc.assert(
      fc.property(around(format), (x) => {
        const once = roundToFormat(x, format);
        expect(roundToFormat(once, format)).toBe(once);
      }),
    );
  });

  test('rounding is monotone', () => {
    fc.assert(
      fc.property(around(format), around(format), (x, y) => {
        fc.pre(x <= y);
        expect(roundToFormat(x, format)).toBeLessThanOrEqual(roundToFormat(y, format));
      }),
    );
  });

  test('rounding is symmetric in sign, and keeps the sign of zero', () => {
    fc.assert(
      fc.property(around(format), (x) => {
        expect(roundToFormat(-x, format)).toBe(-roundToFormat(x, format));
      }),
    );
    expect(roundToFormat(-0, format)).toBe(-0);
    expect(roundToFormat(-format.smallestSubnormal / 4, format)).toBe(-0);
  });

  test('the result is the nearest value: at most half an ulp away, and a tie goes to the even pattern', () => {
    fc.assert(
      fc.property(around(format), (x) => {
        const rounded = roundToFormat(x, format);
        fc.pre(Math.abs(x) <= format.max);
        const error = Math.abs(x - rounded);
        const half = ulp(x, format) / 2;
        expect(error).toBeLessThanOrEqual(half);
        if (error === half) expect(toBits(rounded, format) % 2).toBe(0);
      }),
    );
  });

  test('stochastic rounding gives one of the two neighbours, up exactly when the fraction of the gap exceeds word / 2^32', () => {
    fc.assert(
      fc.property(around(format), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (x, word) => {
        fc.pre(Math.abs(x) < format.max);
        const rounded = roundToFormat(x, format, { stochastic: word });
        const { below, above } = neighbours(x, format);
        const [towardsZero, away] = x < 0 ? [above, below] : [below, above];
        const fraction = towardsZero === away ? 0 : (Math.abs(x) - Math.abs(towardsZero)) / ulp(x, format);
        expect(rounded).toBe(word / 2 ** 32 < fraction ? away : towardsZero);
      }),
    );
  });

  test('patterns and values convert back and forth', () => {
    fc.assert(
      fc.property(patterns(format), (bits) => {
        const value = fromBits(bits, format);
        fc.pre(!Number.isNaN(value));
        expect(toBits(value, format)).toBe(bits);
        expect(roundToFormat(value, format)).toBe(value);
      }),
    );
  });

  test('nextUp and nextDown step over nothing', () => {
    fc.assert(
      fc.property(patterns(format), (bits) => {
        const value = fromBits(bits, format);
        fc.pre(Number.isFinite(value) && Math.abs(value) < format.max);
        const up = nextUp(value, format);
        expect(up).toBeGreaterThan(value);
        expect(ulpDistance(value, up, format)).toBe(1);
        expect(nextDown(up, format)).toBe(value === 0 ? 0 : value);
        expect(
          roundToFormat((value + up) / 2, format) === value || roundToFormat((value + up) / 2, format) === up,
        ).toBe(true);
      }),
    );
  });

  test('the largest value, half an ulp more, and the smallest subnormal', () => {
    const overflow = format.specials === 'ieee' ? Infinity : format.max;
    expect(roundToFormat(format.max, format)).toBe(format.max);
    const halfStep = ulp(format.max, format) / 2;
    expect(roundToFormat(nextBelow(format.max + halfStep), format)).toBe(format.max);
    // The tie goes to the even neighbour: 1.11…1 is odd, so IEEE formats overflow; 1.11…10 (e4m3fn) is even and stays.
    expect(roundToFormat(format.max + halfStep, format)).toBe(format.specials === 'ieee' ? Infinity : format.max);
    expect(roundToFormat(format.max + halfStep * 1.5, format)).toBe(overflow);
    expect(roundToFormat(format.smallestSubnormal / 2, format)).toBe(0);
    expect(roundToFormat(format.smallestSubnormal * 0.75, format)).toBe(format.smallestSubnormal);
  });
});

/** The largest double below x (x > 0). */
const nextBelow = (x: number): number => x * (1 - 2 ** -53);

test('limits follow from the bits', () => {
  expect([float16.max, float16.smallestNormal, float16.smallestSubnormal, float16.eps]).toEqual([
    65504,
    2 ** -14,
    2 ** -24,
    2 ** -10,
  ]);
  expect([bfloat16.max, bfloat16.smallestNormal, bfloat16.smallestSubnormal, bfloat16.eps]).toEqual([
    3.3895313892515355e38,
    2 ** -126,
    2 ** -133,
    2 ** -7,
  ]);
  expect([float32.max, float32.smallestSubnormal]).toEqual([3.4028234663852886e38, 2 ** -149]);
  expect([tf32.max, tf32.eps]).toEqual([(2 - 2 ** -10) * 2 ** 127, 2 ** -10]);
  expect([formats.float8_e4m3fn.max, formats.float8_e4m3fn.smallestSubnormal]).toEqual([448, 2 ** -9]);
  expect([formats.float8_e5m2.max, formats.float8_e5m2.smallestSubnormal]).toEqual([57344, 2 ** -16]);
});

test('roundToFormat to float32 is Math.fround', () => {
  fc.assert(
    fc.property(fc.double(), (x) => {
      expect(roundToFormat(x, float32)).toBe(Math.fround(x));
    }),
  );
});

test('the fast encoders agree with the readable rounding on float32 inputs', () => {
  fc.assert(
    fc.property(fc.float(), (x) => {
      expect(encodeFloat16(x)).toBe(toBits(x, float16));
      expect(encodeBfloat16(x)).toBe(toBits(x, bfloat16));
    }),
    { numRuns: 2000 },
  );
});

test('all 65,536 patterns decode to the value that their bits spell', () => {
  const [half, brain] = [float16Table(), bfloat16Table()];
  for (let bits = 0; bits < 65536; bits++) {
    if (!Object.is(half[bits], fromBits(bits, float16)))
      expect(half[bits], bits.toString(16)).toBe(fromBits(bits, float16));
    if (!Object.is(brain[bits], fromBits(bits, bfloat16)))
      expect(brain[bits], bits.toString(16)).toBe(fromBits(bits, bfloat16));
  }
});

test('fma32 rounds a * b + c once, as exact rational arithmetic does', () => {
  fc.assert(
    fc.property(
      fc.float({ noNaN: true, noDefaultInfinity: true }),
      fc.float({ noNaN: true, noDefaultInfinity: true }),
      fc.float({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -30, max: 30 }),
      (a, b, c0, shift) => {
        // c near the product, where cancellation and ties happen
        const c = Math.fround(shift % 2 === 0 ? c0 : a * b * 2 ** shift);
        fc.pre(Number.isFinite(c));
        expect(fma32(a, b, c)).toBe(exactFma(a, b, c));
      },
    ),
    { numRuns: 3000 },
  );
  expect(fma32(1 + 2 ** -23, 1 + 2 ** -23, -1)).toBe(Math.fround(2 ** -22 + 2 ** -46));
  // 1 + 2^-24 + 2^-60: a tie for a double rounded twice, above the tie exactly.
  expect(fma32(1, 1, 2 ** -24)).toBe(1);
  expect(fma32(2 ** -12, 2 ** -12 + 2 ** -35, 1)).toBe(1 + 2 ** -23);
});

/** a * b + c with integers: each float32 is an integer times 2^-149. */
function exactFma(a: number, b: number, c: number): number {
  const scaled = (x: number): bigint => BigInt(x * 2 ** 149);
  const sum = scaled(a) * scaled(b) + (scaled(c) << 149n); // in units of 2^-298
  if (sum === 0n) return a * b + c; // sign of zero as IEEE 754 has it
  const negative = sum < 0n;
  const magnitude = negative ? -sum : sum;
  const length = magnitude.toString(2).length;
  const exponent = length - 1 - 298;
  const drop = Math.max(length - 24, 149); // 24 bits stay, or the subnormal spacing 2^-149
  let kept = magnitude >> BigInt(drop);
  const rest = magnitude & ((1n << BigInt(drop)) - 1n);
  const half = 1n << BigInt(drop - 1);
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  const value = exponent > 127 ? Infinity : Math.fround(Number(kept) * 2 ** (drop - 298));
  return negative ? -value : value;
}
