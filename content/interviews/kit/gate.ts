/**
 * The interview gate: what must hold before anyone is judged by a folder. Everything is proved by running: the run shows its symptoms on every
 * seed, each piece of support shows what it claims, each wrong diagnosis is contradicted, nothing gives everything away, and the verdicts rank an
 * expert above a guesser above a novice. The same gate runs on the reference backend in Node and on WebGPU in the browser.
 */
import type { Session } from '@/engine/session/session';
import { EvidenceDesk, type EvidenceResult, places, type RunSources, seeded } from './evidence';
import { type Answer, type InterviewEvent, metBy, questionsOf, replayLog, shows } from './machine';
import {
  type DiagnoseQuestion,
  type EvidenceRequest,
  type Facts,
  FORMATS,
  type Format,
  fill,
  type Interview,
  requestKey,
  type Support,
} from './schema';
import { score, VERDICTS } from './score';

export interface GateResult {
  readonly claim: string;
  readonly passed: boolean;
  /** What happened instead. */
  readonly why?: string;
}

export interface GateInput {
  readonly slug: string;
  readonly interview: Interview;
  readonly sources: RunSources;
}

const claim = (text: string, passed: boolean, why: () => string): GateResult => ({
  claim: text,
  passed,
  ...(passed ? {} : { why: why() }),
});

/** The request that a support names, with the opening's facts filled in; undefined where it names none. */
export function requestOf(
  support: { readonly evidence: string; readonly ask?: Readonly<Record<string, string>> },
  opening: Facts,
): EvidenceRequest | undefined {
  if (!support.ask) return undefined;
  const parameters = Object.fromEntries(Object.entries(support.ask).map(([k, v]) => [k, fill(v, opening)]));
  return { evidence: support.evidence, parameters };
}

/** One run with one seed: its opening, and results computed once each. */
class Bench {
  readonly results = new Map<string, { readonly request: EvidenceRequest; readonly result: EvidenceResult }>();
  opening: EvidenceResult = { blocks: [], facts: {} };
  readonly desk: EvidenceDesk;

  constructor(
    input: GateInput,
    private readonly session: Session,
    readonly seed: number,
  ) {
    this.desk = new EvidenceDesk(input.interview, input.sources, seed);
  }

  async open(): Promise<void> {
    this.opening = await this.desk.opening(this.session);
  }

  async ask(request: EvidenceRequest): Promise<EvidenceResult> {
    const key = requestKey(request);
    const known = this.results.get(key);
    if (known) return known.result;
    const result = await this.desk.compute(request, this.session);
    this.results.set(key, { request, result });
    return result;
  }

  truth = (expression: string): Promise<number> => this.desk.truth(this.session, expression);
}

const diagnoseQuestions = (interview: Interview): readonly DiagnoseQuestion[] =>
  interview.questions.filter((q): q is DiagnoseQuestion => q.kind === 'diagnose');

export interface GateOptions {
  /** Default: all of the interview's. */
  readonly seeds?: readonly number[];
}

export async function* gate(input: GateInput, session: Session, options: GateOptions = {}): AsyncGenerator<GateResult> {
  const { interview } = input;
  yield* statics(input);
  for (const seed of options.seeds ?? interview.seeds) {
    const bench = new Bench(input, session, seed);
    await bench.open();
    const { facts, fault } = bench.opening;
    for (const { says, shows: holds } of interview.symptoms) {
      yield claim(`seed ${seed}: ${says}`, holds(facts, facts), () => fault ?? JSON.stringify(facts));
    }
    // Everything on the first seed; on the others what a sitting depends on.
    if (seed === interview.seeds[0]) yield* everySupport(interview, bench);
    else yield* everyContradiction(interview, bench);
    for (const step of interview.expert) await bench.ask(expertRequest(step.ask, facts));
    yield* nothingGivesAllAway(interview, bench);
    yield* verdicts(input, bench);
  }
}

const expertRequest = (ask: Interview['expert'][number]['ask'], facts: Facts): EvidenceRequest =>
  requestOf({ evidence: ask.evidence, ask: ask.parameters ?? {} }, facts) as EvidenceRequest;

