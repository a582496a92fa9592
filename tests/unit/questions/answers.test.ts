import { describe, expect, it } from 'vitest';
import { type Answer, misconceptionsMet } from '@/app/progress/answers';

const answer = (at: number, misconception: string | null, avoided: readonly string[]): Answer => ({
  generator: 'round-a-sum',
  seed: at,
  misconception,
  avoided,
  at,
});

describe('the record of misconceptions', () => {
  it('holds what was chosen, how often, and how often it was avoided since', () => {
    const met = misconceptionsMet([
      answer(1, 'sums-are-exact', ['ties-go-up']),
      answer(2, 'sums-are-exact', ['ties-go-up']),
      answer(3, null, ['sums-are-exact', 'ties-go-up']),
    ]);
    expect(met).toEqual([
      { misconception: 'sums-are-exact', times: 2, avoidedSince: 1, lastAt: 2, generator: 'round-a-sum' },
    ]);
  });

  it('starts to count anew when it is chosen again, and puts the most pressing first', () => {
    const met = misconceptionsMet([
      answer(1, 'saturates', []),
      answer(2, null, ['saturates']),
      answer(3, 'ties-go-up', ['saturates']),
      answer(4, 'ties-go-up', []),
      answer(5, 'saturates', ['ties-go-up']),
    ]);
    expect(met.map((m) => [m.misconception, m.times, m.avoidedSince])).toEqual([
      ['saturates', 2, 0],
      ['ties-go-up', 2, 1],
    ]);
  });
});
