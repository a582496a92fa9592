/**
 * What an exercise is. A folder under exercises/ holds exercise.ts (this schema), exercise.mdx (the prompt), starter.py, solution.py and
 * mistakes/*.py; nothing else has to change to add one. `npm run exercise -- check <slug>` proves the folder.
 */
import type { Arbitrary } from 'fast-check';
import type { PyValue, TraceEvent } from '../../engine/session/session';
import type { Counterexample } from './compare';

export interface Task {
  readonly id: string;
  readonly title: string;
}

/** What one call of a learner's function did. */
export type Outcome =
  | { readonly kind: 'returned'; readonly value: PyValue; readonly argumentsAfter: readonly PyValue[] }
  | { readonly kind: 'raised'; readonly type: string; readonly message: string; readonly line: number | null };

export interface Call {
  readonly function: string;
  readonly arguments: readonly PyValue[];
  /**
   * 'call' calls the function. 'backward' calls it with its first argument requiring grad, backpropagates the last argument through the
   * result, and gives that gradient.
   */
  readonly mode?: 'call' | 'backward';
  /**
   * Python source that defines `scenario(namespace, *arguments)`. It is run in place of calling `function`, with the learner's names as a dict,
   * and what it returns is the outcome: the place for models, optimizers and hooks, which can't be passed as values. It runs under the
   * same clock and trace as the learner's code; a fault of its own looks like the learner's, with no line.
   */
  readonly scenario?: string;
  /** The call as the learner reads it, where `function(arguments)` would not say it. */
  readonly shown?: string;
}

/** Why a check failed. Everything that the learner sees is here. */
export interface Finding {
  /** One or two sentences: what was expected of what, in the learner's words. */
  readonly message: string;
  readonly counterexample?: Counterexample;
  /** Line of the learner's code, where known. */
  readonly line?: number | null;
}

/** A plot of what an attempt reached for what it paid, among the best that is possible. Both axes count downwards: less is better. */
export interface ParetoFigure {
  readonly kind: 'pareto';
  readonly title: string;
  /** What is paid, in words: "operations in float32". Whole numbers. */
  readonly cost: string;
  /** What is left, in words: "largest error of a row’s loss". Positive numbers, drawn on a logarithmic axis. */
  readonly error: string;
  /** The error that has to be reached. */
  readonly target: number;
  /** The smallest error at each cost, by ascending cost. */
  readonly frontier: readonly { readonly cost: number; readonly error: number }[];
  /** Infinite where the attempt gave inf or NaN. */
  readonly attempt: { readonly cost: number; readonly error: number };
}

/** A check whose question does not arise yet: it neither passes nor fails. */
export interface NotTried {
  /** What has to hold first, in one sentence. */
  readonly notTried: string;
}

export interface CheckContext {
  /** Calls of the learner's functions, many in one round trip; inputs are checked for damage by the kit. */
  call(calls: readonly Call[]): Promise<readonly Outcome[]>;
  /**
   * Draws `runs` inputs, calls the learner's code on all of them in one round trip, and where one fails shrinks it to the smallest failing
   * input. `judge` is pure: it says what is wrong with an outcome, or nothing.
   */
  forAll<T>(property: {
    readonly inputs: Arbitrary<T>;
    /** Always tried first, in this order: the boundaries that must not depend on luck. */
    readonly examples?: readonly T[];
    readonly runs: number;
    readonly call: (input: T) => Call;
    readonly judge: (input: T, outcome: Outcome) => Finding | null;
  }): Promise<Finding | null>;
  /** One call in a round trip of its own, with the events of just that call (a scenario's own ops among them). */
  traced(call: Call): Promise<{ readonly outcome: Outcome; readonly trace: readonly TraceEvent[] }>;
  /** Shows a figure with the verdict, whether the check passes or not. The last one counts. */
  show(figure: ParetoFigure): void;
  /** Ops recorded while the learner's functions ran so far. */
  trace(): readonly TraceEvent[];
}

