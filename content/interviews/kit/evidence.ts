/**
 * Computes evidence: a request becomes Python in the session, its answer becomes plots, tables and facts. The same code serves the page (WebGPU)
 * and the gate (reference backend); it sees only the Session interface.
 */
import type { PyValue, RunOptions, Session, TraceEvent } from '@/engine/session/session';
import { type Evidence, type EvidenceRequest, type Facts, type Interview, PROBE } from './schema';

export interface Series {
  readonly name: string;
  readonly style: 'line' | 'step' | 'bars' | 'dots' | 'cross';
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface PlotAxis {
  readonly label: string;
  readonly scale: 'linear' | 'log';
}

export type Block =
  | {
      readonly kind: 'plot';
      readonly title: string;
      readonly x: PlotAxis;
      readonly y: PlotAxis;
      readonly series: readonly Series[];
      readonly marks: readonly { readonly x: number; readonly label: string }[];
    }
  | {
      readonly kind: 'table';
      readonly title: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'code'; readonly title: string; readonly firstLine: number; readonly lines: readonly string[] }
  /** What a probe printed. */
  | { readonly kind: 'output'; readonly text: string };

export interface EvidenceResult {
  readonly blocks: readonly Block[];
  readonly facts: Facts;
  /** Why there is nothing else: the computation failed or was stopped. */
  readonly fault?: string;
}

/** The Python of a scenario, as it lies in its folder. */
export interface RunSources {
  /** run.py */
  readonly run: string;
  /** scenario.py: instruments of its own; may be empty. */
  readonly scenario: string;
  /** kit/instruments.py */
  readonly instruments: string;
}

/** Milliseconds for one instrument: 48 small training steps, twice, on a software adapter. */
const TIME_LIMIT = 120_000;
const RUN_FILE = 'run.py';

/** run.py with its seed set. Throws if it has no line `SEED = …`, or several. */
export function seeded(source: string, seed: number): string {
  const lines = source.match(/^SEED = .*$/gm) ?? [];
  if (lines.length !== 1) throw new Error(`run.py must have exactly one line "SEED = …", and has ${lines.length}`);
  return source.replace(/^SEED = .*$/m, `SEED = ${seed}`);
}

/** Makes the modules `run`, `instruments` and `scenario`; their lines are those of their files. */
const bootstrap = (sources: RunSources, seed: number, token: string): string => `import sys, types
import torch

def _load(name, source, filename):
    module = types.ModuleType(name)
    module.__source__ = source
    sys.modules[name] = module
    exec(compile(source, filename, "exec"), module.__dict__)
    return module

run = _load("run", ${JSON.stringify(seeded(sources.run, seed))}, "${RUN_FILE}")
instruments = _load("instruments", ${JSON.stringify(sources.instruments)}, "instruments.py")
scenario = _load("scenario", ${JSON.stringify(sources.scenario)}, "scenario.py")
desk = ${JSON.stringify(token)}
`;

/** Runs the candidate's own script beside the run: `import run` gives it. */
const RUN_PROBE = `(lambda tracebacks: (tracebacks.add_source("probe.py", source), exec(compile(source, "probe.py", "exec"), {"__name__": "__main__", "run": run, "instruments": instruments})))(__import__("_subnormal.tracebacks", fromlist=["x"]))`;

export class EvidenceDesk {
  /** Tells this desk's run from whatever else the session ran. */
  private token = crypto.randomUUID();

  constructor(
    private readonly interview: Interview,
    private readonly sources: RunSources,
    private readonly seed: number,
  ) {}

  /** The symptoms, for the interviewer's opening. */
  opening(session: Session): Promise<EvidenceResult> {
    return this.show(session, this.interview.opening);
  }

