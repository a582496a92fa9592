import fc from 'fast-check';
import { roundFloat16 } from '../../engine/formats/half';
import type { TraceEvent } from '../../engine/session/session';
import { compareTensor, expectTensor } from '../kit/compare';
import { type Call, type Check, defineExercise, type Finding, type Outcome } from '../kit/schema';
import { pythonLiteral, smallestSubnormal, tensor, unitRoundoff } from '../kit/values';
import { badInputs, faults, faultyCases, finite, finiteCases, guilty, hidden, type PipelineCase } from './pipelines';

const SCENARIO = `
import torch

def scenario(namespace, stages, x):
    functions = [(name, eval("lambda x: " + expression, {"torch": torch})) for name, expression in stages]
    return namespace["first_nonfinite"](functions, x)
`;

function searchCall(c: PipelineCase): Call {
  const x = tensor(c.dtype, [c.x.length], c.x);
  const text = (value: string) => ({ kind: 'string', value }) as const;
  const stages = c.stages.map(([name, e]) => ({ kind: 'tuple', items: [text(name), text(e)] }) as const);
  const shown = c.stages.map(([name, e]) => `    ("${name}", lambda x: ${e}),\n`).join('');
  return {
    function: 'first_nonfinite',
    arguments: [{ kind: 'list', items: stages }, x],
    scenario: SCENARIO,
    shown: `first_nonfinite([${shown && `\n${shown}`}], ${pythonLiteral(x)})`,
  };
}

function judgeSearch(c: PipelineCase, outcome: Outcome): Finding | null {
  const counterexample = { call: searchCall(c).shown as string };
  if (outcome.kind === 'raised')
    return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
  const expected = guilty(c);
  const { value } = outcome;
  const got = value.kind === 'string' ? value.value : value.kind === 'none' ? null : undefined;
  if (got === expected) return null;
  const said = got === undefined ? pythonLiteral(value) : got === null ? 'None' : `"${got}"`;
  const why =
    expected === null
      ? 'every value is finite, so None was expected.'
      : expected === 'input'
        ? 'x itself is not finite, so "input" was expected.'
        : `the first output with an inf or NaN is that of "${expected}".`;
  return { message: `It said ${said}, but ${why}`, counterexample };
}

const searchCheck = (
  id: string,
  title: string,
  rule: string,
  examples: readonly PipelineCase[],
  inputs: fc.Arbitrary<PipelineCase>,
  runs: number,
): Check => ({
  id,
  task: 'find',
  title,
  rule,
  run: ({ forAll }) => forAll({ inputs, examples, runs, call: searchCall, judge: judgeSearch }),
});

