import { expect, test } from 'vitest';
import { type Attempt, mayLook, noProgress, stateOf, withAttempt } from '@/app/progress/attempts';

const STARTER = 'def f():\n    pass\n';
const context = { version: 2, starter: STARTER, hash: (text: string) => text };
const attempt = (code: string, passed: number, ran = true): Attempt => ({
  slug: 's',
  at: 10,
  code,
  passed,
  total: 3,
  ran,
});
const after = (...attempts: Attempt[]) => attempts.reduce((p, a) => withAttempt(p, a, context), noProgress('s'));

test('three different codes that ran open the solution', () => {
  expect(mayLook(after(attempt('a = 1', 1), attempt('a = 2', 1)))).toBe(false);
  expect(mayLook(after(attempt('a = 1', 1), attempt('a = 2', 1), attempt('a = 3', 1)))).toBe(true);
});

test('the same code again, but for comments, blank lines and spaces, is no further attempt', () => {
  const tries = [attempt('a = 1', 1), attempt('# try\n\na  =  1', 1), attempt('a = 1\n', 1)];
  expect(after(...tries)).toMatchObject({ submitted: 3, honest: ['a=1'] });
});

test('the starter and a script that does not run are no honest attempts', () => {
  expect(after(attempt(STARTER, 1), attempt('a =', 0, false)).honest).toEqual([]);
});

test('passing every check solves it, with the version that was solved, and keeps when it was first solved', () => {
  const solved = after(attempt('a = 1', 3));
  expect(solved).toMatchObject({ solvedAt: 10, solvedVersion: 2, last: { passed: 3, total: 3 } });
  expect(mayLook(solved)).toBe(true);
  const later = withAttempt(solved, { ...attempt('b', 1), at: 20 }, context);
  expect(later).toMatchObject({ solvedAt: 10, submitted: 2, last: { at: 20, passed: 1 } });
});

test('an exercise is started by a draft, a hint or a submission', () => {
  expect(stateOf(undefined)).toBe('new');
  expect(stateOf(noProgress('s'))).toBe('new');
  expect(stateOf(undefined, true)).toBe('started');
  expect(stateOf({ ...noProgress('s'), hintsShown: 1 })).toBe('started');
  expect(stateOf(after(attempt('a', 1)))).toBe('started');
  expect(stateOf(after(attempt('a', 3)))).toBe('solved');
});
