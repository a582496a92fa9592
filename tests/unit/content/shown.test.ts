/** The rule between a number in prose and its value: strict enough to catch a wrong digit. */
import { describe, expect, test } from 'vitest';
import { disagreement } from '../../../app/content/witness/shown';
import { elementsOf, elementsWithBits, pythonFloat } from '../../../app/content/witness/value';
import type { PyValue } from '../../../engine/session/session';

const float = (value: number | string): PyValue => ({ kind: 'number', type: 'float', value });
const tensor = (dtype: string, bits: string): PyValue => ({
  kind: 'tensor',
  dtype,
  shape: bits.includes(' ') ? [bits.split(' ').length] : [],
  device: 'cpu',
  bits,
});

const agree: readonly (readonly [string, PyValue])[] = [
  ['65504', float(65504)],
  ['65,504', float(65504)],
  ['about 65,500', float(65504)],
  ['−65504', float(-65504)],
  ['0.731', float(0.73105857863)],
  ['6.104e-5', float(2 ** -14)],
  ['6.10 × 10⁻⁵', float(2 ** -14)],
  ['6.10 \\times 10^{-5}', float(2 ** -14)],
  ['2^-24', float(2 ** -24)],
  ['2^{-24}', float(2 ** -24)],
  ['2⁻²⁴', float(2 ** -24)],
  ['(2 − 2^-10) × 2^15', float(65504)],
  ['1/3', float(1 / 3)],
  ['5.96e-8', float(2 ** -24)],
  ['0.333…', float(2 / 6)],
  ['0.666…', float(2 / 3)],
  ['485 million', float(485165195)],
  ['73.1%', float(0.73105857863)],
  ['0.5', float(0.5)],
  ['about 0.3', float(0.26894)],
  ['inf', float('inf')],
  ['infinity', float('inf')],
  ['-inf', float('-inf')],
  ['minus infinity', float('-inf')],
  ['NaN', float('nan')],
  ['0', float(0)],
  ['zero', float(0)],
  ['2048', { kind: 'number', type: 'int', value: 2048 }],
  ['True', { kind: 'number', type: 'bool', value: 1 }],
  ['torch.float32', { kind: 'other', repr: 'torch.float32' }],
  ['float32', { kind: 'other', repr: 'torch.float32' }],
  ['inf', tensor('float16', '7c00')],
  ['65504', tensor('float16', '7bff')],
  ['0.731 and 0.269', tensor('float16', '39d9 344e')],
  ['[0.7310, 0.2690]', tensor('float16', '39d9 344e')],
  ['65,504 and 1', tensor('float16', '7bff 3c00')],
];

const disagree: readonly (readonly [string, PyValue])[] = [
  ['65505', float(65504)],
  ['65,500', float(65504)],
  ['65504', float(65504.25)],
  ['about 65,600', float(65504)],
  ['655O4', float(65504)],
  ['-65504', float(65504)],
  ['0.732', float(0.73105857863)],
  ['0.730', float(0.73105857863)],
  ['6.105e-5', float(2 ** -14)],
  ['6.104e-4', float(2 ** -14)],
  ['6.104', float(2 ** -14)],
  ['2^-25', float(2 ** -24)],
  ['about 2^-24', float(2 ** -24)],
  ['1/3', float(0.333251953125)],
  ['0.667…', float(2 / 3)],
  ['486 million', float(485165195)],
  ['73.2%', float(0.73105857863)],
  ['0', float(2 ** -24)],
  ['0.0', float(2 ** -24)],
  ['about 0', float(2 ** -24)],
  ['1', float(0.9995)],
  ['0.3', float(0.26894)],
  ['1e-8', float(1.0012e-8)],
  ['inf', float(65504)],
  ['inf', float('-inf')],
  ['65504', float('inf')],
  ['NaN', float('inf')],
  ['0', float('nan')],
  ['False', { kind: 'number', type: 'bool', value: 1 }],
  ['float16', { kind: 'other', repr: 'torch.float32' }],
  ['0.731 and 0.268', tensor('float16', '39d9 344e')],
  ['0.731', tensor('float16', '39d9 344e')],
  ['0.269 and 0.731', tensor('float16', '39d9 344e')],
];

describe('a number in prose', () => {
  for (const [shown, value] of agree) {
    test(`"${shown}" agrees with ${elementsOf(value).map((element) => element.text)}`, () => {
      expect(disagreement(shown, value)).toBeUndefined();
    });
  }
  for (const [shown, value] of disagree) {
    test(`"${shown}" does not agree with ${elementsOf(value).map((element) => element.text)}`, () => {
      expect(disagreement(shown, value)).toMatch(/^got /);
    });
  }
  test('every changed digit of 0.73095703125 is caught', () => {
    const text = '0.73095703125';
    for (let i = 2; i < text.length; i++) {
      for (const digit of '0123456789') {
        if (digit === text[i]) continue;
        const wrong = `${text.slice(0, i)}${digit}${text.slice(i + 1)}`;
        expect(disagreement(wrong, float(0.73095703125)), wrong).toBeDefined();
      }
    }
  });
});

test('floats are written as Python writes them', () => {
  // repr() of CPython for each
  expect([65504, 2 ** -24, 1e16, 0.0001, 1e-5, -0, 1e22, 0.1].map(pythonFloat)).toEqual([
    '65504.0',
    '5.960464477539063e-08',
    '1e+16',
    '0.0001',
    '1e-05',
    '-0.0',
    '1e+22',
    '0.1',
  ]);
});

test('a Python float has the bits of the one dtype that its expression names', () => {
  expect(elementsWithBits(float(65504), 'torch.finfo(torch.float16).max')).toMatchObject([
    { format: 'float16', bits: 0x7bff },
  ]);
  // Not a float16 value, or two dtypes named: no bits.
  expect(elementsWithBits(float(0.1), 'float(torch.tensor(0.1, dtype=torch.float16))')[0].bits).toBeUndefined();
  expect(
    elementsWithBits(float(1), 'torch.finfo(torch.float16).eps / torch.finfo(torch.bfloat16).eps')[0].bits,
  ).toBeUndefined();
});