/** Frames, row by row. */
interface Frames {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

const repairCall = (f: Frames): Call => ({
  function: 'repaired',
  arguments: [tensor('float16', f.shape, f.values)],
});

/** rows of float16 values, exactly, after the gain of 8 (a power of two: exact as well) */
function amplified(f: Frames): number[][] {
  const n = f.shape.at(-1) as number;
  const h = f.values.map((v) => 8 * roundFloat16(v));
  return Array.from({ length: h.length / n }, (_, r) => h.slice(r * n, (r + 1) * n));
}

const meanPower = (row: readonly number[]) => row.reduce((a, h) => a + h * h, 0) / row.length;

/**
 * r / (r + 16) with r the root of the mean power m, and how far a legal result may lie from it.
 *
 * With u the unit roundoff of float16 and η its smallest subnormal: power and mean may each round once to float16, so m is off by at most
 * 2um + η; the root, the sum and the quotient round once each. One u more on the root leaves room for other ways to get there, such as
 * a norm divided by sqrt(n). All of it is monotonic in r, so the ends of its interval give the ends of the result's.
 */
function legalLevels(f: Frames): { exact: number[]; slack: number[] } {
  const u = unitRoundoff('float16');
  const eta = smallestSubnormal('float16');
  const level = (r: number) => r / (r + 16);
  const exact: number[] = [];
  const slack: number[] = [];
  for (const row of amplified(f)) {
    const m = meanPower(row);
    const off = 2 * u * m + eta;
    const low = Math.sqrt(Math.max(0, m - off)) * (1 - 2 * u) - eta;
    const high = Math.sqrt(m + off) * (1 + 2 * u) + eta;
    const right = level(Math.sqrt(m));
    exact.push(right);
    const up = level(high) * (1 + 2 * u) ** 2 + eta - right;
    const down = right - (level(Math.max(0, low)) * (1 - u) ** 2 - eta);
    slack.push(Math.max(up, down));
  }
  return { exact, slack };
}

function judgeRepair(f: Frames, outcome: Outcome): Finding | null {
  const { exact, slack } = legalLevels(f);
  return compareTensor(repairCall(f), outcome, expectTensor('float16', [...f.shape.slice(0, -1), 1], exact, slack));
}

/** Frames of one or two rows, each element drawn by `element`; kept where the mean power is well within float16. */
const frames = (element: fc.Arbitrary<number>): fc.Arbitrary<Frames> =>
  fc
    .tuple(fc.constantFrom(4, 8, 16), fc.constantFrom(0, 1, 2))
    .chain(([n, rows]) =>
      fc
        .array(element, { minLength: n * Math.max(rows, 1), maxLength: n * Math.max(rows, 1) })
        .map((values): Frames => ({ shape: rows === 0 ? [n] : [rows, n], values })),
    )
    .filter((f) => amplified(f).every((row) => meanPower(row) < 60000));

const quiet = frames(fc.double({ min: 2 ** -11, max: 2 ** -8, noNaN: true }));
const ordinary = frames(fc.double({ min: -4, max: 4, noNaN: true }));
/** 8 x 33 = 264 is beyond 256, the first square that float16 can't hold. */
const loud = frames(
  fc.oneof(
    { weight: 8, arbitrary: fc.double({ min: -2, max: 2, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: 33, max: 110, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: -110, max: -33, noNaN: true }) },
  ),
).filter((f) => amplified(f).some((row) => row.some((h) => h * h > 66000)));

const spike: Frames = { shape: [16], values: [100, 0.5, -2, 1, ...new Array<number>(12).fill(0.25)] };
const twoRows: Frames = { shape: [2, 8], values: [1, 2, 3, 4, 0, 0, 0, 1, -70, 0, 1, 0, 2, 0, 0, 50] };
const soft: Frames = { shape: [4], values: [2 ** -10, 2 ** -11, 2 ** -9, 2 ** -10] };

/** Irregular values: their roundings tell one repair from another. */
const irregular: readonly Frames[] = [
  { shape: [8], values: [33.3, -71.7, 5.1, 0.9, 1.3, -2.7, 0.1, 7.7] },
  { shape: [2, 4], values: [1.1, -2.3, 0.7, 3.9, 0.37, 0.11, -0.53, 0.29] },
];

const CASTS: readonly string[] = ['_to_copy', 'full', 'fill', 'zeros', 'ones', 'reshape', 'expand', 'contiguous'];

function judgeWidth(trace: readonly TraceEvent[]): Finding | null {
  const wide = trace.filter(
    (e) =>
      !CASTS.includes(e.op) &&
      e.outputs.some((o) => o.dtype === 'float32' || o.dtype === 'float64' || o.dtype === 'bfloat16'),
  );
  const bfloat16 = wide.find((e) => e.outputs.some((o) => o.dtype === 'bfloat16'));
  if (bfloat16) {
    return {
      message: `${bfloat16.op} ran in bfloat16. It has the range, but 8 significant bits where float16 has 11: widen to float32.`,
      line: bfloat16.line,
    };
  }
  if (wide.length <= 2) return null;
  const list = wide.map((e) => (e.line === null ? e.op : `${e.op} (line ${e.line})`)).join(', ');
  return {
    message: `${wide.length} operations ran wider than float16: ${list}. Two are enough: the one that overflows, and the one that brings its result back.`,
    line: wide[2]?.line ?? null,
  };
}

const repairRule =
  'float16, within the roundings that a chain of float16 operations may make: power and mean once each, root, sum and quotient once each.';

const searchRule =
  'Finite means neither inf nor NaN, for every element. The first stage with a nonfinite output is the cause; all later ones only pass it on.';

export default defineExercise({
  title: 'Find the first nonfinite value',
  summary: 'Write the probe that names the guilty stage of a float16 pipeline, and repair that stage only.',
  kind: 'find',
  minutes: 20,
  level: 'interview',
  prerequisites: ['three-failures', 'range-versus-precision'],
  teaches: ['first nonfinite value', 'narrow float32 island'],
  version: 1,
  functions: ['first_nonfinite', 'repaired'],
  tasks: [
    { id: 'find', title: 'Find it' },
    { id: 'repair', title: 'Repair it' },
  ],
  hints: [
    'An inf can become a NaN (inf - inf, 0 * inf, inf / inf), and it can become finite again (1 / inf, tanh). So when do you have to look?',
    'Which predicate is true for everything but inf and NaN? And does it have to hold for one element, or for all?',
    'Print max of each stage’s output for the frame in the starter. Which one is inf first, and what would it have been?',
    'The result of the widened operation has no place in float16. Which is the next operation whose result has one again?',
  ],
  checks: [
    searchCheck('faults', 'It names the stage where the fault begins', searchRule, faults, faultyCases, 30),
    searchCheck(
      'hidden',
      'Also if the end is finite again',
      `${searchRule} tanh(inf) is 1 and 1 / inf is 0: finite, and wrong.`,
      hidden,
      faultyCases,
      10,
    ),
    searchCheck(
      'input',
      'A nonfinite input is no stage’s fault',
      `${searchRule} If x has one already, the answer is "input".`,
      badInputs,
      fc.constantFrom(...badInputs),
      3,
    ),
    searchCheck('none', 'Nothing to find: None', searchRule, finite, finiteCases, 20),
    {
      id: 'loud',
      task: 'repair',
      title: 'Loud frames give a finite and right level',
      rule: repairRule,
      run: ({ forAll }) =>
        forAll({ inputs: loud, examples: [spike, twoRows], runs: 16, call: repairCall, judge: judgeRepair }),
    },
    {
      id: 'ordinary',
      task: 'repair',
      title: 'Ordinary frames give what they gave before',
      rule: repairRule,
      run: ({ forAll }) =>
        forAll({
          inputs: ordinary,
          examples: [{ shape: [4], values: [0, 0, 0, 0] }],
          runs: 12,
          call: repairCall,
          judge: judgeRepair,
        }),
    },
    {
      id: 'quiet',
      task: 'repair',
      title: 'Quiet frames lose nothing to the repair',
      rule: `${repairRule} Squares of small numbers are near the other end of the range.`,
      run: ({ forAll }) => forAll({ inputs: quiet, examples: [soft], runs: 12, call: repairCall, judge: judgeRepair }),
    },
    {
      id: 'narrow',
      task: 'repair',
      title: 'At most two operations run wider than float16',
      rule: 'Judged by the trace of one call, which has the dtype of every operation. Casts do not count.',
      run: async ({ traced }) => {
        const call = repairCall(spike);
        const { outcome, trace } = await traced(call);
        return outcome.kind === 'raised' ? judgeRepair(spike, outcome) : judgeWidth(trace);
      },
    },
  ],
  mistakes: {
    nan_only: {
      fails: 'faults',
      message:
        'Your answers are those of looking for NaN only. An overflow is inf first, and becomes NaN later, or never: you name the place where it is seen, not where it comes from.',
    },
    only_the_end: {
      fails: 'faults',
      message:
        'Your answers are those of looking at the last output only. That the loss is NaN was known; which operation made it so can only be seen stage by stage.',
    },
    blames_the_first_stage: {
      fails: 'input',
      message:
        'Your answers blame the first stage for an input that was nonfinite already. In a real run that sends you into the model when the fault is in the data.',
    },
    checks_the_sum: {
      fails: 'none',
      message:
        'Your answers are those of testing the sum. It is a quick test, and in float16 a sum of finite values may overflow by itself: the probe raises a false alarm.',
    },
    compares_with_65504: {
      fails: 'none',
      message:
        'Your answers are those of comparing with 65504. That is float16’s largest finite value, so finite; and in float32 it is nothing special. isfinite asks the question for every dtype.',
    },
    searches_in_float32: {
      fails: 'faults',
      message:
        'Your answers are those of a search in float32, where most of these faults do not happen. Comparing the two runs is a good experiment, but the one that fails is the float16 one.',
    },
    nan_to_num: {
      fails: 'loud',
      message:
        'Your bits are those of the broken pipeline with its NaN replaced by 0. The loudest frames now have level 0. The symptom is gone and the number is as wrong as one can be.',
    },
    clamped: {
      fails: 'loud',
      message:
        'Your bits are those of clamping the power to 65504. It is finite, and it is another function: every peak above 256 counts as 256, without a word.',
    },
    widens_the_symptom: {
      fails: 'loud',
      message:
        'Your repair widens the stage where the NaN is seen. What arrives there is inf already, and inf / inf is NaN in every dtype.',
    },
    rescaled: {
      fails: 'quiet',
      message:
        'Your bits are those of scaling down before squaring. The loud frames are repaired, and the squares of the quiet ones now underflow: float16 has two ends.',
    },
    everything_in_float32: {
      fails: 'narrow',
      message:
        'Your repair runs everything in float32. It is right, and it is what autocast(enabled=False) around a whole model does: safe, slow, and nobody learned which operation it was.',
    },
  },
  probes: [...faults, ...hidden, ...badInputs, ...finite]
    .map(searchCall)
    .concat([spike, twoRows, soft, ...irregular].map(repairCall)),
  stages: [
    {
      title: 'Look before the first stage',
      why: 'If the input is not finite already, no stage is to blame. Without this question, every bad batch would send someone into the model.',
      code: `    if not torch.isfinite(x).all():
        return "input"`,
    },
    {
      title: 'Look after every stage, and stop at the first',
      why: 'An inf turns into a NaN, or into a finite number, further on: only the first bad output is the cause. isfinite is false for both, and has to hold for every element.',
      code: `    for name, stage in stages:
        x = stage(x)
        if not torch.isfinite(x).all():
            return name
    return None`,
    },
    {
      title: 'Widen the one operation that overflows',
      why: 'The square leaves the range from 256 on. It runs in float32, and so does the mean, whose result fits into float16 again: there the island ends.',
      code: `    x = x * 8
    power = x.float() * x.float()  # up to 4e9 for a finite x: beyond float16 from 256 on
    mean = power.mean(dim=-1, keepdim=True).half()  # back in range, so the island ends here`,
    },
    {
      title: 'Leave the rest in float16',
      why: 'Nothing behind the mean was ever at fault. What is not widened costs nothing, and says which operation it was.',
      code: `    rms = torch.sqrt(mean)
    return rms / (rms + 16)`,
    },
  ],
  followUps: [
    {
      question: 'How do you do this in a model of a hundred modules, without writing stages?',
      answer:
        'Forward hooks on every module, each checking isfinite(output).all() and raising with the module’s name; or a binary search over the layers on the saved batch. Each check on a GPU waits for the device, so hooks go in for the failing batch only, or the counts are collected and read once a step.',
    },
    {
      question: 'Everything in the forward is finite, and the gradients are not. What now?',
      answer:
        'The same search backward: hooks on gradients, or torch.autograd.set_detect_anomaly, which names the forward line of the op whose backward gave NaN. Then it may well be the loss scale itself, and halving it is the whole repair.',
    },
    {
      question: 'The first nonfinite op is found, and it is nonfinite in float32 too.',
      answer:
        'Then it isn’t a question of range in float16. Look at the data of that batch, at a division by zero, at the learning rate and the steps before: mixed precision has only made it visible, or has nothing to do with it.',
    },
  ],
});
