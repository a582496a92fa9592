import { describe, expect, it } from 'vitest';
import { beginWith } from '@/app/components/exercise/Checks';
import type { CheckResult } from '@/exercises/kit/grade';

const result = (id: string, status: CheckResult['status'], recognised = false) =>
  ({
    id,
    title: id,
    status,
    ...(recognised ? { fingerprint: { mistake: 'naive', message: 'Your bits are those of …' } } : {}),
  }) as CheckResult;

describe('which of several failed checks to begin with', () => {
  it('is the one whose mistake was recognised, though it is not the first', () => {
    expect(beginWith([result('a', 'fail'), result('b', 'fail', true), result('c', 'pass')])).toBe('b');
  });
  it('is the first, where none was recognised', () => {
    expect(beginWith([result('a', 'pass'), result('b', 'fail'), result('c', 'fail')])).toBe('b');
  });
  it('need not be said where at most one failed', () => {
    expect(beginWith([result('a', 'fail', true), result('b', 'pass')])).toBeUndefined();
    expect(beginWith([])).toBeUndefined();
  });
});
