/**
 * The interview as a state machine: events in, state out. No React, no storage, no clock of its own: every event carries the time at which it
 * happened, so replaying a log gives the same state to the millisecond. What follows from the state (what is open, which interruption is due) is
 * computed from it, never stored.
 */
import type { EvidenceResult } from './evidence';
import {
  type DiagnoseQuestion,
  type EvidenceRequest,
  type Facts,
  type Format,
  type Interruption,
  type Interview,
  type Mode,
  type Needs,
  type Probe,
  type Question,
  requestKey,
  type Support,
} from './schema';

/** A rapid question of the warm-up, as drawn: plain data, so that the log alone can show it again. */
export interface WarmUpQuestion {
  readonly prompt: string;
  readonly code: string;
  /** Exactly one has no misconception. */
  readonly options: readonly {
    readonly text: string;
    readonly because: string;
    /** Its title and where to read. */
    readonly misconception?: { readonly title: string; readonly lesson: string };
  }[];
}

export interface GradedCode {
  readonly code: string;
  readonly solved: boolean;
  readonly checks: readonly { readonly title: string; readonly status: string; readonly message?: string }[];
}

export type Answer =
  | {
      readonly kind: 'diagnose';
      readonly diagnosis: string;
      readonly repair: string;
      /** Keys of requests (requestKey). */
      readonly cites: readonly string[];
      readonly repairCites: readonly string[];
    }
  | { readonly kind: 'order'; readonly steps: readonly string[] }
  | { readonly kind: 'predict'; readonly value: number; readonly truth: number }
  | { readonly kind: 'fix'; readonly graded: GradedCode }
  | { readonly kind: 'explain'; readonly text: string };

type Body =
  | {
      readonly kind: 'began';
      readonly slug: string;
      readonly seed: number;
      readonly format: Format;
      readonly mode: Mode;
      readonly version: number;
      readonly warmUp: readonly WarmUpQuestion[];
    }
  | { readonly kind: 'warmed'; readonly index: number; readonly choice: number }
  | { readonly kind: 'opened'; readonly result: EvidenceResult }
  | { readonly kind: 'asked'; readonly request: EvidenceRequest; readonly cost: number }
  | { readonly kind: 'received'; readonly key: string; readonly result: EvidenceResult }
  | { readonly kind: 'moved'; readonly question: string }
  /** What stands in a form that isn't handed in yet: nothing is lost when the tab closes. */
  | { readonly kind: 'drafted'; readonly question: string; readonly draft: unknown }
  | { readonly kind: 'answered'; readonly question: string; readonly answer: Answer }
  /** The candidate stands by the first answer. */
  | { readonly kind: 'kept'; readonly question: string }
  | { readonly kind: 'replied'; readonly question: string; readonly choice: number }
  | { readonly kind: 'interrupted'; readonly id: string }
  | { readonly kind: 'parried'; readonly id: string; readonly choice: number }
  | { readonly kind: 'assessed'; readonly question: string; readonly points: readonly string[] }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  /** The page went away, and came back (practice only; strict knows no absence). */
  | { readonly kind: 'left' }
  | { readonly kind: 'returned' }
  /** By the candidate, or by the clock. */
  | { readonly kind: 'ended'; readonly by: 'candidate' | 'clock' };

/** `at`: milliseconds since 1970. */
export type InterviewEvent = Body & { readonly at: number };

export interface AskedEvidence {
  readonly key: string;
  readonly request: EvidenceRequest;
  readonly cost: number;
  /** Interview time when it was asked, milliseconds. */
  readonly elapsed: number;
  readonly result?: EvidenceResult;
}

export interface QuestionState {
  /** The last one counts; a second only after a follow-up. */
  readonly answers: readonly Answer[];
  readonly answeredAt?: number;
  readonly draft?: unknown;
  readonly kept?: true;
  /** Choice in the follow-up. */
  readonly reply?: number;
  /** Points of the rubric that the candidate claims. */
  readonly points?: readonly string[];
}

export interface InterviewState {
  readonly slug: string;
  readonly seed: number;
  readonly format: Format;
  readonly mode: Mode;
  readonly version: number;
  readonly beganAt: number;
  readonly warmUp: readonly WarmUpQuestion[];
  readonly warmed: readonly number[];
  readonly opening?: EvidenceResult;
  readonly evidence: readonly AskedEvidence[];
  readonly questions: Readonly<Record<string, QuestionState>>;
  readonly current?: string;
  readonly interruptions: readonly { readonly id: string; readonly elapsed: number; readonly choice?: number }[];
  /** Interview time that had passed when the clock last changed its pace, milliseconds; paid minutes are in it. */
  readonly spent: number;
  /** When the clock was last set going; absent while it stands. */
  readonly runningSince?: number;
  readonly paused: boolean;
  readonly ended?: { readonly by: 'candidate' | 'clock'; readonly at: number };
}

