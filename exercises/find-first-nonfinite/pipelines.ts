/** Hidden pipelines: stages as Python expressions of x, and whether each output is finite, worked out here in doubles. */
import fc from 'fast-check';
import { float16, float32, roundToFormat } from '../../engine/formats/float-format';

export interface PipelineCase {
  readonly dtype: 'float16' | 'float32';
  readonly x: readonly number[];
  /** Name and expression. */
  readonly stages: readonly (readonly [string, string])[];
}

interface Operation {
  readonly apply: (x: readonly number[]) => number[];
  /** Its last bits may differ between libraries. */
  readonly inexact?: true;
}

const each = (f: (v: number) => number) => (x: readonly number[]) => x.map(f);

/** What a stage may do. Division by zero, logarithms of zero and inf - inf are as in IEEE 754, in doubles as in float16. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'x * 0': { apply: each((v) => v * 0) },
  'x * 2': { apply: each((v) => v * 2) },
  'x * 64': { apply: each((v) => v * 64) },
  'x * 300': { apply: each((v) => v * 300) },
  'x - 4': { apply: each((v) => v - 4) },
  'x * x': { apply: each((v) => v * v) },
  'x / 16': { apply: each((v) => v / 16) },
  '1 / x': { apply: each((v) => 1 / v), inexact: true },
  'torch.exp(x)': { apply: each(Math.exp), inexact: true },
  'torch.log(x)': { apply: each(Math.log), inexact: true },
  'torch.sqrt(x)': { apply: each(Math.sqrt), inexact: true },
  'torch.tanh(x)': { apply: each(Math.tanh), inexact: true },
  'torch.relu(x)': { apply: each((v) => (Number.isNaN(v) ? v : Math.max(v, 0))) },
  'x - x.amax(dim=-1, keepdim=True)': {
    apply: (x) => x.map((v) => v - (x.some(Number.isNaN) ? Number.NaN : Math.max(...x))),
  },
  'x.sum(dim=-1, keepdim=True)': { apply: (x) => [x.reduce((a, b) => a + b, 0)] },
};

const allFinite = (x: readonly number[]) => x.every(Number.isFinite);

/** The guilty stage, "input", or null for none; undefined where that hangs on a last bit. */
export function guilty(c: PipelineCase): string | null | undefined {
  const format = c.dtype === 'float16' ? float16 : float32;
  let x = c.x.map((v) => roundToFormat(v, format));
  if (!allFinite(x)) return 'input';
  let inexact = false;
  for (const [name, expression] of c.stages) {
    const operation = OPERATIONS[expression];
    if (!operation) throw new Error(`find-first-nonfinite: no operation "${expression}"`);
    const y = operation.apply(x);
    inexact ||= operation.inexact === true;
    // Once a last bit is open, stay away from the ends of the range and from zero, where it would decide.
    if (inexact && y.some((v) => Math.abs(v / format.max - 1) < 0.05 || (v !== 0 && Math.abs(v) < 1e-3)))
      return undefined;
    x = y.map((v) => roundToFormat(v, format));
    if (!allFinite(x)) return name;
  }
  return null;
}

const NAMES = ['embed', 'gain', 'attention', 'scores', 'norm', 'mix', 'gate', 'project', 'head'] as const;

/** Chains of one to six stages; faults come where they come. */
export const pipelineCases: fc.Arbitrary<PipelineCase> = fc
  .record({
    dtype: fc.constant('float16' as const),
    x: fc.array(fc.integer({ min: -8, max: 24 }), { minLength: 1, maxLength: 4 }),
    names: fc.shuffledSubarray([...NAMES], { minLength: 6, maxLength: 6 }),
    expressions: fc.array(fc.constantFrom(...Object.keys(OPERATIONS)), { minLength: 1, maxLength: 6 }),
  })
  .map(({ dtype, x, names, expressions }) => ({
    dtype,
    x,
    stages: expressions.map((e, i) => [names[i] as string, e] as const),
  }))
  .filter((c) => guilty(c) !== undefined);

/** Pipelines with a fault, among others behind the first stage. */
export const faultyCases = pipelineCases.filter((c) => typeof guilty(c) === 'string');
export const finiteCases = pipelineCases.filter((c) => guilty(c) === null);

const NAN = Number.NaN;
const INF = Number.POSITIVE_INFINITY;
const half = (x: readonly number[], ...stages: (readonly [string, string])[]): PipelineCase => ({
  dtype: 'float16',
  x,
  stages,
});
const CENTRE = 'x - x.amax(dim=-1, keepdim=True)';

export const faults: readonly PipelineCase[] = [
  // an overflow that turns into inf - inf two stages later
  half([8, 2], ['gain', 'x * 64'], ['power', 'x * x'], ['scale', 'x * 2'], ['centre', CENTRE], ['head', 'x / 16']),
  half([12, 1], ['scores', 'x * 2'], ['exp', 'torch.exp(x)'], ['sum', 'x.sum(dim=-1, keepdim=True)']),
  // 1 / 0, and then 0 * inf
  half([0, 4], ['inverse', '1 / x'], ['mask', 'x * 0']),
  half([4, 3], ['shift', 'x - 4'], ['log', 'torch.log(x)'], ['gate', 'x * 0']),
  // straight to NaN
  half([4, 3], ['shift', 'x - 4'], ['root', 'torch.sqrt(x)'], ['head', 'x * 2']),
  // a sum of finite values
  half(
    [30, 30, 30, 30],
    ['gain', 'x * 300'],
    ['gain again', 'x * 2'],
    ['sum', 'x.sum(dim=-1, keepdim=True)'],
    ['head', 'x * 300'],
  ),
];

/** The end is finite again: tanh(inf) = 1, 1 / inf = 0. */
export const hidden: readonly PipelineCase[] = [
  half([24, 1], ['gain', 'x * 300'], ['power', 'x * x'], ['squash', 'torch.tanh(x)']),
  half([0, 2], ['inverse', '1 / x'], ['back', '1 / x'], ['head', 'x * 2']),
];

export const badInputs: readonly PipelineCase[] = [
  half([1, NAN], ['gain', 'x * 2'], ['head', 'x - 4']),
  half([INF, 1], ['squash', 'torch.tanh(x)'], ['head', 'x * 2']),
  half([-INF]),
];

export const finite: readonly PipelineCase[] = [
  half([1, 2], ['gain', 'x * 64'], ['head', 'x - 4']),
  half([65504, 1], ['head', 'x / 16']),
  // the elements are finite, their sum in float16 would not be
  half([40000, 40000], ['head', 'x * 0']),
  half([3]),
  {
    dtype: 'float32',
    x: [24, 1],
    stages: [
      ['gain', 'x * 300'],
      ['power', 'x * x'],
      ['head', 'x * 2'],
    ],
  },
];
