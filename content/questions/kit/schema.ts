/**
 * What a prediction generator is: a folder content/questions/<slug>/ with generator.ts (this schema); nothing else has to change to add
 * one. From a seed it makes a short piece of Python and asks what it prints. The right answer is computed by the engine; each wrong one is
 * what somebody with a named misconception would answer, computed from the same parameters.
 */
import type { MisconceptionId } from '../misconceptions';
import type { Random } from './random';
import type { TorchCalls } from './torch-calls';

export interface WrongAnswer<P> {
  /** What somebody who believes this says that the code prints; null where the belief has nothing to say about `p`. */
  readonly answer: (p: P, torch: TorchCalls) => string | null;
  /** Why that is wrong here: one or two sentences, `code` in backticks. The misconception's own name stands above it. */
  readonly because: (p: P) => string;
}

export interface Generator<P> {
  /** Names the skill: "Round a sum". */
  readonly title: string;
  /** One sentence for the list of questions. */
  readonly summary: string;
  /** Slug of the lesson that teaches it. */
  readonly lesson: string;
  /** Draws the parameters. A draw that leaves fewer than three different wrong answers is drawn again. */
  readonly draw: (random: Random) => P;
  /** What is asked beside "What does it print?": one sentence that names what to look at. */
  readonly prompt: (p: P) => string;
  /** The whole script. It prints one line, the answer, and real PyTorch prints the same (tests/golden/data/questions). */
  readonly code: (p: P) => string;
  /** The line that `code` prints, computed by the engine. */
  readonly answer: (p: P, torch: TorchCalls) => string;
  /** Why it is that: one to three sentences, `code` in backticks. */
  readonly why: (p: P, answer: string) => string;
  /** In order of preference: the first three that differ from the answer and from each other become options. */
  readonly misconceptions: Partial<Record<MisconceptionId, WrongAnswer<P>>>;
}

export interface Option {
  readonly text: string;
  /** Absent for the right answer. */
  readonly misconception?: MisconceptionId;
  /** Why this option is right, or what it would take to believe it. */
  readonly because: string;
}

/** A question as it is shown: plain data. */
export interface Question {
  readonly generator: string;
  readonly seed: number;
  readonly prompt: string;
  readonly code: string;
  /** Four, all different; exactly one has no misconception. */
  readonly options: readonly Option[];
}

/** The same generator, with its parameters' type kept to itself. */
export const defineGenerator = <P>(generator: Generator<P>): Generator<P> => generator;
