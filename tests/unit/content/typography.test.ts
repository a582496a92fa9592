import { expect, test } from 'vitest';
import { curl, unbroken } from '@/app/content/typography';

test('quotes open after a space or a bracket and close elsewhere; apostrophes close', () => {
  expect(curl('"A larger scale." He can\'t ("inf").')).toBe('“A larger scale.” He can’t (“inf”).');
});

test('a quote after emphasis or code closes, at the start of a block it opens', () => {
  expect(curl('" he said', 'x')).toBe('” he said');
  expect(curl('"Then', '')).toBe('“Then');
});

test('a product of numbers stays in one line; other crosses may break', () => {
  expect(unbroken('6 × 10⁻⁸ and 0 × inf')).toBe('6\u00a0×\u00a010⁻⁸ and 0 × inf');
});
