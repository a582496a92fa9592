/**
 * Comparing a learner's result with the legal ones. Type, shape and dtype come before values, so that a broadcast never hides a wrong shape; a
 * value is legal if it lies within the slack that the check derived from roundings, and the first bad element is shown with its bits.
 */
import { formats, fromBits, toBits, ulpDistance } from '../../engine/formats/float-format';
import type { Call, Finding, Outcome } from './schema';
import { type Floating, hex, isFloatingTensor, pythonLiteral, tensorBits, tensorNumbers } from './values';

export interface Expected {
  readonly dtype: Floating;
  readonly shape: readonly number[];
  /** Exact values in doubles, row-major. NaN asks for NaN. */
  readonly exact: readonly number[];
  /** |got - exact| that is still legal, for each element. */
  readonly slack: readonly number[];
}

export const expectTensor = (
  dtype: Floating,
  shape: readonly number[],
  exact: readonly number[],
  slack: readonly number[],
): Expected => ({ dtype, shape, exact, slack });

export interface ValueBits {
  readonly text: string;
  /** Bit pattern in hex, no prefix. */
  readonly bits: string;
  readonly dtype: Floating;
}

/** The smallest failing input, and what went wrong on it. */
export interface Counterexample {
  /** The call as Python that can be pasted. */
  readonly call: string;
  /** First bad element; empty for a 0-dim result or where the fault isn't in a value. */
  readonly index?: readonly number[];
  readonly expected?: ValueBits;
  readonly got?: ValueBits;
  /** Representable values between expected and got; absent where either isn't finite. */
  readonly ulps?: number;
  /** Whole result, as text. */
  readonly result?: string;
}

export function callText(call: Call): string {
  if (call.shown !== undefined) return call.shown;
  const text = `${call.function}(${call.arguments.map(pythonLiteral).join(', ')})`;
  return call.mode === 'backward'
    ? `gradient of ${text.replace(/, torch\.tensor\([^)]*\)\)$/, ')')} for grad_output ${pythonLiteral(call.arguments.at(-1) as never)}`
    : text;
}

const shapeText = (shape: readonly number[]): string => `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;

/** What is wrong with an outcome that should be a tensor of `expected`; null where it is legal. `name`: what it is, where not the result. */
export function compareTensor(call: Call, outcome: Outcome, expected: Expected, name?: string): Finding | null {
  const at = callText(call);
  if (outcome.kind === 'raised') {
    return {
      message: `It raised ${outcome.type}: ${outcome.message}`,
      line: outcome.line,
      counterexample: { call: at },
    };
  }
  const got = outcome.value;
  const subject = name ?? (call.mode === 'backward' ? 'The gradient' : 'The result');
  if (got.kind === 'none') {
    const why =
      call.mode === 'backward'
        ? 'No gradient reached x: is it cut out of the graph?'
        : 'It returned None: is there a return?';
    return { message: why, counterexample: { call: at } };
  }
  if (got.kind !== 'tensor')
    return { message: `${subject} should be a tensor, but is ${pythonLiteral(got)}.`, counterexample: { call: at } };
  if (got.shape.join() !== expected.shape.join()) {
    return {
      message: `${subject} has shape ${shapeText(got.shape)}, expected ${shapeText(expected.shape)}.`,
      counterexample: { call: at },
    };
  }
  if (got.dtype !== expected.dtype || !isFloatingTensor(got)) {
    return { message: `${subject} has dtype ${got.dtype}, expected ${expected.dtype}.`, counterexample: { call: at } };
  }
  const values = tensorNumbers(got);
  const bits = tensorBits(got);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const exact = expected.exact[i] as number;
    const legal = Number.isNaN(exact)
      ? Number.isNaN(value)
      : value === exact || Math.abs(value - exact) <= (expected.slack[i] as number);
    if (legal) continue;
    const format = formats[expected.dtype];
    const wanted = toBits(exact, format);
    return {
      message: Number.isFinite(value)
        ? `${subject} is off by more than rounding allows.`
        : `${subject} is ${numberText(value)} where ${numberText(exact)} is representable.`,
      counterexample: {
        call: at,
        index: unravel(i, expected.shape),
        expected: { text: numberText(exact), bits: hex(wanted, expected.dtype), dtype: expected.dtype },
        got: { text: numberText(value), bits: hex(bits[i] as number, expected.dtype), dtype: expected.dtype },
        ...(Number.isFinite(value) && Number.isFinite(exact)
          ? { ulps: ulpDistance(fromBits(wanted, format), value, format) }
          : {}),
        result: `[${values.map(numberText).join(', ')}]`,
      },
    };
  }
  return null;
}

export const numberText = (x: number): string => {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  return Math.abs(x) >= 1e-4 && Math.abs(x) < 1e6
    ? String(Number(x.toPrecision(6)))
    : x === 0
      ? Object.is(x, -0)
        ? '-0'
        : '0'
      : x.toExponential(4);
};

function unravel(flat: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  for (let d = shape.length - 1; d >= 0; d--) {
    const n = shape[d] as number;
    index.unshift(flat % n);
    flat = Math.floor(flat / n);
  }
  return index;
}
