import { describe, expect, it } from 'vitest';
import {
  dueInterruption,
  elapsed,
  type InterviewEvent,
  type InterviewState,
  isOver,
  reduce,
  remaining,
  replayLog,
  stageOf,
  standing,
} from '@/content/interviews/kit/machine';
import { requestKey } from '@/content/interviews/kit/schema';
import { asks, began, diagnoses, MINUTE, opened, sample } from './sample';

const play = (events: readonly InterviewEvent[]): InterviewState => {
  const state = replayLog(events);
  if (!state) throw new Error('the log makes no state');
  return state;
};
const what = sample.questions[0];

describe('the clock', () => {
  it('counts the time that passes and the minutes that are paid', () => {
    const state = play([began(), ...asks('second', 3 * MINUTE)]);
    expect(elapsed(state, 4 * MINUTE)).toBe(6 * MINUTE);
    expect(remaining(state, 4 * MINUTE)).toBe(9 * MINUTE);
  });

  it('asking for the same again is free', () => {
    const state = play([began(), ...asks('second', MINUTE), ...asks('second', 2 * MINUTE)]);
    expect(state.evidence).toHaveLength(1);
    expect(elapsed(state, 2 * MINUTE)).toBe(4 * MINUTE);
  });

  it('the same evidence with other parameters is another request', () => {
    expect(requestKey({ evidence: 'e', parameters: { step: '1', module: 'a' } })).toBe(
      requestKey({ evidence: 'e', parameters: { module: 'a', step: '1' } }),
    );
    expect(requestKey({ evidence: 'e', parameters: { step: '1' } })).not.toBe(
      requestKey({ evidence: 'e', parameters: { step: '2' } }),
    );
  });

  it('a pause stands still in practice, and does not exist in strict', () => {
    const pause: InterviewEvent[] = [
      { kind: 'paused', at: 2 * MINUTE },
      { kind: 'resumed', at: 7 * MINUTE },
    ];
    expect(elapsed(play([began(), ...pause]), 8 * MINUTE)).toBe(3 * MINUTE);
    expect(elapsed(play([began({ mode: 'strict' }), ...pause]), 8 * MINUTE)).toBe(8 * MINUTE);
  });

  it('practice resumes at the same millisecond after an absence; strict has run on', () => {
    const absence: InterviewEvent[] = [
      { kind: 'left', at: 123_456 },
      { kind: 'returned', at: 9 * MINUTE },
    ];
    expect(elapsed(play([began(), ...absence]), 9 * MINUTE)).toBe(123_456);
    expect(elapsed(play([began({ mode: 'strict' }), ...absence]), 9 * MINUTE)).toBe(9 * MINUTE);
  });

  it('an absence while paused changes nothing', () => {
    const state = play([
      began(),
      { kind: 'paused', at: MINUTE },
      { kind: 'left', at: 2 * MINUTE },
      { kind: 'returned', at: 60 * MINUTE },
    ]);
    expect(state.paused).toBe(true);
    expect(elapsed(state, 61 * MINUTE)).toBe(MINUTE);
  });

  it('never shows more than the format, and is over then', () => {
    const state = play([began({ mode: 'strict' })]);
    expect(isOver(state, 15 * MINUTE - 1)).toBe(false);
    expect(isOver(state, 15 * MINUTE)).toBe(true);
    expect(elapsed(state, 100 * MINUTE)).toBe(15 * MINUTE);
  });

  it('evidence that costs more than is left ends the interview', () => {
    const state = play([began(), ...asks('second', 14 * MINUTE)]);
    expect(isOver(state, 14 * MINUTE)).toBe(true);
  });
});

