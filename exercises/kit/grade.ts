/**
 * Grading: run the learner's script, call its functions on hidden inputs, judge the outcomes, explain the first failure of each check. The same
 * code grades in the page (WebGPU) and in the gate (reference backend); it only sees the Session interface.
 */
import fc from 'fast-check';
import type { PythonError, PyValue, RunResult, Session, TraceEvent } from '../../engine/session/session';
import { callText } from './compare';
import { type Recognise, recogniser } from './fingerprint';
import { CALL_EACH, FORBIDDEN_USE, HARNESS } from './harness';
import type { Call, Check, CheckContext, Exercise, Finding, Outcome, ParetoFigure } from './schema';
import { Remembered, shrink } from './shrink';

export interface CheckResult extends Partial<Finding> {
  readonly id: string;
  readonly task: string;
  readonly title: string;
  readonly rule: string;
  readonly status: 'pass' | 'fail' | 'skipped';
  readonly message?: string;
  /** The text of `line`, as the learner wrote it. */
  readonly quote?: string;
  /** The known mistake whose bits these are. */
  readonly fingerprint?: { readonly mistake: string; readonly message: string };
}

/** A check as it is listed before anything ran. */
export interface PlannedCheck {
  readonly id: string;
  readonly task: string;
  readonly title: string;
}

/** Everything that a submission is checked for, in order: the kit's own checks and the exercise's. */
export function plannedChecks(exercise: Exercise): PlannedCheck[] {
  const own = kitChecks(exercise);
  const listed = exercise.checks.map(({ id, task, title }) => ({ id, task, title }));
  return [own.runs, own.defines, ...listed, own.kept, ...(exercise.forbidden ? [own.work] : [])].map(
    ({ id, task, title }) => ({ id, task, title }),
  );
}

/** What the kit checks for every exercise; RESERVED_CHECKS in schema.ts has the ids. */
function kitChecks(exercise: Exercise) {
  const task = exercise.tasks[0]?.id ?? '';
  return {
    runs: {
      id: 'runs',
      task,
      title: 'The script runs',
      rule: 'The whole script runs from top to bottom without an exception.',
    },
    defines: {
      id: 'defines',
      task,
      title: `It defines ${exercise.functions.join(' and ')}`,
      rule: 'The names and their parameters are the contract with whoever calls them.',
    },
    kept: {
      id: 'inputs-kept',
      task,
      title: 'The inputs are left as they were',
      rule: 'A function may not write into the tensors it is given: the caller still needs them.',
    },
    work: {
      id: 'own-work',
      task,
      title: 'It is your own work',
      rule: `Not to be used here: ${[...(exercise.forbidden?.ops ?? []), ...(exercise.forbidden?.names ?? [])].join(', ')}.`,
    },
  };
}

export interface Verdict {
  readonly solved: boolean;
  readonly checks: readonly CheckResult[];
  /** Draws the same hidden inputs again. */
  readonly seed: number;
  readonly milliseconds: number;
  /** Of these, what the script and the calls of its functions took; a GPU that is still busy when a call returns is not counted. */
  readonly learnerMilliseconds: number;
  /** Kernels that a GPU executed for this verdict. */
  readonly kernels: number;
  /** The run of the script itself. */
  readonly run: RunResult;
  readonly stopped?: string;
  /** What a check has to show beyond passing or failing. */
  readonly figure?: ParetoFigure;
}

export interface GradeOptions {
  readonly seed?: number;
  /** Sources of mistakes/*.py by name, for fingerprints. */
  readonly mistakes?: Readonly<Record<string, string>>;
  readonly onCheck?: (result: CheckResult, done: number, total: number) => void;
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  /** Look for a smaller failing input; default true. The gate wants verdicts only. */
  readonly shrinking?: boolean;
  /** Milliseconds that one round of calls may take before it is taken for an endless loop. */
  readonly timeLimit?: number;
}

/** Ends grading: the session was stopped, or the learner's code never returned. */
class Stopped extends Error {}

/** Ends grading: the learner's code took Python down with it, or left the call by sys.exit(). */
class BrokeOut extends Error {}

