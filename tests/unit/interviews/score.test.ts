import { describe, expect, it } from 'vitest';
import { type InterviewEvent, type InterviewState, replayLog } from '@/content/interviews/kit/machine';
import { reportMarkdown } from '@/content/interviews/kit/markdown';
import { evidenceReport, type Score, score, VERDICTS } from '@/content/interviews/kit/score';
import { timeline } from '@/content/interviews/kit/timeline';
import { asks, began, diagnoses, opened, sample } from './sample';

const fixed = (solved: boolean, at = 90_000): InterviewEvent => ({
  kind: 'answered',
  at,
  question: 'fix',
  answer: {
    kind: 'fix',
    graded: { code: 'x = 1', solved, checks: [{ title: 'it works', status: solved ? 'pass' : 'fail' }] },
  },
});
const number = (value: number): InterviewEvent => ({
  kind: 'answered',
  at: 80_000,
  question: 'number',
  answer: { kind: 'predict', value, truth: 4 },
});
const reply = (choice: number): InterviewEvent => ({ kind: 'replied', at: 70_000, question: 'what', choice });
const end: InterviewEvent = { kind: 'ended', at: 100_000, by: 'candidate' };

const played = (...events: InterviewEvent[]): InterviewState => {
  const state = replayLog([began(), opened, ...events, end]);
  if (!state) throw new Error('the log makes no state');
  return state;
};
const made = (...events: InterviewEvent[]): Score => score(sample, played(...events));
const of = (s: Score, name: string) => s.dimensions.find((d) => d.dimension === name)?.score ?? Number.NaN;

const both = [...asks('first', 10_000), ...asks('second', 20_000)];
const expert = made(
  ...both,
  diagnoses(60_000, 'right', 'mend', ['first', 'second'], ['first']),
  reply(0),
  number(4),
  fixed(true),
);

describe('the verdict', () => {
  it('a right, supported diagnosis, its repair, the number and the fix earn a strong yes', () => {
    expect(expert.held).toEqual([]);
    expect(expert.verdict).toBe('strong yes');
  });

  it('right answers without evidence are held back, and the reason is given', () => {
    const lucky = made(
      diagnoses(60_000, 'right', 'mend'),
      { kind: 'kept', at: 61_000, question: 'what' },
      number(4),
      fixed(true),
    );
    expect(VERDICTS.indexOf(lucky.verdict)).toBeLessThan(VERDICTS.indexOf('yes'));
    expect(lucky.held[0]).toContain('without evidence');
  });

  it('an empty log is a no', () => {
    expect(made().verdict).toBe('no');
  });

  it('ranks by strength: supported, partly supported, corrected after a question back, guessed, wrong', () => {
    const partly = made(...both, diagnoses(60_000, 'right', 'mend', ['first'], ['first']), number(4), fixed(true));
    const corrected = made(
      ...both,
      diagnoses(50_000, 'data', 'mend', ['first'], ['first']),
      reply(0),
      diagnoses(75_000, 'right', 'mend', ['first', 'second'], ['first']),
      number(4),
      fixed(true),
    );
    const guessed = made(diagnoses(60_000, 'right', 'mend'), number(4), fixed(true));
    const wrong = made(
      ...both,
      diagnoses(60_000, 'data', 'worse', ['first'], ['first']),
      reply(1),
      number(9),
      fixed(false),
    );
    const diagnosis = [expert, corrected, partly, guessed, wrong].map((s) => of(s, 'diagnosis'));
    expect(diagnosis).toEqual([...diagnosis].sort((a, b) => b - a));
    expect(new Set(diagnosis).size).toBe(diagnosis.length);
  });

  it('what one scores oneself moves neither score nor verdict', () => {
    const base = [
      began({ format: 30 }),
      opened,
      ...both,
      diagnoses(60_000, 'right', 'mend', ['first', 'second'], ['first']),
      reply(0),
      { kind: 'answered', at: 82_000, question: 'explain', answer: { kind: 'explain', text: 'so' } } as InterviewEvent,
      end,
    ];
    const claims: InterviewEvent = { kind: 'assessed', at: 110_000, question: 'explain', points: ['one', 'two'] };
    const [without, within] = [base, [...base, claims]].map((log) => score(sample, replayLog(log) as InterviewState));
    expect(within.verdict).toBe(without.verdict);
    expect(of(within, 'communication')).toBe(of(without, 'communication'));
    const part = within.dimensions.find((d) => d.dimension === 'communication')?.parts.find((p) => p.selfAssessed);
    expect(part).toMatchObject({ earned: 1, selfAssessed: true });
  });

  it('questions that the format does not ask cost nothing', () => {
    expect(of(expert, 'communication')).toBe(1);
    expect(expert.dimensions.flatMap((d) => d.parts.map((p) => p.title))).not.toContain('Order');
  });
});