describe('the log', () => {
  it('nothing is answered, asked or paid after the end', () => {
    const ended = play([began(), { kind: 'ended', at: MINUTE, by: 'candidate' }]);
    const later = [...asks('first', 2 * MINUTE), diagnoses(2 * MINUTE, 'right', 'mend')];
    const after = later.reduce<InterviewState | undefined>(reduce, ended);
    expect(after?.evidence).toEqual([]);
    expect(after?.questions).toEqual({});
    expect(elapsed(after as InterviewState, 60 * MINUTE)).toBe(MINUTE);
  });

  it('self-assessment comes after the end', () => {
    const state = play([
      began(),
      { kind: 'ended', at: MINUTE, by: 'candidate' },
      { kind: 'assessed', at: 2 * MINUTE, question: 'explain', points: ['one'] },
    ]);
    expect(state.questions.explain.points).toEqual(['one']);
  });

  it('a log begins once', () => {
    const state = play([began({ seed: 1 }), began({ seed: 2, at: MINUTE })]);
    expect(state.seed).toBe(1);
  });

  it('every prefix of a log is a state, so a crash at any event loses only what came after it', () => {
    const log = [began(), opened, ...asks('first', 1000), diagnoses(2000, 'right', 'mend', ['first'])];
    for (let n = 1; n <= log.length; n++) expect(replayLog(log.slice(0, n))).toBeDefined();
    expect(play(log)).toEqual(log.reduce<InterviewState | undefined>(reduce, undefined));
  });

  it('warm-up questions are answered in turn, each once', () => {
    const question = { prompt: '', code: '', options: [] };
    const state = play([
      began({ warmUp: [question, question] }),
      { kind: 'warmed', at: 1, index: 1, choice: 0 },
      { kind: 'warmed', at: 2, index: 0, choice: 2 },
      { kind: 'warmed', at: 3, index: 0, choice: 3 },
    ]);
    expect(state.warmed).toEqual([2]);
    expect(stageOf(state)).toBe('warm-up');
    const done = reduce(state, { kind: 'warmed', at: 4, index: 1, choice: 0 });
    expect(done && stageOf(done)).toBe('room');
  });
});

describe('what the interviewer does next', () => {
  it('asks back after a wrong answer, then lets the candidate change it once', () => {
    const log = [began(), opened, diagnoses(1, 'data', 'mend')];
    expect(standing(what, play(log))).toMatchObject({ kind: 'follow-up', probe: { question: 'Really?' } });
    const replied: InterviewEvent[] = [...log, { kind: 'replied', at: 2, question: 'what', choice: 0 }];
    expect(standing(what, play(replied))).toEqual({ kind: 'again', why: 'wrong' });
    expect(standing(what, play([...replied, { kind: 'kept', at: 3, question: 'what' }]))).toEqual({ kind: 'closed' });
    expect(standing(what, play([...replied, diagnoses(3, 'right', 'mend')]))).toEqual({ kind: 'closed' });
  });

  it('asks how one knows after a right answer without evidence', () => {
    expect(standing(what, play([began(), opened, diagnoses(1, 'right', 'mend')]))).toEqual({
      kind: 'again',
      why: 'unsupported',
    });
  });

  it('digs deeper after a right answer that its evidence shows', () => {
    const log = [
      began(),
      opened,
      ...asks('first', 1),
      ...asks('second', 2),
      diagnoses(3, 'right', 'mend', ['first', 'second']),
    ];
    expect(standing(what, play(log)).kind).toBe('follow-up');
    expect(standing(what, play([...log, { kind: 'replied', at: 4, question: 'what', choice: 0 }]))).toEqual({
      kind: 'closed',
    });
  });

  it('a citation of what was never received supports nothing', () => {
    const log = [began(), opened, diagnoses(1, 'right', 'mend', ['first', 'second'])];
    expect(standing(what, play(log))).toEqual({ kind: 'again', why: 'unsupported' });
  });

  it('cuts in once what it speaks of is on the table, and only once', () => {
    expect(dueInterruption(sample, play([began()]), MINUTE)).toBeUndefined();
    const asked = [began(), ...asks('first', MINUTE)];
    expect(dueInterruption(sample, play(asked), MINUTE)?.id).toBe('cut');
    const cut: InterviewEvent[] = [...asked, { kind: 'interrupted', at: MINUTE, id: 'cut' }];
    expect(dueInterruption(sample, play(cut), 9 * MINUTE)).toBeUndefined();
    const parried: InterviewEvent[] = [...cut, { kind: 'parried', at: 2 * MINUTE, id: 'cut', choice: 0 }];
    expect(dueInterruption(sample, play(parried), 3 * MINUTE)).toBeUndefined();
    expect(dueInterruption(sample, play(parried), 9 * MINUTE)?.id).toBe('late');
  });

  it('never cuts in while the interview is paused, or has ended', () => {
    const asked = [began(), ...asks('first', MINUTE)];
    const paused: InterviewEvent[] = [...asked, { kind: 'paused', at: MINUTE }];
    expect(dueInterruption(sample, play(paused), 9 * MINUTE)).toBeUndefined();
    const ended: InterviewEvent[] = [...asked, { kind: 'ended', at: MINUTE, by: 'clock' }];
    expect(dueInterruption(sample, play(ended), 9 * MINUTE)).toBeUndefined();
  });
});