export async function grade(
  exercise: Exercise,
  code: string,
  session: Session,
  options: GradeOptions = {},
): Promise<Verdict> {
  const started = performance.now();
  const seed = options.seed ?? Math.floor(Math.random() * 0x7fffffff);
  const results: CheckResult[] = [];
  const trace: TraceEvent[] = [];
  let kernels = 0;
  let learners = 0;
  let damaged: Finding | null = null;
  let figure: ParetoFigure | undefined;
  const planned = plannedChecks(exercise);
  const finish = (run: RunResult, stopped?: string): Verdict => ({
    run,
    solved: stopped === undefined && results.length > 0 && results.every((r) => r.status === 'pass'),
    checks: results,
    seed,
    milliseconds: performance.now() - started,
    learnerMilliseconds: run.milliseconds + learners,
    kernels,
    ...(stopped === undefined ? {} : { stopped }),
    ...(figure === undefined ? {} : { figure }),
  });
  const source = code.split('\n');
  const record = (result: CheckResult) => {
    const quote = result.line ? source[result.line - 1]?.trim() : undefined;
    const quoted = quote ? { ...result, quote } : result;
    results.push(quoted);
    options.onCheck?.(quoted, results.length, planned.length);
  };
  const own = kitChecks(exercise);
  const skipRest = (why: string) => {
    const done = new Set(results.map((r) => r.id));
    const rules = new Map([...Object.values(own), ...exercise.checks].map((c) => [c.id, c.rule]));
    for (const c of planned) {
      if (!done.has(c.id)) record({ ...c, rule: rules.get(c.id) ?? '', status: 'skipped', message: why });
    }
  };

  // 1. The script itself
  const run = await session.run(code, { ...(options.onOutput ? { onOutput: options.onOutput } : {}) });
  kernels += run.kernels;
  const { runs } = own;
  if (run.status !== 'done') {
    const message =
      run.status === 'stopped' ? (run.reason ?? 'It was stopped.') : `${run.error?.type}: ${run.error?.message}`;
    record({ ...runs, status: 'fail', message, line: run.error?.line ?? null });
    skipRest('The others were not tried, since the script did not run.');
    return finish(run, run.status === 'stopped' ? message : undefined);
  }
  record({ ...runs, status: 'pass' });

  // 2. What it must define
  const names = exercise.functions.map((n) => JSON.stringify(n)).join(', ');
  const missing = await session.evaluate(`[n for n in (${names},) if not callable(globals().get(n))]`);
  const absent =
    missing.value?.kind === 'list'
      ? missing.value.items.map((i) => (i.kind === 'string' ? i.value : ''))
      : exercise.functions;
  const { defines } = own;
  if (absent.length > 0) {
    record({ ...defines, status: 'fail', message: `There is no function named ${absent.join(' or ')}.` });
    skipRest('The others were not tried, since a function is missing.');
    return finish(run);
  }
  record({ ...defines, status: 'pass' });

  // 3. Hidden inputs
  const evaluateCalls = async (
    expression: string,
    calls: readonly Call[],
    extra: Record<string, PyValue> = {},
    traced = false,
  ): Promise<Outcome[]> => {
    const result = await session.evaluate(
      expression,
      { harness: { kind: 'string', value: HARNESS }, calls: { kind: 'list', items: calls.map(callValue) }, ...extra },
      { trace: traced, timeLimit: options.timeLimit ?? 20_000 },
    );
    if (result.status === 'stopped') throw new Stopped(result.reason ?? 'It was stopped.');
    // An ordinary exception is an outcome, and the harness has caught it; this went past it.
    const [milliseconds, outcomes] = result.value?.kind === 'list' ? result.value.items : [];
    if (result.status === 'error' || milliseconds?.kind !== 'number' || outcomes?.kind !== 'list')
      throw new BrokeOut(howItBrokeOut(result.error));
    learners += Number(milliseconds.value);
    if (result.trace) trace.push(...result.trace);
    kernels += kernelsOf(result.trace);
    return outcomes.items.map(toOutcome);
  };
  const callLearner = async (calls: readonly Call[]): Promise<Outcome[]> => {
    const outcomes = await evaluateCalls(CALL_EACH, calls, {}, true);
    outcomes.forEach((o, i) => {
      damaged ??= damage(calls[i] as Call, o);
    });
    return outcomes;
  };
  const context: CheckContext = {
    call: callLearner,
    trace: () => trace,
    show(shown) {
      figure = shown;
    },
    async traced(call) {
      const before = trace.length;
      const [outcome] = await callLearner([call]);
      return { outcome: outcome as Outcome, trace: trace.slice(before) };
    },
    async forAll({ inputs, examples = [], runs: count, call, judge }) {
      const drawing = new Remembered(inputs);
      const drawn = [...examples, ...fc.sample(drawing, { seed, numRuns: count })];
      const outcomes = await callLearner(drawn.map(call));
      const at = drawn.findIndex((input, i) => judge(input, outcomes[i] as Outcome) !== null);
      if (at < 0) return null;
      const found = judge(drawn[at] as (typeof drawn)[number], outcomes[at] as Outcome);
      if (at < examples.length || options.shrinking === false) return found;
      return shrink(drawing.at(at - examples.length), found, inputs, async (candidates) => {
        const results = await evaluateCalls(CALL_EACH, candidates.map(call));
        return candidates.map((input, i) => judge(input, results[i] as Outcome));
      });
    },
  };
  const recognise = recogniser(exercise, options.mistakes ?? {}, session, context, evaluateCalls);
  try {
    for (const check of exercise.checks) record(await runCheck(check, context, recognise));
  } catch (error) {
    if (!(error instanceof Stopped || error instanceof BrokeOut)) throw error;
    const done = new Set(results.map((r) => r.id));
    const stuck = exercise.checks.find((c) => !done.has(c.id));
    if (stuck) {
      const { id, task, title, rule } = stuck;
      record({ id, task, title, rule, status: 'fail', message: error.message });
    }
    skipRest('The others were not tried, since this call did not return.');
    return error instanceof BrokeOut ? finish(run) : finish(run, error.message);
  }

  // 4. What holds for every exercise
  const { kept } = own;
  const harm = damaged as Finding | null;
  if (harm) record({ ...kept, ...harm, status: 'fail', ...(await recognise('inputs-kept')) });
  else record({ ...kept, status: 'pass' });
  if (exercise.forbidden) {
    const { ops, names = [], message } = exercise.forbidden;
    const event = trace.find((e) => ops.includes(e.op) && e.phase === 'forward');
    const used = event ? { name: event.op, line: event.line } : await forbiddenUse(session, exercise.functions, names);
    if (used)
      record({
        ...own.work,
        status: 'fail',
        message: `${message} (${used.name}${used.line === null ? '' : `, line ${used.line}`})`,
        line: used.line,
      });
    else record({ ...own.work, status: 'pass' });
  }
  return finish(run);
}

