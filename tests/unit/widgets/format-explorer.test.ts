/** The explorer's parser and rounding against values from PyTorch, numpy and exact rational arithmetic (tests/golden/generate/formats.py). */
import { describe, expect, test } from 'vitest';
import { hashOf, placeOf } from '@/app/components/widgets/format-explorer/address';
import { exactDecimal, shortest, ulps } from '@/app/components/widgets/format-explorer/decimal';
import { evaluate } from '@/app/components/widgets/format-explorer/expression';
import { bitsAt, hexOf, ORDER, round, toggleBit } from '@/app/components/widgets/format-explorer/rounding';
import { type FormatName, formats, fromBits } from '@/engine/formats/float-format';
import { doubleFromHex, goldenJson } from '../../golden/load';

interface Golden {
  readonly finfo: Readonly<Record<string, { max: number; eps: number; smallest_normal: number; bits: number }>>;
  readonly numbers: readonly {
    readonly expression: string;
    readonly x: string;
    readonly once: Readonly<Record<FormatName, string>>;
    readonly torch: Readonly<Partial<Record<FormatName, string>>>;
  }[];
}
const golden = goldenJson<Golden>('formats.json');

describe('what is typed', () => {
  for (const { expression, x } of golden.numbers) {
    test(`${expression} is Python's double`, () => {
      expect(evaluate(expression, 'float16').value).toBe(doubleFromHex(x));
    });
  }

  test('hex and binary are patterns of the selected format', () => {
    expect(evaluate('0x7bff', 'float16')).toEqual({ value: 65504, pattern: 0x7bff });
    expect(evaluate('0x7e', 'float8_e4m3fn')).toEqual({ value: 448, pattern: 0x7e });
    expect(evaluate('0b0_11111_0000000000', 'float16').value).toBe(Infinity);
    expect(evaluate('0x7e01', 'float16')).toEqual({ value: Number.NaN, pattern: 0x7e01 });
  });

  test('tf32 is written as the float32 that holds it', () => {
    // 1/3 in tf32 is 1.0101010101 * 2^-2: float32 0x3eaaa000
    expect(hexOf(round(1 / 3, 'tf32').bits, formats.tf32)).toBe('0x3eaaa000');
    expect(evaluate('0x3eaaa000', 'tf32').value).toBe(0.333251953125);
    expect(() => evaluate('0x3eaaaaab', 'tf32')).toThrow(/last 13 are not zero/);
    expect(hexOf(0x7b, formats.float8_e5m2)).toBe('0x7b');
  });

  test('a format’s name rounds to it', () => {
    expect(evaluate('float16(0.1)', 'float32').value).toBe(0.0999755859375);
    expect(evaluate('bfloat16(257)', 'float16').value).toBe(256);
    expect(evaluate('torch.float8_e4m3fn(1e6)', 'float16').value).toBe(448);
  });

  test('2^-24 is 2**-24, and typographic signs are read', () => {
    expect(evaluate('2^-24', 'float16').value).toBe(2 ** -24);
    expect(evaluate('−3 × 2', 'float16').value).toBe(-6);
    expect(evaluate('-∞', 'float16').value).toBe(-Infinity);
  });

  for (const [text, message] of [
    ['', /Type a number/],
    ['1 +', /missing at the end/],
    ['(1', /not closed/],
    ['1 2', /“2” at column 3/],
    ['1/0', /ZeroDivisionError/],
    ['sin(1)', /“sin” is not known/],
    ['sqrt', /needs brackets/],
    ['sqrt(1, 2)', /takes one/],
    ['$', /“\$” at column 1/],
    ['0x10000', /more than the 16 bits of float16/],
    ['__proto__', /not known/],
    ['constructor', /not known/],
    ['1'.repeat(201), /longer than 200/],
  ] as const) {
    test(`${text.slice(0, 20) || 'nothing'} is refused, and says why`, () => {
      expect(() => evaluate(text, 'float16')).toThrow(message);
    });
  }
});

