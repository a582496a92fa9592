/**
 * What an interview is: a folder content/interviews/<slug>/ with interview.ts (this schema), run.py (the faulty run), and fix/ (an exercise of
 * the exercise kit, the fix to be written). Nothing else changes to add one. `npm run interview -- check <slug>` proves the folder (gate.ts says
 * what it proves); CONTRIBUTING.md has the recipe.
 */

/** What an instrument's result shows, by name: instruments.py says which facts each gives. */
export type Facts = Readonly<Record<string, number | string | boolean>>;
/** `opening`: the facts of the interview's opening, where a result has to be about the step that was asked about. */
export type Shows = (facts: Facts, opening: Facts) => boolean;

/** Interview lengths in minutes. */
export const FORMATS = [15, 30, 45] as const;
export type Format = (typeof FORMATS)[number];

/** Practice pauses and waits while the page is closed; strict never stops. */
export type Mode = 'practice' | 'strict';

// Evidence

export interface EvidenceOption {
  readonly id: string;
  readonly title: string;
}

export type Parameter =
  | { readonly name: string; readonly title: string; readonly kind: 'step' }
  | {
      readonly name: string;
      readonly title: string;
      readonly kind: 'choice';
      readonly options: readonly EvidenceOption[];
    };

/** How a result is computed: an expression over instruments.py, or of the two that need no Python of their own. */
export type Instrument =
  | { readonly kind: 'python'; readonly expression: string }
  /** Dtypes of every op of one forward pass, from the engine's trace. */
  | { readonly kind: 'op-dtypes' }
  /** The source around a definition; the parameter `place` names it. */
  | { readonly kind: 'code' };

export interface Evidence {
  readonly id: string;
  readonly title: string;
  /** What one gets for the money, in a sentence. */
  readonly detail: string;
  /** Interview minutes, paid once for the same request. */
  readonly cost: number;
  readonly parameters: readonly Parameter[];
  readonly instrument: Instrument;
}