const MINUTE = 60_000;

export const limitOf = (state: InterviewState): number => state.format * MINUTE;

/** Interview time at `now`, milliseconds: what the clock shows. Never more than the format. */
export function elapsed(state: InterviewState, now: number): number {
  const running = state.runningSince === undefined ? 0 : Math.max(0, now - state.runningSince);
  return Math.min(limitOf(state), state.spent + running);
}

export const remaining = (state: InterviewState, now: number): number => limitOf(state) - elapsed(state, now);

/** The clock has run out, and nobody has said so yet. */
export const isOver = (state: InterviewState, now: number): boolean => !state.ended && remaining(state, now) <= 0;

const stop = (state: InterviewState, at: number): InterviewState => ({
  ...state,
  spent: elapsed(state, at),
  runningSince: undefined,
});
const go = (state: InterviewState, at: number): InterviewState => ({ ...state, runningSince: at });

const change = (state: InterviewState, id: string, by: Partial<QuestionState>): InterviewState => {
  const before = state.questions[id] ?? { answers: [] };
  return { ...state, questions: { ...state.questions, [id]: { ...before, ...by } } };
};

/** The state after one more event. Events that can't happen (an answer after the end, a pause in strict mode) change nothing. */
export function reduce(state: InterviewState | undefined, event: InterviewEvent): InterviewState | undefined {
  if (event.kind === 'began') {
    if (state) return state;
    const { kind: _, at, ...chosen } = event;
    return {
      ...chosen,
      beganAt: at,
      warmed: [],
      evidence: [],
      questions: {},
      interruptions: [],
      spent: 0,
      runningSince: at,
      paused: false,
    };
  }
  if (!state) return undefined;
  if (event.kind === 'assessed') return change(state, event.question, { points: event.points });
  if (event.kind === 'received') {
    const evidence = state.evidence.map((e) => (e.key === event.key && !e.result ? { ...e, result: event.result } : e));
    return { ...state, evidence };
  }
  if (state.ended) return state;
  switch (event.kind) {
    case 'warmed':
      if (event.index !== state.warmed.length || event.index >= state.warmUp.length) return state;
      return { ...state, warmed: [...state.warmed, event.choice] };
    case 'opened':
      return state.opening ? state : { ...state, opening: event.result };
    case 'asked': {
      const key = requestKey(event.request);
      if (state.evidence.some((e) => e.key === key)) return state;
      const at = elapsed(state, event.at);
      const asked: AskedEvidence = { key, request: event.request, cost: event.cost, elapsed: at };
      return { ...state, spent: state.spent + event.cost * MINUTE, evidence: [...state.evidence, asked] };
    }
    case 'moved':
      return { ...state, current: event.question };
    case 'drafted':
      return change(state, event.question, { draft: event.draft });
    case 'answered': {
      const before = state.questions[event.question]?.answers ?? [];
      return change(state, event.question, {
        answers: [...before, event.answer],
        answeredAt: elapsed(state, event.at),
      });
    }
    case 'kept':
      return change(state, event.question, { kept: true });
    case 'replied':
      return state.questions[event.question]?.reply === undefined
        ? change(state, event.question, { reply: event.choice })
        : state;
    case 'interrupted':
      if (state.interruptions.some((i) => i.id === event.id)) return state;
      return {
        ...state,
        interruptions: [...state.interruptions, { id: event.id, elapsed: elapsed(state, event.at) }],
      };
    case 'parried':
      return {
        ...state,
        interruptions: state.interruptions.map((i) =>
          i.id === event.id && i.choice === undefined ? { ...i, choice: event.choice } : i,
        ),
      };
    case 'paused':
      return state.mode === 'strict' || state.paused ? state : { ...stop(state, event.at), paused: true };
    case 'resumed':
      return state.paused ? { ...go(state, event.at), paused: false } : state;
    case 'left':
      return state.mode === 'strict' || state.paused ? state : stop(state, event.at);
    case 'returned':
      return state.paused || state.runningSince !== undefined ? state : go(state, event.at);
    case 'ended':
      return { ...stop(state, event.at), paused: false, ended: { by: event.by, at: event.at } };
  }
}

