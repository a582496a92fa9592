/**
 * What may be typed into the explorer: a number or an expression in Python's syntax, evaluated in doubles as Python evaluates floats.
 * Also: a bit pattern (0x7c00, 0b01111100), read in the selected format; `2^-24` for `2**-24`; and each format's name as a function that rounds
 * to it: `float16(0.1) + float16(0.2)`.
 */
import { type FormatName, formats, fromBits, roundToFormat } from '@/engine/formats/float-format';
import { bitsOfHex } from './rounding';

/** A value, and the pattern where one was typed (it may be a NaN with a payload, which the value alone doesn't tell). */
export interface Typed {
  readonly value: number;
  readonly pattern?: number;
}

/** Its message is for people: what is wrong, and where (1-based column). */
export class ExpressionError extends Error {}

const CONSTANTS: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
  pi: Math.PI,
  e: Math.E,
};

type Call = { readonly arity: readonly [number, number]; readonly run: (...args: number[]) => number };
const FUNCTIONS: Readonly<Record<string, Call>> = {
  abs: { arity: [1, 1], run: Math.abs },
  sqrt: { arity: [1, 1], run: Math.sqrt },
  exp: { arity: [1, 1], run: Math.exp },
  log: { arity: [1, 1], run: Math.log },
  log2: { arity: [1, 1], run: Math.log2 },
  min: { arity: [1, 99], run: Math.min },
  max: { arity: [1, 99], run: Math.max },
  ...Object.fromEntries(
    Object.values(formats).map((format) => [
      format.name,
      { arity: [1, 1] as const, run: (x: number) => roundToFormat(x, format) },
    ]),
  ),
};

interface Token {
  readonly kind: 'number' | 'name' | 'operator' | 'end';
  readonly text: string;
  readonly at: number;
}

const NUMBER = /^(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/;
const NAME = /^[A-Za-z_][A-Za-z0-9_.]*/;
const OPERATOR = /^(?:\*\*|\/\/|[-+*/%^(),])/;

/** Longest text that is read. */
export const MAX_LENGTH = 200;

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest);
    if (space) {
      at += space[0].length;
      continue;
    }
    const [kind, match] =
      (
        [
          ['number', NUMBER.exec(rest)],
          ['name', NAME.exec(rest)],
          ['operator', OPERATOR.exec(rest)],
        ] as const
      ).find(([, m]) => m !== null) ?? (['end', null] as const);
    if (!match) throw new ExpressionError(`“${rest[0]}” at column ${at + 1} means nothing here`);
    found.push({ kind, text: match[0], at });
    at += match[0].length;
  }
  found.push({ kind: 'end', text: '', at });
  return found;
}

/** Signs and spaces as people paste them. */
const plain = (text: string): string =>
  text
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/[×·]/g, '*')
    .replace(/∞/g, 'inf')
    .trim();

const PATTERN = /^0[xX][0-9a-fA-F_]+$|^0[bB][01_]+$/;

/** A pattern as it may be typed, or undefined. */
export const isPattern = (text: string): boolean => PATTERN.test(plain(text));

function readPattern(text: string, name: FormatName): Typed {
  const format = formats[name];
  const digits = text.slice(2).replaceAll('_', '');
  const pattern = bitsOfHex(Number.parseInt(digits, /^0x/i.test(text) ? 16 : 2), format);
  if (pattern === undefined) {
    throw new ExpressionError(
      name === 'tf32'
        ? `${text} is no tf32: it has more than 32 bits, or the last 13 are not zero`
        : `${text} has more than the ${format.bits} bits of ${name}; choose a wider format first`,
    );
  }
  return { value: fromBits(pattern, format), pattern };
}

/** Evaluates what was typed. Throws an ExpressionError. */
export function evaluate(typed: string, format: FormatName): Typed {
  const text = plain(typed);
  if (text === '') throw new ExpressionError('Type a number, 1/3 say, or a bit pattern, 0x7c00 say');
  if (text.length > MAX_LENGTH) throw new ExpressionError(`That is longer than ${MAX_LENGTH} characters`);
  if (PATTERN.test(text)) return readPattern(text, format);
  const all = tokens(text);
  let at = 0;
  const peek = () => all[at];
  const take = (...operators: readonly string[]): string | undefined => {
    const token = all[at];
    if (token.kind !== 'operator' || !operators.includes(token.text)) return undefined;
    at += 1;
    return token.text;
  };
  const unexpected = (token: Token): ExpressionError =>
    new ExpressionError(
      token.kind === 'end'
        ? 'Something is missing at the end'
        : `“${token.text}” at column ${token.at + 1} is not expected there`,
    );

  const sum = (): number => {
    let left = product();
    for (let op = take('+', '-'); op; op = take('+', '-')) left = op === '+' ? left + product() : left - product();
    return left;
  };
  const product = (): number => {
    let left = unary();
    for (let op = take('*', '/', '//', '%'); op; op = take('*', '/', '//', '%')) left = multiply(op, left, unary());
    return left;
  };
  const unary = (): number => {
    const sign = take('-', '+');
    if (sign) return sign === '-' ? -unary() : unary();
    return power();
  };
  // As in Python: ** binds tighter than a sign on its left, looser than one on its right, and to the right: 2**3**2 is 2**9.
  const power = (): number => {
    const base = atom();
    return take('**', '^') ? raise(base, unary()) : base;
  };
  const atom = (): number => {
    const token = peek();
    at += 1;
    if (token.kind === 'number') return Number(token.text.replaceAll('_', ''));
    if (token.kind === 'name') return named(token);
    if (token.kind === 'operator' && token.text === '(') {
      const inner = sum();
      close();
      return inner;
    }
    throw unexpected(token);
  };
  const close = (): void => {
    if (!take(')')) throw peek().kind === 'end' ? new ExpressionError('A bracket is not closed') : unexpected(peek());
  };
  const named = (token: Token): number => {
    const name = token.text.replace(/^(?:math|torch|np|numpy)\./, '');
    const constant = Object.hasOwn(CONSTANTS, name.toLowerCase()) ? CONSTANTS[name.toLowerCase()] : undefined;
    if (constant !== undefined) return constant;
    const call = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!call) {
      throw new ExpressionError(
        `“${token.text}” is not known; known are inf, nan, pi, e, ${Object.keys(FUNCTIONS).join(', ')}`,
      );
    }
    if (!take('(')) throw new ExpressionError(`${name} needs brackets: ${name}(2)`);
    const args = [sum()];
    while (take(',')) args.push(sum());
    close();
    if (args.length < call.arity[0] || args.length > call.arity[1])
      throw new ExpressionError(`${name} takes one number`);
    return call.run(...args);
  };

  const value = sum();
  if (peek().kind !== 'end') throw unexpected(peek());
  return { value };
}

function multiply(op: string, a: number, b: number): number {
  if (op === '*') return a * b;
  if (b === 0)
    throw new ExpressionError('Division by zero: Python raises ZeroDivisionError; write inf or nan if you mean that');
  if (op === '/') return a / b;
  // Python rounds the quotient down and gives the remainder the divisor's sign.
  const remainder = a % b;
  const signed = remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
  return op === '%' ? signed : Math.round((a - signed) / b);
}

/** Powers of ten through their decimal literal, which is correctly rounded; Math.pow may be one ulp off. */
function raise(base: number, exponent: number): number {
  if (base === 10 && Number.isInteger(exponent) && Math.abs(exponent) < 400) return Number(`1e${exponent}`);
  return base ** exponent;
}