export interface Check {
  readonly id: string;
  readonly task: string;
  /** A claim: "Logits near the end of the range give finite probabilities". */
  readonly title: string;
  /** The rule behind the tolerance, shown with a failure: which results are legal, and why. */
  readonly rule: string;
  readonly run: (context: CheckContext) => Promise<Finding | NotTried | null>;
}

/** A known wrong solution: mistakes/<name>.py must fail `fails`, and learners whose bits equal its bits see `message`. */
export interface Mistake {
  readonly fails: string;
  readonly message: string;
  /** What Exercise.signature gives for it, where the exercise has one. The gate proves it, by running the mistake. */
  readonly signature?: string;
}

export interface ForbiddenOps {
  /** Names of op records whose use is not the learner's own work. A scenario's ops count too. */
  readonly ops: readonly string[];
  /** Modules and built-ins that `functions` and what they call may not use, under any alias. (Code outside of them may.) */
  readonly names?: readonly string[];
  readonly message: string;
}

/** A step of the way to the solution. Shown one after the other, so that a learner can stop where they can go on alone. */
export interface Stage {
  readonly title: string;
  /** Why this step, in one to three sentences: what it repairs, and why not otherwise. */
  readonly why: string;
  /** Lines of solution.py, verbatim and without a gap (the gate looks). All stages together hold every line of the functions that the starter lacks. */
  readonly code: string;
}

export interface Exercise {
  readonly title: string;
  readonly summary: string;
  readonly kind: 'implement' | 'repair' | 'order' | 'find' | 'defend' | 'break' | 'golf';
  /** Honest minutes for someone who has read the lesson. */
  readonly minutes: number;
  readonly level: 'warm-up' | 'interview' | 'hard';
  /** Slugs of the lessons whose subject it needs, the closest first. */
  readonly prerequisites: readonly string[];
  readonly teaches: readonly string[];
  /** Raise when the starter or the checks change so that old drafts may no longer fit. */
  readonly version: number;
  /** Functions that the learner's code must define. */
  readonly functions: readonly string[];
  readonly tasks: readonly Task[];
  /** One at a time, from a nudge to the idea; never the code. */
  readonly hints: readonly string[];
  readonly checks: readonly Check[];
  readonly forbidden?: ForbiddenOps;
  readonly mistakes: Readonly<Record<string, Mistake>>;
  /** Inputs on which outputs are fingerprinted: enough that two mistakes never look the same. */
  readonly probes: readonly Call[];
  /** In place of probes: what learners' code is recognised by, from calls that the checks have made already. */
  readonly signature?: (context: CheckContext) => Promise<string>;
  /** The solution in stages, in the order in which one would arrive at it. */
  readonly stages: readonly Stage[];
  /** What an interviewer asks next, with the answer (folded until it is opened). */
  readonly followUps: readonly { readonly question: string; readonly answer: string }[];
}

/** The same object, checked: ids are unique, every check names a task, every mistake names a check. */
export function defineExercise(exercise: Exercise): Exercise {
  const tasks = new Set(exercise.tasks.map((t) => t.id));
  const checks = new Set<string>(RESERVED_CHECKS);
  for (const check of exercise.checks) {
    if (checks.has(check.id))
      throw new Error(`exercise "${exercise.title}": check id "${check.id}" is used twice or reserved`);
    checks.add(check.id);
    if (!tasks.has(check.task))
      throw new Error(`exercise "${exercise.title}": check "${check.id}" names no task ("${check.task}")`);
  }
  for (const [name, mistake] of Object.entries(exercise.mistakes)) {
    if (!checks.has(mistake.fails))
      throw new Error(`exercise "${exercise.title}": mistake "${name}" names no check ("${mistake.fails}")`);
  }
  return exercise;
}

/** Checks that the kit itself makes for every exercise. */
export const RESERVED_CHECKS = ['runs', 'defines', 'inputs-kept', 'own-work'] as const;