export const replayLog = (events: readonly InterviewEvent[]): InterviewState | undefined =>
  events.reduce<InterviewState | undefined>(reduce, undefined);

// What follows from a state

export type Stage = 'warm-up' | 'room' | 'ended';

export function stageOf(state: InterviewState): Stage {
  if (state.ended) return 'ended';
  return state.warmed.length < state.warmUp.length ? 'warm-up' : 'room';
}

/** Questions that this format asks, in order. */
export const questionsOf = (interview: Interview, format: Format): readonly Question[] =>
  interview.questions.filter((q) => q.from <= format);

/** Whether this very result shows what is needed. A fact that the result lacks shows nothing. */
export function shows(support: Support, facts: Facts, opening: Facts): boolean {
  try {
    return support.shows(facts, opening) === true;
  } catch {
    return false;
  }
}

/** Results by key, of those requests that have been answered. */
export const received = (state: InterviewState): ReadonlyMap<string, AskedEvidence> =>
  new Map(state.evidence.filter((e) => e.result).map((e) => [e.key, e]));

/** The support of a group that one of `keys` meets, if any. */
export function metBy(group: readonly Support[], keys: Iterable<string>, state: InterviewState): Support | undefined {
  const results = received(state);
  const held = [...keys].flatMap((key) => results.get(key) ?? []);
  const opening = state.opening?.facts ?? {};
  return group.find((s) =>
    held.some((e) => e.request.evidence === s.evidence && shows(s, e.result?.facts ?? {}, opening)),
  );
}

/** How many groups of `needs` the cited results meet. */
export const groupsMet = (needs: Needs, cites: readonly string[], state: InterviewState): number =>
  needs.filter((group) => metBy(group, cites, state)).length;

export type Standing =
  | { readonly kind: 'open' }
  /** The interviewer asks back. */
  | { readonly kind: 'follow-up'; readonly probe: Probe }
  /** The candidate may answer once more; `why` says what prompted it. */
  | { readonly kind: 'again'; readonly why: 'wrong' | 'unsupported' }
  | { readonly kind: 'closed' };

/** Where a question stands: what was said decides what comes next. */
export function standing(question: Question, state: InterviewState): Standing {
  const { answers, kept, reply } = state.questions[question.id] ?? { answers: [] };
  if (answers.length === 0) return { kind: 'open' };
  if (question.kind === 'fix') {
    const last = answers.at(-1);
    return last?.kind === 'fix' && last.graded.solved ? { kind: 'closed' } : { kind: 'open' };
  }
  if (question.kind !== 'diagnose') return { kind: 'closed' };
  const first = answers[0];
  if (first?.kind !== 'diagnose') return { kind: 'closed' };
  const chosen = question.diagnoses.find((d) => d.id === first.diagnosis);
  if (chosen?.wrong) {
    if (reply === undefined) return { kind: 'follow-up', probe: chosen.wrong.followUp };
    return kept || answers.length > 1 ? { kind: 'closed' } : { kind: 'again', why: 'wrong' };
  }
  if (!isSupported(question, first, state)) {
    return kept || answers.length > 1 ? { kind: 'closed' } : { kind: 'again', why: 'unsupported' };
  }
  return question.deeper && reply === undefined ? { kind: 'follow-up', probe: question.deeper } : { kind: 'closed' };
}

export const isSupported = (
  question: DiagnoseQuestion,
  answer: Extract<Answer, { kind: 'diagnose' }>,
  state: InterviewState,
): boolean => groupsMet(question.needs, answer.cites, state) === question.needs.length;

/** The interruption to be made now, if any: the first whose time has come, once what it follows is on the table. */
export function dueInterruption(interview: Interview, state: InterviewState, now: number): Interruption | undefined {
  if (stageOf(state) !== 'room' || state.paused) return undefined;
  if (state.interruptions.some((i) => i.choice === undefined)) return undefined;
  const results = received(state);
  return interview.interruptions.find(({ id, when }) => {
    if (state.interruptions.some((i) => i.id === id)) return false;
    if ('asked' in when) return [...results.values()].some((e) => e.request.evidence === when.asked);
    if ('answered' in when) return (state.questions[when.answered]?.answers.length ?? 0) > 0;
    return elapsed(state, now) >= when.elapsed * limitOf(state);
  });
}

/** Requests that were paid for and whose result never came: the page was closed while they were computed. */
export const unanswered = (state: InterviewState): readonly AskedEvidence[] => state.evidence.filter((e) => !e.result);