/** What can be seen in the sources. */
function* statics({ interview, sources }: GateInput): Generator<GateResult> {
  const seedLine = (() => {
    try {
      return seeded(sources.run, 1) !== sources.run || /^SEED = 1$/m.test(sources.run);
    } catch {
      return false;
    }
  })();
  yield claim('run.py has one line SEED = …', seedLine, () => 'it has none, or several');
  const steps = Number(/^STEPS = (\d+)$/m.exec(sources.run)?.[1] ?? Number.NaN);
  yield claim(
    '`steps` is STEPS of run.py',
    steps === interview.steps,
    () => `STEPS = ${steps}, steps: ${interview.steps}`,
  );
  const known = places(sources.run);
  const asked = interview.evidence.flatMap((e) =>
    e.instrument.kind === 'code'
      ? e.parameters.flatMap((p) => (p.kind === 'choice' ? p.options.map((o) => o.id) : []))
      : [],
  );
  const missing = asked.filter((p) => !known.includes(p));
  yield claim('every place whose code can be asked for is in run.py', missing.length === 0, () => missing.join(', '));
  const kinds = new Set(interview.questions.map((q) => q.kind));
  for (const kind of ['diagnose', 'predict', 'fix', 'explain'] as const)
    yield claim(`it has a question of the kind "${kind}"`, kinds.has(kind), () => `it has ${[...kinds].join(', ')}`);
  yield claim(
    'the menu is large enough to be wrong in',
    interview.evidence.length >= 10,
    () => `it has ${interview.evidence.length} entries`,
  );
}

async function* everySupport(interview: Interview, bench: Bench): AsyncGenerator<GateResult> {
  for (const q of diagnoseQuestions(interview)) {
    for (const [i, group] of [...q.needs, ...q.repairNeeds].entries()) {
      for (const s of group) yield* supportShows(bench, s, `seed ${bench.seed}: ${q.id}, need ${i + 1}`);
    }
    for (const d of q.diagnoses) {
      for (const s of d.wrong?.contradictedBy ?? [])
        yield* supportShows(bench, s, `seed ${bench.seed}: ${q.id}, "${d.id}" is contradicted`);
    }
  }
}

async function* everyContradiction(interview: Interview, bench: Bench): AsyncGenerator<GateResult> {
  for (const q of diagnoseQuestions(interview)) {
    for (const d of q.diagnoses) {
      if (!d.wrong) continue;
      let found = false;
      for (const s of d.wrong.contradictedBy) {
        const request = requestOf(s, bench.opening.facts);
        if (!request) continue;
        const { facts } = await bench.ask(request);
        found = shows(s, facts, bench.opening.facts);
        if (found) break;
      }
      yield claim(
        `seed ${bench.seed}: ${q.id}: some evidence contradicts "${d.id}"`,
        found,
        () => 'none of what is listed shows it',
      );
    }
  }
}

async function* supportShows(bench: Bench, support: Support, what: string): AsyncGenerator<GateResult> {
  const request = requestOf(support, bench.opening.facts);
  if (!request) {
    yield claim(`${what}: "${support.says}" says how it is asked for`, false, () => 'it has no `ask`');
    return;
  }
  const result = await bench.ask(request);
  yield claim(
    `${what}: ${support.says}`,
    !result.fault && shows(support, result.facts, bench.opening.facts),
    () => `${requestKey(request)} gave ${result.fault ?? JSON.stringify(result.facts)}`,
  );
}

/** No single result carries a diagnosis, and none rules out every wrong one. */
function* nothingGivesAllAway(interview: Interview, bench: Bench): Generator<GateResult> {
  const opening = bench.opening.facts;
  for (const q of diagnoseQuestions(interview)) {
    const wrong = q.diagnoses.flatMap((d) => (d.wrong ? [d.wrong] : []));
    const tooMuch = [...bench.results.values()].filter(({ request, result }) => {
      const met = (s: Support) => s.evidence === request.evidence && shows(s, result.facts, opening);
      const carries = q.needs.every((group) => group.some(met));
      const rulesOut = wrong.every((w) => w.contradictedBy.some(met));
      return carries || rulesOut;
    });
    yield claim(`seed ${bench.seed}: ${q.id}: no single result gives everything away`, tooMuch.length === 0, () =>
      tooMuch.map(({ request }) => requestKey(request)).join('; '),
    );
  }
}