  /** Never rejects for what Python did: a fault is part of the result. */
  async compute(request: EvidenceRequest, session: Session): Promise<EvidenceResult> {
    if (request.evidence === PROBE) return this.probe(session, request.parameters.code ?? '');
    const evidence = this.entry(request);
    const { instrument } = evidence;
    switch (instrument.kind) {
      case 'python':
        return this.show(session, withParameters(instrument.expression, request.parameters));
      case 'op-dtypes':
        return this.opDtypes(session, Number(request.parameters.step ?? 0));
      case 'code':
        return codeAround(seeded(this.sources.run, this.seed), request.parameters.place ?? '');
    }
  }

  /** A number that the engine computes, for a prediction. Rejects if the expression fails: that is the scenario's fault. */
  async truth(session: Session, expression: string): Promise<number> {
    await this.load(session);
    const { value, error, reason } = await session.evaluate(expression, {}, { timeLimit: TIME_LIMIT });
    if (value?.kind !== 'number') throw new Error(error?.traceback ?? reason ?? `${expression} gave no number`);
    return Number(plain(value));
  }

  private entry(request: EvidenceRequest): Evidence {
    const evidence = this.interview.evidence.find((e) => e.id === request.evidence);
    if (!evidence) throw new Error(`the catalogue has no evidence "${request.evidence}"`);
    return evidence;
  }

  /** Loads the run, unless it is loaded still: what instruments remember of it (instruments.history) is then kept. */
  private async load(session: Session): Promise<void> {
    const still = await session.evaluate(`desk == ${JSON.stringify(this.token)}`);
    if (still.value?.kind === 'number' && still.value.value === 1) return;
    const { status, error, reason } = await session.run(bootstrap(this.sources, this.seed, this.token), {
      filename: RUN_FILE,
    });
    if (status !== 'done') throw new Error(error?.traceback ?? reason ?? 'the run could not be loaded');
  }

  private async evaluate(session: Session, expression: string, options: RunOptions = {}) {
    await this.load(session);
    return session.evaluate(expression, {}, { timeLimit: TIME_LIMIT, ...options });
  }

  /** What an expression over `instruments` and `scenario` shows. */
  async show(session: Session, expression: string): Promise<EvidenceResult> {
    try {
      const { value, error, reason } = await this.evaluate(session, expression);
      if (!value) return faulty(error ? `${error.type}: ${error.message}` : reason);
      return parseResult(value);
    } catch (error) {
      return faulty(error instanceof Error ? error.message : String(error));
    }
  }

  private async probe(session: Session, code: string): Promise<EvidenceResult> {
    try {
      // A run of its own, before and after: a probe may change whatever it imports.
      this.token = crypto.randomUUID();
      await this.load(session);
      this.token = crypto.randomUUID();
      const { output, error, reason } = await session.evaluate(
        RUN_PROBE,
        { source: { kind: 'string', value: code } },
        {
          timeLimit: TIME_LIMIT,
        },
      );
      const failure = error ? `${error.type}: ${error.message}\n` : reason ? `${reason}\n` : '';
      return { blocks: [{ kind: 'output', text: `${output}${failure}` || 'It printed nothing.' }], facts: {} };
    } catch (error) {
      return faulty(error instanceof Error ? error.message : String(error));
    }
  }

  private async opDtypes(session: Session, step: number): Promise<EvidenceResult> {
    try {
      await this.load(session);
      const options = { timeLimit: TIME_LIMIT };
      const ready = await session.evaluate(`instruments.prepare_forward(${step})`, {}, options);
      if (ready.status !== 'done')
        return faulty(ready.error ? `${ready.error.type}: ${ready.error.message}` : ready.reason);
      const { trace, error, reason } = await session.evaluate(
        'instruments.forward_only()',
        {},
        { ...options, trace: true },
      );
      if (!trace) return faulty(error ? `${error.type}: ${error.message}` : reason);
      return opTable(trace, step);
    } catch (error) {
      return faulty(error instanceof Error ? error.message : String(error));
    }
  }
}

const faulty = (fault: string | undefined): EvidenceResult => ({
  blocks: [],
  facts: {},
  fault: fault ?? 'It could not be computed.',
});

/** `finite_check({step}, {module})`: parameters become Python literals; other braces are left alone. */
function withParameters(expression: string, parameters: Readonly<Record<string, string>>): string {
  return expression.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    if (value === undefined) return whole;
    return /^-?\d+(\.\d+)?$/.test(value) ? value : JSON.stringify(value);
  });
}

