/** What an exercise's submissions amount to: progress after each of them, and when the solution may be looked at. */

export interface Attempt {
  readonly slug: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly code: string;
  readonly passed: number;
  readonly total: number;
  /** The script ran to its end. */
  readonly ran: boolean;
  /** Title of the first check that failed. */
  readonly failed?: string;
}

export interface ExerciseProgress {
  readonly slug: string;
  /** When it was first solved; absent until then. */
  readonly solvedAt?: number;
  /** Version of the exercise that was solved. */
  readonly solvedVersion?: number;
  readonly hintsShown: number;
  /** Submissions so far. */
  readonly submitted: number;
  /** The last of them. */
  readonly last?: { readonly at: number; readonly passed: number; readonly total: number };
  /** Hashes of the different codes that ran when they were submitted, the starter not counted. */
  readonly honest: readonly string[];
}

export const noProgress = (slug: string): ExerciseProgress => ({ slug, hintsShown: 0, submitted: 0, honest: [] });

/** Different codes that have to run before the solution of an unsolved exercise opens. */
export const HONEST_ATTEMPTS = 3;

/** A code as far as it counts as different: without comments at line starts, blank lines and spaces. */
const essence = (code: string): string =>
  code
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/[ \t]+/g, '');

/** `hash` tells codes apart. */
export function withAttempt(
  before: ExerciseProgress,
  attempt: Attempt,
  { version, starter, hash }: { readonly version: number; readonly starter: string; hash(text: string): string },
): ExerciseProgress {
  const { at, passed, total } = attempt;
  const solved = passed === total;
  const mine = essence(attempt.code);
  const counts = attempt.ran && mine !== essence(starter) && !before.honest.includes(hash(mine));
  return {
    ...before,
    submitted: before.submitted + 1,
    last: { at, passed, total },
    honest: counts ? [...before.honest, hash(mine)] : before.honest,
    ...(solved && before.solvedAt === undefined ? { solvedAt: at } : {}),
    ...(solved ? { solvedVersion: version } : {}),
  };
}

export const mayLook = (progress: ExerciseProgress): boolean =>
  progress.solvedAt !== undefined || progress.honest.length >= HONEST_ATTEMPTS;

export type ExerciseState = 'new' | 'started' | 'solved';

/** `edited`: there is a draft of it that isn't the starter. */
export function stateOf(progress: ExerciseProgress | undefined, edited = false): ExerciseState {
  if (progress?.solvedAt !== undefined) return 'solved';
  return edited || (progress && (progress.submitted > 0 || progress.hintsShown > 0)) ? 'started' : 'new';
}
