import { describe, expect, test } from 'vitest';
import type { EvaluateResult, PythonError, RunResult, Session } from '@/engine/session/session';
import { grade, plannedChecks } from '@/exercises/kit/grade';
import exercise from '@/exercises/stable-softmax/exercise';

const ran: RunResult = { status: 'done', exitCode: 0, milliseconds: 1, kernels: 0 } as RunResult;

/** A session whose script runs and defines everything, and whose calls all end like `ending`. */
function sessionEnding(ending: Partial<EvaluateResult>): Session {
  let evaluations = 0;
  return {
    run: async () => ran,
    evaluate: async () =>
      (evaluations++ === 0
        ? { status: 'done', output: '', value: { kind: 'list', items: [] } }
        : { output: '', ...ending }) as EvaluateResult,
  } as unknown as Session;
}

const failed = (type: string, message: string): Partial<EvaluateResult> => ({
  status: 'error',
  error: { type, message, traceback: `${type}: ${message}\n` } as PythonError,
});

describe('code that doesn’t come back from a call is judged, not a fault of the grader', () => {
  for (const [what, ending, message, stopped] of [
    ['takes Python down', failed('RecursionError', 'too deep'), /RecursionError: too deep/, false],
    ['raises a KeyboardInterrupt', failed('KeyboardInterrupt', ''), /KeyboardInterrupt\./, false],
    ['calls sys.exit(0)', { status: 'done' }, /sys\.exit\(\)/, false],
    ['calls sys.exit(1)', failed('SystemExit', '1'), /sys\.exit\(\)/, false],
    ['is stopped', { status: 'stopped', reason: 'Stopped by you.' }, /Stopped by you\./, true],
  ] as const) {
    test(`a function that ${what} fails one check, and every other has an answer`, async () => {
      const verdict = await grade(exercise, '', sessionEnding(ending as Partial<EvaluateResult>), { seed: 1 });
      expect(verdict.solved).toBe(false);
      expect(verdict.stopped !== undefined).toBe(stopped);
      const failures = verdict.checks.filter((c) => c.status === 'fail');
      expect(failures.map((c) => c.id)).toEqual([exercise.checks[0]?.id]);
      expect(failures[0]?.message).toMatch(message);
      expect(verdict.checks.map((c) => c.id).sort()).toEqual(
        plannedChecks(exercise)
          .map((c) => c.id)
          .sort(),
      );
    });
  }
});