/** How a scripted candidate sits: which evidence, and which answer to a diagnose question. */
export interface Player {
  readonly requests: readonly EvidenceRequest[];
  readonly diagnosis: (q: DiagnoseQuestion) => { readonly diagnosis: string; readonly repair: string };
  /** Cites whatever of its evidence meets a need, or nothing. */
  readonly cites: boolean;
  readonly right: boolean;
}

/** The log of a scripted sitting. Ten seconds pass between two actions. */
export function sit(
  { slug, interview }: Pick<GateInput, 'slug' | 'interview'>,
  format: Format,
  player: Player,
  opening: EvidenceResult,
  results: ReadonlyMap<string, EvidenceResult>,
  truths: ReadonlyMap<string, number>,
): InterviewEvent[] {
  let at = 0;
  const events: InterviewEvent[] = [];
  const add = (event: InterviewEvent extends infer E ? (E extends { at: number } ? Omit<E, 'at'> : never) : never) => {
    at += 10_000;
    events.push({ ...event, at } as InterviewEvent);
  };
  const cost = (r: EvidenceRequest) => interview.evidence.find((e) => e.id === r.evidence)?.cost ?? interview.probeCost;
  add({
    kind: 'began',
    slug,
    seed: interview.seeds[0] as number,
    format,
    mode: 'strict',
    version: interview.version,
    warmUp: [],
  });
  add({ kind: 'opened', result: opening });
  for (const request of player.requests) {
    add({ kind: 'asked', request, cost: cost(request) });
    const key = requestKey(request);
    add({ kind: 'received', key, result: results.get(key) ?? { blocks: [], facts: {} } });
  }
  const choose = (probe: { readonly choices: readonly { readonly right?: true }[] }) =>
    probe.choices.findIndex((c) => (c.right === true) === player.right);
  for (const q of questionsOf(interview, format)) {
    let answer: Answer;
    switch (q.kind) {
      case 'diagnose': {
        const keys = player.requests.map(requestKey);
        const state = replayLog(events);
        const useful = (needs: DiagnoseQuestion['needs']) =>
          player.cites && state ? keys.filter((key) => needs.some((group) => metBy(group, [key], state))) : [];
        answer = {
          kind: 'diagnose',
          ...player.diagnosis(q),
          cites: useful(q.needs),
          repairCites: useful(q.repairNeeds),
        };
        break;
      }
      case 'order':
        answer = { kind: 'order', steps: (player.right ? [...q.steps] : [...q.steps].reverse()).map((s) => s.id) };
        break;
      case 'predict': {
        const truth = truths.get(q.id) ?? Number.NaN;
        answer = { kind: 'predict', value: player.right ? truth : 2 * truth + 1, truth };
        break;
      }
      case 'fix':
        answer = {
          kind: 'fix',
          graded: {
            code: '',
            solved: player.right,
            checks: [{ title: 'all', status: player.right ? 'pass' : 'fail' }],
          },
        };
        break;
      case 'explain':
        answer = { kind: 'explain', text: '…' };
    }
    add({ kind: 'answered', question: q.id, answer });
    if (q.kind === 'diagnose') {
      const { diagnosis } = player.diagnosis(q);
      const probe = q.diagnoses.find((d) => d.id === diagnosis)?.wrong?.followUp ?? q.deeper;
      if (probe) add({ kind: 'replied', question: q.id, choice: choose(probe) });
      add({ kind: 'kept', question: q.id });
    }
  }
  for (const i of interview.interruptions) {
    add({ kind: 'interrupted', id: i.id });
    add({ kind: 'parried', id: i.id, choice: choose(i) });
  }
  add({ kind: 'ended', by: 'candidate' });
  return events;
}

const rightOf = (q: DiagnoseQuestion) => ({
  diagnosis: q.diagnoses.find((d) => !d.wrong)?.id ?? '',
  repair: q.repairs.find((r) => r.worth === 1)?.id ?? '',
});
const wrongOf = (q: DiagnoseQuestion, nth: number) => {
  const wrong = q.diagnoses.filter((d) => d.wrong);
  return {
    diagnosis: wrong[nth % wrong.length]?.id ?? '',
    repair: [...q.repairs].sort((a, b) => a.worth - b.worth)[0]?.id ?? '',
  };
};