describe('rounding', () => {
  for (const { expression, x, once, torch } of golden.numbers) {
    test(`${expression} in every format, once and as PyTorch casts it`, () => {
      for (const name of ORDER) {
        const got = round(doubleFromHex(x), name);
        if (Number.isNaN(doubleFromHex(x))) {
          expect(got.value).toBeNaN();
          continue;
        }
        expect(got.bits.toString(16), name).toBe(once[name]);
        if (torch[name] === undefined) continue;
        expect((got.throughFloat32?.bits ?? got.bits).toString(16), `${name} in PyTorch`).toBe(torch[name]);
      }
    });
  }

  test('some numbers differ between one rounding and PyTorch’s two', () => {
    // 65519.999 is below the tie at 65520; float32 has only 65519.99609375 and 65520 there.
    const got = round(65519.999, 'float16');
    expect(got.value).toBe(65504);
    expect(got.throughFloat32).toEqual({ first: 65520, value: Infinity, bits: 0x7c00 });
  });

  test('kinds and events at the edges of float16 and the eight-bit formats', () => {
    const say = (x: number, name: FormatName) => {
      const { value, kind, event } = round(x, name);
      return [value, kind, event];
    };
    expect(say(65519.99, 'float16')).toEqual([65504, 'normal', 'rounded']);
    expect(say(65520, 'float16')).toEqual([Infinity, 'infinity', 'overflow']);
    expect(say(-65520, 'float16')).toEqual([-Infinity, 'infinity', 'overflow']);
    expect(say(2 ** -24, 'float16')).toEqual([2 ** -24, 'subnormal', 'exact']);
    expect(say(2 ** -25, 'float16')).toEqual([0, 'zero', 'underflow']);
    expect(say(1e-8, 'float16')).toEqual([0, 'zero', 'underflow']);
    expect(say(1.001, 'bfloat16')).toEqual([1, 'normal', 'rounded']);
    expect(say(257, 'bfloat16')).toEqual([256, 'normal', 'rounded']);
    expect(say(2049, 'float16')).toEqual([2048, 'normal', 'rounded']);
    expect(say(464, 'float8_e4m3fn')).toEqual([448, 'normal', 'rounded']);
    expect(say(464.1, 'float8_e4m3fn')).toEqual([448, 'normal', 'saturated']);
    expect(say(Infinity, 'float8_e4m3fn')).toEqual([448, 'normal', 'saturated']);
    expect(say(Infinity, 'float16')).toEqual([Infinity, 'infinity', 'exact']);
    expect(say(0, 'float16')).toEqual([0, 'zero', 'exact']);
    expect(say(Number.NaN, 'float8_e4m3fn')).toEqual([Number.NaN, 'nan', 'nan']);
  });

  test('neighbours, ulp and error of 0.1 in float16', () => {
    // numpy: nextafter(float16(0.1), ±inf) = 0.0999 and 0.10004, spacing 6.104e-05
    const got = round(0.1, 'float16');
    expect(got.below).toBe(0.09991455078125);
    expect(got.above).toBe(0.10003662109375);
    expect(got.ulp).toBe(2 ** -14);
    expect(got.error).toBeCloseTo(0.0999755859375 - 0.1, 20);
    expect([got.sign, got.exponentField, got.exponent, got.significandField]).toEqual([0, 11, -4, 614]);
  });

  test('PyTorch’s finfo of each dtype', () => {
    for (const [name, { max, eps, smallest_normal, bits }] of Object.entries(golden.finfo)) {
      const format = formats[name as FormatName];
      expect([format.max, format.eps, format.smallestNormal, format.bits]).toEqual([max, eps, smallest_normal, bits]);
    }
  });

  test('toggling a bit twice gives the pattern again, and bit 31 of a float32 is its sign', () => {
    for (let i = 0; i < 32; i++) expect(toggleBit(toggleBit(0x3dcccccd, i), i)).toBe(0x3dcccccd);
    expect(fromBits(toggleBit(0x3f800000, 31), formats.float32)).toBe(-1);
  });

  test('significant bits by octave: 11 in float16’s normal range, one fewer an octave below it, none outside', () => {
    expect([16, 15, 0, -14, -15, -24, -25].map((k) => bitsAt(k, formats.float16))).toEqual([0, 11, 11, 11, 10, 1, 0]);
    expect([9, 8, -6, -9, -10].map((k) => bitsAt(k, formats.float8_e4m3fn))).toEqual([0, 4, 4, 1, 0]);
  });
});

test('exact decimals: every digit of a double', () => {
  // Python: Decimal(float)
  expect(exactDecimal(0.1)).toBe('0.1000000000000000055511151231257827021181583404541015625');
  expect(exactDecimal(2 ** -24)).toBe('0.000000059604644775390625');
  expect(exactDecimal(-65504)).toBe('-65504');
  expect(exactDecimal(1.5)).toBe('1.5');
  expect(exactDecimal(2 ** 70)).toBe('1180591620717411303424');
  expect([65504, 2 ** -24, -0, 1e300, 0.0001].map(shortest)).toEqual([
    '65504',
    '5.960464477539063e-8',
    '-0',
    '1e300',
    '0.0001',
  ]);
});

test('only a tie is half an ulp', () => {
  // 65519.99 is 15.99 above 65504, whose ulp is 32.
  expect([0.5, 15.99 / 32, 15.9999 / 32, 0.4].map(ulps)).toEqual(['0.5', '0.4997', '0.499997', '0.4']);
});

test('every value has an address, and the address gives it back', () => {
  for (const text of [
    '65519.99',
    '2**-24',
    '1/3',
    '1 + 0.001',
    'inf',
    '0x7e01',
    '-0',
    'float16(0.1) + 1',
    '100%3',
    'é&f=x#',
  ]) {
    for (const format of ORDER) expect(placeOf(hashOf({ text, format }))).toEqual({ text, format });
  }
  expect(hashOf({ text: '2**-24', format: 'float16' })).toBe('#v=2**-24&f=float16');
  expect(placeOf('#v=1%2F3')).toEqual({ text: '1/3', format: 'float16' });
  expect(placeOf('#v=1&f=float99')).toEqual({ text: '1', format: 'float16' });
  expect(placeOf('#the-six-formats')).toBeUndefined();
});