/** One request: an entry of the catalogue with its parameters chosen. */
export interface EvidenceRequest {
  readonly evidence: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The same request has the same key, and is paid once. */
export const requestKey = ({ evidence, parameters }: EvidenceRequest): string =>
  [
    evidence,
    ...Object.keys(parameters)
      .sort()
      .map((k) => `${k}=${parameters[k]}`),
  ].join(' ');

/** A probe of the candidate's own: its code is its request. */
export const PROBE = 'probe';

// What supports and what contradicts

/** Satisfied by a cited result of this evidence (whatever its parameters) whose facts show it. */
export interface Support {
  readonly evidence: string;
  readonly shows: Shows;
  /** What it shows, for the report: "the output of fields is inf while its input is finite". */
  readonly says: string;
  /** Parameters with which the gate asks, to see that it shows; values may hold `{fact}` of the opening. */
  readonly ask?: Readonly<Record<string, string>>;
}

/** Every group must be met by one of its members. */
export type Needs = readonly (readonly Support[])[];

// Questions

/** A short question with choices: in a follow-up, an interruption. */
export interface Probe {
  readonly question: string;
  readonly choices: readonly {
    readonly text: string;
    readonly right?: true;
    /** Said once the choice is made. */
    readonly because: string;
    readonly misconception?: string;
  }[];
}

export interface Diagnosis {
  readonly id: string;
  readonly text: string;
  /** Absent for the right one. */
  readonly wrong?: {
    /** Evidence that contradicts it; the gate proves that each does, on every seed. */
    readonly contradictedBy: readonly Support[];
    /** Names an entry of the scenario's misconceptions. */
    readonly misconception: string;
    /** Probes the misconception; the candidate may then change the answer once. */
    readonly followUp: Probe;
  };
}

export interface Repair {
  readonly id: string;
  readonly text: string;
  /** 1: what an expert would do; between: works, at a price that `because` names; 0: doesn't repair it. */
  readonly worth: number;
  readonly because: string;
  readonly misconception?: string;
}

interface QuestionBase {
  readonly id: string;
  /** A few words, for tabs and the report. */
  readonly title: string;
  /** `{fact}` stands for a fact of the opening. */
  readonly prompt: string;
  /** Asked in formats of at least this many minutes. */
  readonly from: Format;
}

export interface DiagnoseQuestion extends QuestionBase {
  readonly kind: 'diagnose';
  readonly diagnoses: readonly Diagnosis[];
  readonly needs: Needs;
  readonly repairs: readonly Repair[];
  /** What the chosen repair should rest on. */
  readonly repairNeeds: Needs;
  /** Asked after a right, supported answer. */
  readonly deeper?: Probe;
}

export interface OrderQuestion extends QuestionBase {
  readonly kind: 'order';
  /** In the right order; shown shuffled. */
  readonly steps: readonly { readonly id: string; readonly text: string }[];
  readonly because: string;
}

export interface PredictQuestion extends QuestionBase {
  readonly kind: 'predict';
  readonly unit?: string;
  /** Python expression over `torch`, `run` and `instruments`: the engine computes the truth. */
  readonly truth: string;
  /** |answer - truth| that still counts, absolute or as a share of the truth; with the reason in `because`. */
  readonly tolerance: { readonly absolute: number } | { readonly relative: number };
  readonly because: string;
}

export interface FixQuestion extends QuestionBase {
  readonly kind: 'fix';
}

export interface ExplainQuestion extends QuestionBase {
  readonly kind: 'explain';
  /** Seconds that it should take when spoken. */
  readonly seconds: number;
  readonly rubric: readonly { readonly id: string; readonly text: string }[];
  readonly model: string;
}

export type Question = DiagnoseQuestion | OrderQuestion | PredictQuestion | FixQuestion | ExplainQuestion;

/** The interviewer cuts in when `when` holds, once. */
export interface Interruption extends Probe {
  readonly id: string;
  readonly when:
    | { readonly asked: string }
    | { readonly answered: string }
    /** Share of the interview's time that has passed, 0..1. */
    | { readonly elapsed: number };
}

export interface Misconception {
  readonly title: string;
  /** What is wrong with it, in one or two sentences. */
  readonly text: string;
  /** Where to read: a lesson's slug. */
  readonly lesson: string;
}

/** A step of the expert's path: a request, with what makes it worth its price. */
export interface ExpertStep {
  readonly ask: { readonly evidence: string; readonly parameters?: Readonly<Record<string, string>> };
  readonly why: string;
}

export interface Interview {
  readonly title: string;
  readonly summary: string;
  readonly order: number;
  /** Raised when questions or evidence change, so that old attempts are shown as of an earlier version. */
  readonly version: number;
  /** Seeds on which the gate has proved the run; a replay draws another one of them. */
  readonly seeds: readonly number[];
  /** STEPS of run.py. */
  readonly steps: number;
  /** What the interviewer says at the start, a paragraph an item. */
  readonly brief: readonly string[];
  /** Computed at the start and shown for nothing: the symptoms. Python expression that gives a result as instruments do. */
  readonly opening: string;
  /** What the opening must show, on every seed and both backends. */
  readonly symptoms: readonly { readonly says: string; readonly shows: Shows }[];
  readonly evidence: readonly Evidence[];
  readonly probeCost: number;
  readonly questions: readonly Question[];
  readonly interruptions: readonly Interruption[];
  readonly misconceptions: Readonly<Record<string, Misconception>>;
  readonly expert: readonly ExpertStep[];
}

/** The same object, checked for what can be wrong without running anything: ids, references, one right answer. */
export function defineInterview(interview: Interview): Interview {
  const fail = (what: string): never => {
    throw new Error(`interview "${interview.title}": ${what}`);
  };
  const unique = (ids: readonly string[], what: string) => {
    for (const [i, id] of ids.entries()) if (ids.indexOf(id) !== i) fail(`${what} "${id}" is used twice`);
  };
  const evidence = new Map(interview.evidence.map((e) => [e.id, e]));
  unique(
    interview.evidence.map((e) => e.id),
    'evidence',
  );
  unique(
    interview.questions.map((q) => q.id),
    'question',
  );
  unique(
    interview.interruptions.map((i) => i.id),
    'interruption',
  );
  if (evidence.has(PROBE)) fail(`evidence "${PROBE}" is the candidate's own`);
  const knownEvidence = (id: string, where: string) => {
    if (!evidence.has(id)) fail(`${where} names evidence "${id}", which is not in the catalogue`);
  };
  const knownMisconception = (id: string | undefined, where: string) => {
    if (id !== undefined && !(id in interview.misconceptions))
      fail(`${where} names misconception "${id}", which is not listed`);
  };
  const checkProbe = (probe: Probe, where: string) => {
    if (probe.choices.filter((c) => c.right).length !== 1) fail(`${where} must have exactly one right choice`);
    for (const c of probe.choices) knownMisconception(c.misconception, where);
  };
  for (const q of interview.questions) {
    if (q.kind !== 'diagnose') continue;
    unique(
      q.diagnoses.map((d) => d.id),
      `${q.id}: diagnosis`,
    );
    unique(
      q.repairs.map((r) => r.id),
      `${q.id}: repair`,
    );
    if (q.diagnoses.filter((d) => !d.wrong).length !== 1)
      fail(`question "${q.id}" must have exactly one right diagnosis`);
    if (!q.repairs.some((r) => r.worth === 1)) fail(`question "${q.id}" has no repair of worth 1`);
    for (const group of [...q.needs, ...q.repairNeeds])
      for (const s of group) knownEvidence(s.evidence, `question "${q.id}"`);
    for (const r of q.repairs) knownMisconception(r.misconception, `repair "${r.id}"`);
    for (const d of q.diagnoses) {
      if (!d.wrong) continue;
      if (d.wrong.contradictedBy.length === 0) fail(`diagnosis "${d.id}" is contradicted by nothing`);
      for (const s of d.wrong.contradictedBy) knownEvidence(s.evidence, `diagnosis "${d.id}"`);
      knownMisconception(d.wrong.misconception, `diagnosis "${d.id}"`);
      checkProbe(d.wrong.followUp, `the follow-up of "${d.id}"`);
    }
    if (q.deeper) checkProbe(q.deeper, `the follow-up of "${q.id}"`);
  }
  for (const i of interview.interruptions) {
    checkProbe(i, `interruption "${i.id}"`);
    if ('asked' in i.when) knownEvidence(i.when.asked, `interruption "${i.id}"`);
  }
  for (const step of interview.expert) knownEvidence(step.ask.evidence, 'the expert');
  if (interview.seeds.length < 3) fail('it needs at least three seeds, so that it can be sat again');
  return interview;
}

/** A text with `{fact}` filled in from the opening's facts. */
export function fill(text: string, facts: Facts): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in facts ? String(facts[name]) : whole));
}
