/** What happened when, from the log, and what an expert would have asked, for the report. */
import { elapsed, type InterviewEvent, type InterviewState, reduce } from './machine';
import { type EvidenceRequest, type Facts, fill, type Interview } from './schema';
import { isRelevant } from './score';

export interface Moment {
  /** Interview time, milliseconds. */
  readonly at: number;
  readonly kind: 'asked' | 'answered' | 'interrupted' | 'paused' | 'ended';
  readonly request?: EvidenceRequest;
  readonly cost?: number;
  /** False for evidence that bears on nothing. */
  readonly relevant?: boolean;
  readonly text: string;
}

/** Moments worth telling, in order. Answers a second time are told as such. */
export function timeline(interview: Interview, events: readonly InterviewEvent[]): readonly Moment[] {
  let state: InterviewState | undefined;
  const moments: Moment[] = [];
  const answered = new Map<string, number>();
  const last = events.reduce<InterviewState | undefined>(reduce, undefined);
  for (const event of events) {
    const before = state;
    state = reduce(state, event);
    if (!before || !state || state === before || !last) continue;
    const at = elapsed(before, event.at);
    if (event.kind === 'asked') {
      const asked = last.evidence.find((e) => e.request === event.request || e.elapsed === at);
      moments.push({
        at,
        kind: 'asked',
        request: event.request,
        cost: event.cost,
        relevant: asked ? isRelevant(interview, last, asked) : true,
        text: '',
      });
    } else if (event.kind === 'answered') {
      const question = interview.questions.find((q) => q.id === event.question);
      const times = (answered.get(event.question) ?? 0) + 1;
      answered.set(event.question, times);
      const again = times > 1 ? (event.answer.kind === 'fix' ? `, submission ${times}` : ', once more') : '';
      moments.push({ at, kind: 'answered', text: `${question?.title ?? event.question}${again}` });
    } else if (event.kind === 'interrupted') {
      const question = interview.interruptions.find((i) => i.id === event.id)?.question;
      moments.push({ at, kind: 'interrupted', text: question ?? event.id });
    } else if (event.kind === 'paused') {
      moments.push({ at, kind: 'paused', text: 'Paused' });
    } else if (event.kind === 'ended') {
      moments.push({ at, kind: 'ended', text: event.by === 'clock' ? 'The time ran out' : 'Finished' });
    }
  }
  return moments;
}

export interface ExpertMoment {
  /** Minutes that the expert has paid by then. */
  readonly minutes: number;
  readonly request: EvidenceRequest;
  readonly why: string;
}

export function expertPath(interview: Interview, opening: Facts): readonly ExpertMoment[] {
  let minutes = 0;
  return interview.expert.map(({ ask, why }) => {
    minutes += interview.evidence.find((e) => e.id === ask.evidence)?.cost ?? 0;
    const parameters = Object.fromEntries(Object.entries(ask.parameters ?? {}).map(([k, v]) => [k, fill(v, opening)]));
    return { minutes, request: { evidence: ask.evidence, parameters }, why };
  });
}
