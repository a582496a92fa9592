/** The inverse question: a trace is shown, and one of a few orders has made it. Which are right is found by running them all. */
import { type KnownId, type KnownOrder, known } from './known-orders';
import { type Outcome, strides, traceOf } from './outcome';

export interface Puzzle {
  readonly hidden: KnownId;
  readonly choices: readonly KnownId[];
}

export const PUZZLES: readonly Puzzle[] = [
  { hidden: 'clip-before-unscale', choices: ['right', 'clip-after-step', 'clip-before-unscale', 'no-step'] },
  { hidden: 'no-zero-grad', choices: ['no-zero-grad', 'two-backwards', 'no-update', 'clip-before-unscale'] },
  { hidden: 'update-before-step', choices: ['no-update', 'step-before-unscale', 'update-before-step', 'no-unscale'] },
  { hidden: 'clip-after-step', choices: ['clip-before-backward', 'right', 'no-clip', 'clip-after-step'] },
  { hidden: 'no-step', choices: ['clip-before-unscale', 'no-step', 'zero-last', 'zero-after-backward'] },
  { hidden: 'no-update', choices: ['update-before-step', 'right', 'step-before-unscale', 'no-update'] },
];

export interface Difference {
  /** From 1. */
  readonly iteration: number;
  readonly what: 'message' | 'scale' | 'norm' | 'parameters';
  readonly shown: string;
  readonly theirs: string;
}

/** The first place where a trace differs from the one that is shown, reading as a person would; undefined: nowhere. */
export function firstDifference(shown: Outcome, theirs: Outcome): Difference | undefined {
  const length = Math.max(shown.iterations.length, theirs.iterations.length);
  for (let i = 0; i < length; i++) {
    const a = shown.iterations[i];
    const b = theirs.iterations[i];
    const iteration = i + 1;
    if (!a || !b)
      return { iteration, what: 'message', shown: ending(shown, iteration), theirs: ending(theirs, iteration) };
    if (normText(a.norm) !== normText(b.norm))
      return { iteration, what: 'norm', shown: normText(a.norm), theirs: normText(b.norm) };
    if (a.scale !== b.scale) return { iteration, what: 'scale', shown: String(a.scale), theirs: String(b.scale) };
    if (a.bits !== b.bits)
      return {
        iteration,
        what: 'parameters',
        shown: String(strides(shown)[i]),
        theirs: String(strides(theirs)[i]),
      };
  }
  if (traceOf(shown) === traceOf(theirs)) return undefined;
  const iteration = length + 1;
  return { iteration, what: 'message', shown: ending(shown, iteration), theirs: ending(theirs, iteration) };
}

function ending({ raised }: Outcome, iteration: number): string {
  return raised?.iteration === iteration ? `${raised.type}: ${raised.message}` : 'goes on';
}

export const normText = (norm: number | undefined): string =>
  norm === undefined
    ? 'none'
    : Number.isFinite(norm)
      ? String(Number(norm.toPrecision(5)))
      : Number.isNaN(norm)
        ? 'nan'
        : 'inf';

export const choicesOf = (puzzle: Puzzle): readonly KnownOrder[] => puzzle.choices.map(known);

/** An answer is right if its order made the very trace that is shown. */
export const isAnswer = (shown: Outcome, theirs: Outcome): boolean => traceOf(shown) === traceOf(theirs);