export const expertPlayer = (interview: Interview, opening: Facts): Player => ({
  requests: interview.expert.map((step) => expertRequest(step.ask, opening)),
  diagnosis: rightOf,
  cites: true,
  right: true,
});
export const luckyPlayer: Player = { requests: [], diagnosis: rightOf, cites: false, right: true };
export const novicePlayer = (interview: Interview): Player => ({
  requests: interview.evidence
    .filter((e) => e.parameters.length === 0)
    .map((e) => ({ evidence: e.id, parameters: {} })),
  diagnosis: (q) => wrongOf(q, 0),
  cites: true,
  right: false,
});

async function* verdicts(input: GateInput, bench: Bench): AsyncGenerator<GateResult> {
  const { interview } = input;
  const truths = new Map<string, number>();
  for (const q of interview.questions) {
    if (q.kind !== 'predict') continue;
    const value = await bench.truth(q.truth).catch((error: Error) => error);
    yield claim(
      `seed ${bench.seed}: the engine computes "${q.id}"`,
      typeof value === 'number' && Number.isFinite(value),
      () => String(value),
    );
    if (typeof value === 'number') truths.set(q.id, value);
  }
  const opening = bench.opening.facts;
  const novice = novicePlayer(interview);
  if (bench.seed === interview.seeds[0]) for (const r of novice.requests) await bench.ask(r);
  const results = new Map([...bench.results].map(([key, { result }]) => [key, result]));
  const outcome = (player: Player, format: Format) => {
    const events = sit(input, format, player, bench.opening, results, truths);
    const state = replayLog(events);
    if (!state) throw new Error('the log is empty');
    return { state, score: score(interview, state) };
  };
  for (const format of FORMATS) {
    const name = `seed ${bench.seed}, ${format} minutes`;
    const expert = outcome(expertPlayer(interview, opening), format);
    yield claim(`${name}: the expert's path earns a strong yes`, expert.score.verdict === 'strong yes', () =>
      expert.score.held.join(' '),
    );
    const needs = questionsOf(interview, format).flatMap((q) => (q.kind === 'diagnose' ? q.needs : []));
    const keys = interview.expert.map((s) => requestKey(expertRequest(s.ask, opening)));
    yield claim(
      `${name}: the expert's path shows everything that the diagnoses rest on`,
      needs.every((group) => metBy(group, keys, expert.state)),
      () => 'a need is met by none of its results',
    );
    const paid = expert.state.evidence.reduce((sum, e) => sum + e.cost, 0);
    yield claim(
      `${name}: the expert's evidence takes at most two thirds of the time`,
      paid <= (2 * format) / 3,
      () => `${paid} of ${format} minutes`,
    );
    const lucky = outcome(luckyPlayer, format).score;
    yield claim(
      `${name}: the right answers without evidence are held back, with the reason`,
      VERDICTS.indexOf(lucky.verdict) < VERDICTS.indexOf('yes') &&
        lucky.held.some((h) => h.includes('without evidence')),
      () => `${lucky.verdict}: ${lucky.held.join(' ')}`,
    );
    const poor = outcome(novice, format).score;
    yield claim(
      `${name}: a novice gets no yes`,
      VERDICTS.indexOf(poor.verdict) < VERDICTS.indexOf('yes'),
      () => poor.verdict,
    );
    const expertDiagnosis = diagnosisOf(expert.score);
    for (const q of questionsOf(interview, format)) {
      if (q.kind !== 'diagnose') continue;
      for (const [nth, d] of q.diagnoses.filter((x) => x.wrong).entries()) {
        const player: Player = {
          ...expertPlayer(interview, opening),
          diagnosis: (other) => (other.id === q.id ? wrongOf(q, nth) : rightOf(other)),
        };
        const { score: made } = outcome(player, format);
        yield claim(
          `${name}: "${d.id}" (${q.id}) scores below the right diagnosis, and names a misconception`,
          diagnosisOf(made) < expertDiagnosis && made.misconceptions.length > 0,
          () => `${diagnosisOf(made)} against ${expertDiagnosis}`,
        );
      }
    }
  }
}

const diagnosisOf = (s: ReturnType<typeof score>): number =>
  s.dimensions.find((d) => d.dimension === 'diagnosis')?.score ?? 0;
