/**
 * The rule that a number in prose must keep.
 *
 * - A whole number, a single digit, zero, and arithmetic (2^-24, (2 - 2^-10) × 2^15, 1/3) are exact: the value is that number.
 * - Any other decimal is the value rounded to the digits that are shown: 0.731, 6.104e-5, 6.1 × 10⁻⁵, 485 million, 73.1%.
 *   With "…" behind it the digits are cut off instead of rounded.
 * - "about", "roughly", "≈" or "~" in front lets a single digit be rounded, and trailing zeros of a whole number count as not shown:
 *   about 65,500.
 * - inf, nan, True, a dtype or a text is what Python prints. Several values are separated by ", " or "and", with or without brackets.
 */
import type { PyValue } from '@/engine/session/session';
import { type Element, elementsOf } from './value';

const WORDS: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '∞': Number.POSITIVE_INFINITY,
  infinite: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};
const MULTIPLES: Readonly<Record<string, number>> = { thousand: 3, million: 6, billion: 9, trillion: 12 };
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Typography and TeX to plain ASCII. */
function plain(text: string): string {
  return text
    .replace(/[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (run) => {
      const digits = [...run]
        .map((c) => (c === '⁻' ? '-' : c === '⁺' ? '+' : String(SUPERSCRIPTS.indexOf(c))))
        .join('');
      return `^${digits}`;
    })
    .replace(/\\(?:times|cdot)|[×·]/g, '*')
    .replace(/\\infty/g, '∞')
    .replace(/\\approx/g, '≈')
    .replace(/\\[,;: ]|[\u00a0\u2009\u202f]/g, ' ')
    .replace(/[\u2212\u2011\u2013]/g, '-')
    .replace(/\{([^{}]*)\}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

const DECIMAL =
  /^([+-]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+)| ?\* ?10 ?\^ ?\(?([+-]?\d+)\)?)?(…|\.\.\.)?(?: (thousand|million|billion|trillion)| ?(%))?$/;

/** Arithmetic with + - * / ^ and brackets, in doubles; undefined if the text is none. */
function arithmetic(text: string): number | undefined {
  const tokens = text.match(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[-+*/^()]/g) ?? [];
  if (tokens.join('') !== text.replaceAll(' ', '') || !/[-+*/^]/.test(text)) return undefined;
  let at = 0;
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = signed();
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * signed() : value / signed();
    return value;
  };
  const signed = (): number => {
    if (tokens[at] !== '-' && tokens[at] !== '+') return power();
    return tokens[at++] === '-' ? -signed() : signed();
  };
  const power = (): number => {
    const base = atom();
    if (tokens[at] !== '^') return base;
    at++;
    return base ** signed();
  };
  const atom = (): number => {
    const token = tokens[at++];
    if (token !== '(') return Number(token);
    const value = sum();
    return tokens[at++] === ')' ? value : Number.NaN;
  };
  const value = sum();
  return at === tokens.length && !Number.isNaN(value) ? value : undefined;
}

/** A finite double as an exact fraction of BigInts: n / 2^k. */
function exactly(x: number): { n: bigint; k: number } {
  let k = 0;
  let scaled = x;
  // At most 1,074 doublings, each exact.
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    k += 1;
  }
  return { n: BigInt(scaled), k };
}

/**
 * Whether `x` equals digits * 10^exponent, within `slack` halves of the last digit (0: exactly, 1: rounded). `cut`: the digits were cut off,
 * so x may exceed them by less than one unit. Exact arithmetic: a double's own decimals don't blur it.
 */
function agrees(x: number, digits: bigint, exponent: number, rule: 'exact' | 'rounded' | 'cut'): boolean {
  const { n, k } = exactly(x);
  // |n / 2^k - digits * 10^e| against 10^e / 2: everything times 2 * 2^k * 10^max(0, -e).
  const up = 10n ** BigInt(Math.max(0, -exponent));
  const unit = (10n ** BigInt(Math.max(0, exponent))) << BigInt(k);
  const difference = n * up - digits * unit;
  if (rule === 'exact') return difference === 0n;
  if (rule === 'rounded') return 2n * (difference < 0n ? -difference : difference) <= unit;
  const outward = x < 0 ? -difference : difference;
  return outward >= 0n && outward < unit;
}

function elementDisagrees(shown: string, { text, number }: Element): string | undefined {
  const got = `got ${text}`;
  if (shown === text || `torch.${shown}` === text) return undefined;
  if (number === undefined) return got;
  const approximate = /^(?:about|roughly|around|approximately|nearly|some|≈|~) ?/i.exec(shown);
  const rest = shown.slice(approximate?.[0].length ?? 0);
  const negative = /^(?:minus |-)(?=[a-z∞])/i.exec(rest);
  const word = WORDS[rest.slice(negative?.[0].length ?? 0).toLowerCase()];
  if (word !== undefined) {
    const expected = negative ? -word : word;
    return Object.is(expected, number) || expected === number ? undefined : got;
  }
  const decimal = DECIMAL.exec(rest);
  if (!decimal) {
    const exact = arithmetic(rest);
    if (exact === undefined) return `${got}, and the text is no number that can be compared`;
    if (approximate) return `${got}, and arithmetic can't be "${approximate[0].trim()}": write digits`;
    return exact === number ? undefined : got;
  }
  if (!Number.isFinite(number)) return got;
  const [, sign, whole, fraction = '', e, power, cut, multiple, percent] = decimal;
  const digits = BigInt(`${whole.replaceAll(',', '')}${fraction}`) * (sign === '-' ? -1n : 1n);
  const scale = Number(e ?? power ?? 0) + (multiple ? MULTIPLES[multiple] : 0) - (percent ? 2 : 0);
  const exponent = scale - fraction.length;
  if (digits === 0n) return number === 0 ? undefined : got;
  if (cut) return agrees(number, digits, exponent, 'cut') ? undefined : got;
  const significant = String(digits).replace('-', '').length;
  const plainWhole = fraction === '' && scale === 0;
  if (approximate) {
    const zeros = fraction === '' ? (/0*$/.exec(String(digits))?.[0].length ?? 0) : 0;
    return agrees(number, digits / 10n ** BigInt(zeros), exponent + zeros, 'rounded') ? undefined : got;
  }
  if (!plainWhole && significant > 1) return agrees(number, digits, exponent, 'rounded') ? undefined : got;
  if (agrees(number, digits, exponent, 'exact')) return undefined;
  return agrees(number, digits, exponent, 'rounded') ? `${got}: show more digits, or write "about ${rest}"` : got;
}

/** Why the text of the prose is not the value; undefined if it is. */
export function disagreement(shownText: string, value: PyValue): string | undefined {
  const elements = elementsOf(value);
  const shown = plain(shownText);
  if (elements.length === 1) return elementDisagrees(shown, elements[0]);
  const parts = shown
    .replace(/^[[(]|[\])]$/g, '')
    .split(/, and |, | and /)
    .map((part) => part.trim());
  const all = `got [${elements.map((element) => element.text).join(', ')}]`;
  if (parts.length !== elements.length) {
    return `${all}: ${elements.length} values, and the text has ${parts.length}; separate them by ", " or "and"`;
  }
  return parts.some((part, i) => elementDisagrees(part, elements[i]) !== undefined) ? all : undefined;
}