function howItBrokeOut(error: PythonError | undefined): string {
  if (!error || error.type === 'SystemExit')
    return 'The call ended the script, as sys.exit() does, in place of returning.';
  const text = error.message.trim();
  return `The call broke out of the check with ${error.type}${text ? `: ${text}` : ''}${/[.!?]$/.test(text) ? '' : '.'}`;
}

async function runCheck(check: Check, context: CheckContext, recognise: Recognise): Promise<CheckResult> {
  const { id, task, title, rule } = check;
  const finding = await check.run(context);
  if (!finding) return { id, task, title, rule, status: 'pass' };
  if ('notTried' in finding) return { id, task, title, rule, status: 'skipped', message: finding.notTried };
  return { id, task, title, rule, status: 'fail', ...finding, ...(await recognise(id)) };
}

const callValue = (call: Call): PyValue => ({
  kind: 'tuple',
  items: [
    { kind: 'string', value: call.function },
    { kind: 'list', items: call.arguments },
    { kind: 'string', value: call.mode ?? 'call' },
    call.scenario === undefined ? { kind: 'none' } : { kind: 'string', value: call.scenario },
  ],
});

async function forbiddenUse(
  session: Session,
  functions: readonly string[],
  names: readonly string[],
): Promise<{ readonly name: string; readonly line: number | null } | null> {
  if (names.length === 0) return null;
  const strings = (all: readonly string[]): PyValue => ({
    kind: 'list',
    items: all.map((value): PyValue => ({ kind: 'string', value })),
  });
  const { value } = await session.evaluate(FORBIDDEN_USE, {
    harness: { kind: 'string', value: HARNESS },
    functions: strings(functions),
    names: strings(names),
  });
  if (value?.kind !== 'list') return null;
  const [name, line] = value.items;
  return {
    name: name?.kind === 'string' ? name.value : '',
    line: line?.kind === 'number' ? Number(line.value) : null,
  };
}

function toOutcome(value: PyValue): Outcome {
  if (value.kind !== 'tuple' && value.kind !== 'list') throw new Error('grading failed: the harness gave no tuple');
  const [kind, first, second, third] = value.items as PyValue[];
  if (kind?.kind === 'string' && kind.value === 'raised') {
    return {
      kind: 'raised',
      type: first?.kind === 'string' ? first.value : 'Exception',
      message: second?.kind === 'string' ? second.value : '',
      line: third?.kind === 'number' ? Number(third.value) : null,
    };
  }
  return { kind: 'returned', value: first as PyValue, argumentsAfter: second?.kind === 'list' ? second.items : [] };
}

function damage(call: Call, outcome: Outcome): Finding | null {
  if (outcome.kind !== 'returned') return null;
  for (let i = 0; i < call.arguments.length; i++) {
    const before = call.arguments[i] as PyValue;
    const after = outcome.argumentsAfter[i];
    if (before.kind !== 'tensor' || after?.kind !== 'tensor') continue;
    if (before.bits !== after.bits || before.dtype !== after.dtype) {
      return {
        message: `After the call, argument ${i + 1} no longer holds what was passed in.`,
        counterexample: { call: callText(call) },
      };
    }
  }
  return null;
}

const kernelsOf = (trace: readonly TraceEvent[] | undefined): number =>
  (trace ?? []).filter((e) => e.backend === 'webgpu').length;