describe('method', () => {
  it('irrelevant evidence costs', () => {
    const answer = diagnoses(60_000, 'right', 'mend', ['first', 'second'], ['first']);
    const wasteful = made(...both, ...asks('idle', 30_000), answer, reply(0), number(4), fixed(true));
    expect(of(wasteful, 'method')).toBeLessThan(of(expert, 'method'));
  });

  it('citing everything is worth less than citing what shows it', () => {
    const everything = made(
      ...both,
      ...asks('idle', 30_000),
      diagnoses(60_000, 'right', 'mend', ['first', 'second', 'idle'], ['first']),
      reply(0),
    );
    const chosen = made(
      ...both,
      ...asks('idle', 30_000),
      diagnoses(60_000, 'right', 'mend', ['first', 'second'], ['first']),
      reply(0),
    );
    expect(of(everything, 'method')).toBeLessThan(of(chosen, 'method'));
  });

  it('a result about another step shows nothing', () => {
    const elsewhere: InterviewEvent[] = [
      { kind: 'asked', at: 20_000, request: { evidence: 'second', parameters: {} }, cost: 2 },
      { kind: 'received', at: 20_000, key: 'second', result: { blocks: [], facts: { step: 0 } } },
    ];
    const state = played(
      ...asks('first', 10_000),
      ...elsewhere,
      diagnoses(60_000, 'right', 'mend', ['first', 'second']),
    );
    expect(evidenceReport(sample, state).map((g) => g.standing)).toEqual(['cited', 'missed']);
  });
});

describe('the report', () => {
  it('tells what was on the desk and not cited from what was never asked for', () => {
    const state = played(...asks('first', 10_000), diagnoses(60_000, 'right', 'mend'));
    expect(evidenceReport(sample, state).map((g) => g.standing)).toEqual(['held', 'missed']);
  });

  it('says when a wrong diagnosis was contradicted by what lay on the desk', () => {
    const held = made(...asks('against', 10_000), diagnoses(60_000, 'data', 'worse'));
    const because = held.dimensions.find((d) => d.dimension === 'diagnosis')?.parts[0].because;
    expect(because).toContain('contradicted by what you had on the desk: the data is clean');
    expect(held.misconceptions.map((m) => m.title)).toEqual(['A belief']);
  });

  it('the timeline has interview time, costs, and what bears on nothing', () => {
    const log = [began(), opened, ...asks('first', 10_000), ...asks('idle', 20_000), end];
    expect(timeline(sample, log).map((m) => [m.kind, m.at, m.cost, m.relevant])).toEqual([
      ['asked', 10_000, 1, true],
      ['asked', 80_000, 3, false],
      ['ended', 340_000, undefined, undefined],
    ]);
  });

  it('exports as Markdown with verdict, evidence, timeline and code', () => {
    const log = [began(), opened, ...both, diagnoses(60_000, 'right', 'mend', ['first', 'second']), fixed(true), end];
    const state = replayLog(log) as InterviewState;
    const text = reportMarkdown(sample, state, log, score(sample, state), (r) => r.evidence);
    for (const part of ['# Sample:', '## Diagnosis', '0:10 asked: first (1 min)', '```python\nx = 1\n```'])
      expect(text).toContain(part);
  });
});
