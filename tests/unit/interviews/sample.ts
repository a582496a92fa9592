/** A small interview for the tests of machine and scoring: one right reading, two wrong ones, and results made by hand. */
import type { EvidenceResult } from '@/content/interviews/kit/evidence';
import type { InterviewEvent } from '@/content/interviews/kit/machine';
import { defineInterview, type Facts, type Support } from '@/content/interviews/kit/schema';

export const MINUTE = 60_000;

const first: Support = { evidence: 'first', shows: (f) => f.bad === true, says: 'it is bad', ask: {} };
const second: Support = {
  evidence: 'second',
  shows: (f, o) => f.step === o.step,
  says: 'at the step in question',
  ask: { step: '{step}' },
};
const against: Support = { evidence: 'against', shows: (f) => f.clean === true, says: 'the data is clean', ask: {} };

const followUp = {
  question: 'Really?',
  choices: [
    { text: 'no', right: true as const, because: 'indeed' },
    { text: 'yes', because: 'no', misconception: 'belief' },
  ],
};

const entry = (id: string, cost: number) => ({
  id,
  title: id,
  detail: id,
  cost,
  parameters: [],
  instrument: { kind: 'python' as const, expression: id },
});

export const sample = defineInterview({
  title: 'Sample',
  summary: 'A sample.',
  order: 1,
  version: 1,
  seeds: [1, 2, 3],
  steps: 4,
  brief: ['Something is wrong.'],
  opening: 'opening',
  symptoms: [],
  evidence: [entry('first', 1), entry('second', 2), entry('against', 1), entry('idle', 3)],
  probeCost: 3,
  questions: [
    {
      id: 'what',
      title: 'What',
      kind: 'diagnose',
      from: 15,
      prompt: 'What is wrong at step {step}?',
      diagnoses: [
        { id: 'right', text: 'this' },
        { id: 'data', text: 'the data', wrong: { contradictedBy: [against], misconception: 'belief', followUp } },
        { id: 'other', text: 'something else', wrong: { contradictedBy: [first], misconception: 'belief', followUp } },
      ],
      needs: [[first], [second]],
      repairs: [
        { id: 'mend', text: 'mend it', worth: 1, because: 'it does' },
        { id: 'half', text: 'half', worth: 0.5, because: 'half' },
        { id: 'worse', text: 'make it worse', worth: 0, because: 'it does', misconception: 'belief' },
      ],
      repairNeeds: [[first]],
      deeper: followUp,
    },
    {
      id: 'order',
      title: 'Order',
      kind: 'order',
      from: 30,
      prompt: 'Order.',
      steps: ['a', 'b', 'c'].map((id) => ({ id, text: id })),
      because: 'a, b, c',
    },
    {
      id: 'number',
      title: 'Number',
      kind: 'predict',
      from: 15,
      prompt: 'Which?',
      truth: '4',
      tolerance: { relative: 0.1 },
      because: 'four',
    },
    { id: 'fix', title: 'Fix', kind: 'fix', from: 15, prompt: 'Fix it.' },
    {
      id: 'explain',
      title: 'Explain',
      kind: 'explain',
      from: 30,
      prompt: 'Explain.',
      seconds: 60,
      rubric: [
        { id: 'one', text: 'one' },
        { id: 'two', text: 'two' },
      ],
      model: 'Like this.',
    },
  ],
  interruptions: [
    { id: 'cut', when: { asked: 'first' }, ...followUp },
    { id: 'late', when: { elapsed: 0.5 }, ...followUp },
  ],
  misconceptions: { belief: { title: 'A belief', text: 'It is wrong.', lesson: 'three-failures' } },
  expert: [{ ask: { evidence: 'first' }, why: 'it shows it' }],
});

export const result = (facts: Facts): EvidenceResult => ({ blocks: [], facts });

/** The facts that each piece of evidence shows in this sample. */
export const RESULTS: Readonly<Record<string, Facts>> = {
  first: { bad: true },
  second: { step: 3 },
  against: { clean: true },
  idle: {},
};

export const began = (
  over: Partial<Extract<InterviewEvent, { kind: 'began' }>> = {},
): Extract<InterviewEvent, { kind: 'began' }> => ({
  kind: 'began',
  at: 0,
  slug: 'sample',
  seed: 1,
  format: 15,
  mode: 'practice',
  version: 1,
  warmUp: [],
  ...over,
});

/** Asks at `at` and has the result at once. */
export const asks = (evidence: string, at: number): InterviewEvent[] => {
  const cost = sample.evidence.find((e) => e.id === evidence)?.cost ?? 0;
  return [
    { kind: 'asked', at, request: { evidence, parameters: {} }, cost },
    { kind: 'received', at, key: evidence, result: result(RESULTS[evidence]) },
  ];
};

export const diagnoses = (
  at: number,
  diagnosis: string,
  repair: string,
  cites: readonly string[] = [],
  repairCites: readonly string[] = cites,
): InterviewEvent => ({
  kind: 'answered',
  at,
  question: 'what',
  answer: { kind: 'diagnose', diagnosis, repair, cites, repairCites },
});

export const opened: InterviewEvent = { kind: 'opened', at: 0, result: result({ step: 3 }) };