/** A Python value as JSON would have it; "inf" and "nan" of a float become the numbers. */
function plain(value: PyValue): unknown {
  switch (value.kind) {
    case 'number':
      return value.type === 'bool' ? Boolean(value.value) : pythonNumber(value.value);
    case 'string':
      return value.value;
    case 'none':
      return null;
    case 'list':
    case 'tuple':
      return value.items.map(plain);
    case 'dict':
      return Object.fromEntries(value.entries.map(([k, v]) => [k, plain(v)]));
    case 'tensor':
    case 'other':
      throw new Error(
        `an instrument gave ${value.kind === 'other' ? value.repr : 'a tensor'}; it must give numbers and strings`,
      );
  }
}

function pythonNumber(value: number | string): number {
  if (typeof value === 'number') return value;
  if (value === 'inf') return Number.POSITIVE_INFINITY;
  if (value === '-inf') return Number.NEGATIVE_INFINITY;
  return Number(value === 'nan' ? Number.NaN : value);
}

function parseResult(value: PyValue): EvidenceResult {
  const result = plain(value) as Partial<EvidenceResult> | null;
  if (!result || !Array.isArray(result.blocks) || typeof result.facts !== 'object')
    throw new Error('an instrument must give {"blocks": […], "facts": {…}}; use instruments.result');
  return { blocks: result.blocks as readonly Block[], facts: result.facts as Facts };
}

/** Lines shown on each side of what is asked for. */
const CONTEXT = 3;

/** The definitions of run.py that can be asked for, in order: "class Fields", "def batch_at". */
export function places(source: string): readonly string[] {
  return [...source.matchAll(/^(?:class|def) (\w+)/gm)].map((m) => m[1] as string);
}

function codeAround(source: string, place: string): EvidenceResult {
  const lines = source.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^(class|def) ${place}\\b`).test(line));
  if (start < 0) return faulty(`run.py defines no "${place}".`);
  let end = start + 1;
  while (end < lines.length && !/^\S/.test(lines[end] as string)) end++;
  const from = Math.max(0, start - (start > 0 ? CONTEXT : 0));
  const shown = lines.slice(from, end);
  while (shown.at(-1)?.trim() === '') shown.pop();
  return {
    blocks: [{ kind: 'code', title: `run.py, ${place}`, firstLine: from + 1, lines: shown }],
    facts: { place, lines: shown.length },
  };
}

/** Conversions that autocast itself makes are no op that anybody wrote. */
const CONVERSION = '_to_copy';

function opTable(trace: readonly TraceEvent[], step: number): EvidenceResult {
  const rows = trace
    .filter((e) => e.phase === 'forward' && e.op !== CONVERSION)
    .map((e) => [
      e.line === null ? '' : String(e.line),
      e.op,
      e.inputs.map((i) => i.dtype).join(', '),
      e.outputs[0]?.dtype ?? '',
      e.autocast ?? 'not touched',
    ]);
  const dtypesOf = (op: string) => [...new Set(rows.filter((r) => r[1] === op).map((r) => r[3]))].join(', ');
  const decisionsOn = (op: string) => [...new Set(rows.filter((r) => r[1] === op).map((r) => r[4]))].join(', ');
  const ops = [...new Set(rows.map((r) => r[1] as string))];
  return {
    blocks: [
      {
        kind: 'table',
        title: `Ops of the forward of step ${step}, in order`,
        columns: ['line', 'op', 'inputs', 'output', 'autocast'],
        rows,
      },
    ],
    facts: {
      step,
      ...Object.fromEntries(ops.map((op) => [op, dtypesOf(op)])),
      ...Object.fromEntries(ops.map((op) => [`${op} autocast`, decisionsOn(op)])),
    },
  };
}
