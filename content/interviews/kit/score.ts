/**
 * Scoring: what the log shows, in an interviewer's terms. Four dimensions, each made of parts that say what earned them. Nothing that a candidate
 * claims about themselves moves the verdict; a right diagnosis counts in full only with results that show it.
 */
import {
  type Answer,
  type AskedEvidence,
  groupsMet,
  type InterviewState,
  isSupported,
  metBy,
  questionsOf,
  received,
  shows,
} from './machine';
import {
  type DiagnoseQuestion,
  type Interview,
  type Misconception,
  type Needs,
  PROBE,
  type PredictQuestion,
  type Question,
  type Support,
} from './schema';

export const DIMENSIONS = ['numerics', 'diagnosis', 'method', 'communication'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const DIMENSION_NAMES: Readonly<Record<Dimension, string>> = {
  numerics: 'Numerical correctness',
  diagnosis: 'Diagnosis',
  method: 'Method',
  communication: 'Communication',
};

/** Something that was asked of the candidate, and what it earned. */
export interface Part {
  readonly title: string;
  /** 0..1 */
  readonly earned: number;
  /** Share of its dimension, before the shares are made to add up to 1. */
  readonly weight: number;
  readonly because: string;
  /** The candidate scored it: shown, never part of the verdict. */
  readonly selfAssessed?: true;
}

export interface DimensionScore {
  readonly dimension: Dimension;
  /** 0..1; null where this format asked nothing of the kind. */
  readonly score: number | null;
  readonly parts: readonly Part[];
}

export const VERDICTS = ['no', 'not yet', 'yes', 'strong yes'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Score {
  readonly verdict: Verdict;
  readonly dimensions: readonly DimensionScore[];
  /** What kept the verdict from being higher, in sentences. */
  readonly held: readonly string[];
  readonly misconceptions: readonly FoundMisconception[];
}

export interface FoundMisconception {
  readonly title: string;
  readonly text: string;
  readonly lesson: string;
  /** Where it showed. */
  readonly where: string;
}

/** A second answer, after the interviewer has asked back, earns this share. */
const SECOND_ANSWER = 0.7;
/** A right diagnosis with no result that shows it, and the most that it earns while something is still missing. */
const UNSUPPORTED = 0.3;
const PARTLY_SUPPORTED = 0.7;

export function score(interview: Interview, state: InterviewState): Score {
  const asked = questionsOf(interview, state.format);
  const of = <K extends Question['kind']>(kind: K) =>
    asked.filter((q): q is Extract<Question, { kind: K }> => q.kind === kind);
  const dimensions: DimensionScore[] = [
    dimension('numerics', [
      ...warmUpPart(state),
      ...of('predict').map((q) => predictPart(q, state)),
      ...of('diagnose').map((q) => repairPart(q, state)),
      ...of('fix').map((q) => fixPart(q.id, state)),
    ]),
    dimension(
      'diagnosis',
      of('diagnose').map((q) => diagnosisPart(q, state)),
    ),
    dimension('method', [
      ...evidenceParts(interview, state),
      ...of('diagnose').map((q) => repairGroundsPart(q, state)),
      ...of('order').map((q) => orderPart(q, state)),
    ]),
    dimension('communication', [
      ...of('diagnose').flatMap((q) => followUpPart(q, state)),
      ...interruptionParts(interview, state),
      ...of('explain').map((q) => explainPart(q, state)),
    ]),
  ];
  const unsupported = of('diagnose').filter((q) => standsUnsupported(q, state));
  const { verdict, held } = judge(dimensions, unsupported.length, of('diagnose').length);
  return { verdict, dimensions, held, misconceptions: misconceptions(interview, state) };
}

function dimension(name: Dimension, parts: readonly Part[]): DimensionScore {
  const counted = parts.filter((p) => !p.selfAssessed);
  const weight = counted.reduce((sum, p) => sum + p.weight, 0);
  return {
    dimension: name,
    score: weight === 0 ? null : counted.reduce((sum, p) => sum + p.weight * p.earned, 0) / weight,
    parts,
  };
}

/** What a strong yes asks of each dimension. Communication is heard in choices only, so less of it is asked. */
const STRONG: Readonly<Record<Dimension, number>> = { numerics: 0.8, diagnosis: 0.9, method: 0.7, communication: 0.6 };
const YES = { diagnosis: 0.65, mean: 0.65 };
const NOT_YET = { mean: 0.4 };

function judge(dimensions: readonly DimensionScore[], unsupported: number, diagnoses: number) {
  const scores = dimensions.filter((d) => d.score !== null).map((d) => [d.dimension, d.score as number] as const);
  const byName = new Map(scores);
  const mean = scores.reduce((sum, [, s]) => sum + s, 0) / Math.max(1, scores.length);
  const held: string[] = [];
  let verdict: Verdict;
  if (scores.every(([name, s]) => s >= STRONG[name])) verdict = 'strong yes';
  else if ((byName.get('diagnosis') ?? 0) >= YES.diagnosis && mean >= YES.mean) verdict = 'yes';
  else if (mean >= NOT_YET.mean) verdict = 'not yet';
  else verdict = 'no';
  if (verdict !== 'strong yes') {
    for (const [name, s] of scores) {
      if (s < STRONG[name])
        held.push(`${DIMENSION_NAMES[name]} is at ${percent(s)}; a strong yes asks for ${percent(STRONG[name])}.`);
    }
  }
  const cap = (most: Verdict, why: string) => {
    held.unshift(why);
    if (VERDICTS.indexOf(verdict) > VERDICTS.indexOf(most)) verdict = most;
  };
  if (unsupported > 0) {
    const which = unsupported === 1 ? 'One right diagnosis rests' : `${unsupported} right diagnoses rest`;
    const most = unsupported * 2 >= diagnoses ? 'not yet' : 'yes';
    cap(
      most,
      `${which} on no result that shows it. A right answer without evidence can't be told from a guess, so the verdict is "${most}" at most.`,
    );
  }
  return { verdict, held };
}

export const percent = (share: number): string => `${Math.round(100 * share)} %`;

const answersOf = (id: string, state: InterviewState): readonly Answer[] => state.questions[id]?.answers ?? [];

function lastOf<K extends Answer['kind']>(
  id: string,
  kind: K,
  state: InterviewState,
): Extract<Answer, { kind: K }> | undefined {
  const last = answersOf(id, state).at(-1);
  return last?.kind === kind ? (last as Extract<Answer, { kind: K }>) : undefined;
}

const NOT_ANSWERED = 'Not answered.';

// Numerics

function warmUpPart(state: InterviewState): Part[] {
  if (state.warmUp.length === 0) return [];
  const right = state.warmed.filter((choice, i) => !state.warmUp[i]?.options[choice]?.misconception).length;
  return [
    {
      title: 'Warm-up',
      earned: right / state.warmUp.length,
      weight: 1,
      because: `${right} of ${state.warmUp.length} right.`,
    },
  ];
}

export function isClose(q: PredictQuestion, value: number, truth: number): boolean {
  const slack = 'absolute' in q.tolerance ? q.tolerance.absolute : q.tolerance.relative * Math.abs(truth);
  return Math.abs(value - truth) <= slack;
}

function predictPart(q: PredictQuestion, state: InterviewState): Part {
  const answer = lastOf(q.id, 'predict', state);
  const right = answer !== undefined && isClose(q, answer.value, answer.truth);
  return {
    title: q.title,
    earned: right ? 1 : 0,
    weight: 0.5,
    because: answer ? `You said ${answer.value}; the engine computes ${answer.truth}. ${q.because}` : NOT_ANSWERED,
  };
}

function repairPart(q: DiagnoseQuestion, state: InterviewState): Part {
  const answer = lastOf(q.id, 'diagnose', state);
  const repair = q.repairs.find((r) => r.id === answer?.repair);
  return {
    title: `Repair: ${q.title}`,
    earned: repair?.worth ?? 0,
    weight: 0.7,
    because: repair ? `“${repair.text}” ${repair.because}` : NOT_ANSWERED,
  };
}

function fixPart(id: string, state: InterviewState): Part {
  const graded = answersOf(id, state).flatMap((a) => (a.kind === 'fix' ? [a.graded] : []));
  const share = (g: (typeof graded)[number]) => g.checks.filter((c) => c.status === 'pass').length / g.checks.length;
  const best = [...graded].sort((a, b) => share(b) - share(a))[0];
  const passed = best?.checks.filter((c) => c.status === 'pass').length ?? 0;
  return {
    title: 'The fix',
    // Checks that any running script passes are worth nothing by themselves.
    earned: best ? (best.solved ? 1 : 0.6 * Math.max(0, 2 * share(best) - 1)) : 0,
    weight: 2,
    because: best
      ? `${passed} of ${best.checks.length} checks pass, ${graded.length === 1 ? 'at the first submission' : `after ${graded.length} submissions`}.`
      : 'Nothing was submitted.',
  };
}

// Diagnosis

const isRight = (q: DiagnoseQuestion, answer: Extract<Answer, { kind: 'diagnose' }> | undefined): boolean =>
  answer !== undefined && q.diagnoses.some((d) => d.id === answer.diagnosis && !d.wrong);

/** Right, and nothing that was cited shows any of it. */
function standsUnsupported(q: DiagnoseQuestion, state: InterviewState): boolean {
  const answer = lastOf(q.id, 'diagnose', state);
  return answer !== undefined && isRight(q, answer) && groupsMet(q.needs, answer.cites, state) === 0;
}

function diagnosisPart(q: DiagnoseQuestion, state: InterviewState): Part {
  const answers = answersOf(q.id, state);
  const answer = lastOf(q.id, 'diagnose', state);
  const title = q.title;
  if (!answer) return { title, earned: 0, weight: 1, because: NOT_ANSWERED };
  const chosen = q.diagnoses.find((d) => d.id === answer.diagnosis);
  if (chosen?.wrong) {
    const held = chosen.wrong.contradictedBy.find((s) => metBy([s], received(state).keys(), state));
    const said = chosen.wrong.contradictedBy[0] as Support;
    return {
      title,
      earned: 0,
      weight: 1,
      because: held
        ? `“${chosen.text}” is contradicted by what you had on the desk: ${held.says}.`
        : `“${chosen.text}” would have been contradicted by a result that you didn’t ask for: ${said.says}.`,
    };
  }
  const second = answers.length > 1 && !isRight(q, answers[0] as Extract<Answer, { kind: 'diagnose' }>);
  const met = groupsMet(q.needs, answer.cites, state);
  const supported = isSupported(q, answer, state);
  const base = supported
    ? 1
    : met === 0
      ? UNSUPPORTED
      : UNSUPPORTED + (PARTLY_SUPPORTED - UNSUPPORTED) * (met / q.needs.length);
  const why = supported
    ? 'Right, and what you cited shows it.'
    : met === 0
      ? 'Right, but nothing that you cited shows it: it is held back as a guess would be.'
      : `Right, but what you cited shows only ${met} of the ${q.needs.length} things that it rests on.`;
  return {
    title,
    earned: base * (second ? SECOND_ANSWER : 1),
    weight: 1,
    because: second ? `${why} It took a question back to get there.` : why,
  };
}

// Method

/** Whether a result bears on anything that was asked: it shows something that supports the right answer or rules out a wrong one. */
const bearsOn = (q: DiagnoseQuestion, state: InterviewState, asked: AskedEvidence): boolean => {
  const facts = asked.result?.facts ?? {};
  const opening = state.opening?.facts ?? {};
  const bears = (s: Support) => s.evidence === asked.request.evidence && shows(s, facts, opening);
  return (
    [...q.needs, ...q.repairNeeds].some((group) => group.some(bears)) ||
    q.diagnoses.some((d) => d.wrong?.contradictedBy.some(bears))
  );
};

export function isRelevant(interview: Interview, state: InterviewState, asked: AskedEvidence): boolean {
  if (asked.request.evidence === PROBE) return true;
  return interview.questions.some((q) => q.kind === 'diagnose' && bearsOn(q, state, asked));
}

function evidenceParts(interview: Interview, state: InterviewState): Part[] {
  const questions = questionsOf(interview, state.format).filter((q) => q.kind === 'diagnose');
  const groups = questions.flatMap((q) => q.needs);
  const keys = [...received(state).keys()];
  const held = groups.filter((group) => metBy(group, keys, state)).length;
  const paid = state.evidence.reduce((sum, e) => sum + e.cost, 0);
  const wasted = state.evidence.filter((e) => !isRelevant(interview, state, e)).reduce((sum, e) => sum + e.cost, 0);
  const results = received(state);
  let cited = 0;
  let citations = 0;
  let beside = 0;
  for (const q of questions) {
    const answer = lastOf(q.id, 'diagnose', state);
    if (!answer) continue;
    cited += groupsMet(q.needs, answer.cites, state);
    for (const key of answer.cites) {
      const evidence = results.get(key);
      if (!evidence || evidence.request.evidence === PROBE) continue;
      citations++;
      if (!bearsOn(q, state, evidence)) beside++;
    }
  }
  return [
    {
      title: 'Looking in the right places',
      earned: groups.length === 0 ? 0 : held / groups.length,
      weight: 1,
      because: `Your requests show ${held} of the ${groups.length} things that the diagnoses rest on; ${cited} of them were cited.`,
    },
    {
      title: 'Not paying for what says nothing',
      earned: paid === 0 ? 0 : 1 - wasted / paid,
      weight: 0.6,
      because:
        paid === 0
          ? 'You asked for nothing.'
          : `${paid} minutes went into evidence, ${wasted} of them into results that bear on nothing that was asked.`,
    },
    {
      title: 'Citing what shows it',
      earned: citations === 0 ? 0 : 1 - beside / citations,
      weight: 0.5,
      because:
        citations === 0
          ? 'Nothing was cited.'
          : beside === 0
            ? `All ${citations} citations bear on what they were cited for.`
            : `${beside} of ${citations} citations have nothing to do with what they were cited for.`,
    },
  ];
}

function repairGroundsPart(q: DiagnoseQuestion, state: InterviewState): Part {
  const answer = lastOf(q.id, 'diagnose', state);
  const repair = q.repairs.find((r) => r.id === answer?.repair);
  const met = answer ? groupsMet(q.repairNeeds, answer.repairCites, state) : 0;
  const sound = repair !== undefined && repair.worth > 0;
  return {
    title: `Grounds for the repair: ${q.title}`,
    earned: sound ? (q.repairNeeds.length === 0 ? 1 : met / q.repairNeeds.length) : 0,
    weight: 0.4,
    because: !answer
      ? NOT_ANSWERED
      : !sound
        ? 'The repair that you chose doesn’t repair it.'
        : met === q.repairNeeds.length
          ? 'What you cited for the repair shows that it is called for.'
          : 'What you cited for the repair doesn’t show that it is called for.',
  };
}

function orderPart(q: Extract<Question, { kind: 'order' }>, state: InterviewState): Part {
  const answer = lastOf(q.id, 'order', state);
  const right = q.steps.map((s) => s.id);
  // Pairs in the right order: the whole list turned round is worth nothing, two neighbours swapped nearly everything.
  let pairs = 0;
  let good = 0;
  for (let i = 0; i < right.length; i++) {
    for (let j = i + 1; j < right.length; j++) {
      pairs++;
      const [a, b] = [right[i] as string, right[j] as string].map((id) => answer?.steps.indexOf(id) ?? -1);
      if (answer && (a as number) < (b as number)) good++;
    }
  }
  const perfect = good === pairs;
  return {
    title: q.title,
    earned: perfect ? 1 : answer ? 0.5 * (good / pairs) : 0,
    weight: 0.6,
    because: answer
      ? perfect
        ? q.because
        : `${pairs - good} of ${pairs} pairs stand the wrong way round. ${q.because}`
      : NOT_ANSWERED,
  };
}

// Communication

function followUpPart(q: DiagnoseQuestion, state: InterviewState): Part[] {
  const { reply } = state.questions[q.id] ?? {};
  const probe = probeAsked(q, state);
  if (!probe || reply === undefined) return [];
  const choice = probe.choices[reply];
  return [
    {
      title: `Asked back: ${probe.question}`,
      earned: choice?.right ? 1 : 0,
      weight: 1,
      because: choice ? `“${choice.text}” ${choice.because}` : NOT_ANSWERED,
    },
  ];
}

/** The follow-up that this candidate was asked. */
function probeAsked(q: DiagnoseQuestion, state: InterviewState) {
  const first = answersOf(q.id, state)[0];
  if (first?.kind !== 'diagnose') return undefined;
  return q.diagnoses.find((d) => d.id === first.diagnosis)?.wrong?.followUp ?? q.deeper;
}

function interruptionParts(interview: Interview, state: InterviewState): Part[] {
  return state.interruptions.flatMap(({ id, choice }) => {
    const interruption = interview.interruptions.find((i) => i.id === id);
    if (!interruption) return [];
    const said = choice === undefined ? undefined : interruption.choices[choice];
    return [
      {
        title: `Interrupted: ${interruption.question}`,
        earned: said?.right ? 1 : 0,
        weight: 1,
        because: said ? `“${said.text}” ${said.because}` : NOT_ANSWERED,
      },
    ];
  });
}

function explainPart(q: Extract<Question, { kind: 'explain' }>, state: InterviewState): Part {
  const { points, answers = [] } = state.questions[q.id] ?? {};
  const claimed = q.rubric.filter((r) => points?.includes(r.id)).length;
  return {
    title: q.title,
    earned: claimed / q.rubric.length,
    weight: 1,
    selfAssessed: true,
    because:
      answers.length === 0
        ? NOT_ANSWERED
        : points === undefined
          ? 'Not scored yet: compare it with the model answer.'
          : `By your own reading it makes ${claimed} of ${q.rubric.length} points.`,
  };
}

// Misconceptions

function misconceptions(interview: Interview, state: InterviewState): FoundMisconception[] {
  const found = new Map<string, FoundMisconception>();
  const add = (where: string, m: Misconception | undefined) => {
    if (m && !found.has(m.title)) found.set(m.title, { ...m, where });
  };
  const named = (id: string | undefined) => (id === undefined ? undefined : interview.misconceptions[id]);
  state.warmed.forEach((choice, i) => {
    const option = state.warmUp[i]?.options[choice];
    if (option?.misconception) add('in the warm-up', { ...option.misconception, text: option.because });
  });
  for (const q of interview.questions) {
    if (q.kind !== 'diagnose') continue;
    for (const answer of answersOf(q.id, state)) {
      if (answer.kind !== 'diagnose') continue;
      const wrong = q.diagnoses.find((d) => d.id === answer.diagnosis)?.wrong;
      add('in a diagnosis', named(wrong?.misconception));
      add('in a repair', named(q.repairs.find((r) => r.id === answer.repair)?.misconception));
    }
    const { reply } = state.questions[q.id] ?? {};
    if (reply !== undefined)
      add('when you were asked back', named(probeAsked(q, state)?.choices[reply]?.misconception));
  }
  for (const { id, choice } of state.interruptions) {
    const interruption = interview.interruptions.find((i) => i.id === id);
    if (choice !== undefined) add('when you were interrupted', named(interruption?.choices[choice]?.misconception));
  }
  return [...found.values()];
}

// Evidence cited and missed

export interface GroupReport {
  readonly question: string;
  /** What had to be shown. */
  readonly says: string;
  readonly standing: 'cited' | 'held' | 'missed';
}

/** Each thing that a diagnosis rests on: cited, on the desk but not cited, or never asked for. */
export function evidenceReport(interview: Interview, state: InterviewState): readonly GroupReport[] {
  const keys = [...received(state).keys()];
  const report = (q: DiagnoseQuestion, needs: Needs): GroupReport[] =>
    needs.map((group) => {
      const cites = lastOf(q.id, 'diagnose', state)?.cites ?? [];
      const cited = metBy(group, cites, state);
      const held = metBy(group, keys, state);
      return {
        question: q.title,
        says: (cited ?? held ?? (group[0] as Support)).says,
        standing: cited ? 'cited' : held ? 'held' : 'missed',
      };
    });
  return questionsOf(interview, state.format).flatMap((q) => (q.kind === 'diagnose' ? report(q, q.needs) : []));
}
