import { bfloat16, fromBits, toBits, ulpDistance } from '../../engine/formats/float-format';
import type { PyValue } from '../../engine/session/session';
import { numberText } from '../kit/compare';
import {
  type Call,
  type Check,
  type CheckContext,
  defineExercise,
  type Finding,
  type NotTried,
  type Outcome,
} from '../kit/schema';
import { type Floating, hex, pythonLiteral, type TensorValue, tensorBits, tensorNumbers } from '../kit/values';

/**
 * The functions that are broken, and the score that no input beats. The unit test of this exercise proves the scores of one element by trying
 * every float16; the reasons stand here.
 */
export const TARGETS = {
  softmax: {
    code: 'e = torch.exp(x)\n    return e / e.sum(dim=-1, keepdim=True)',
    // exp(11.0859375) = 65280.8 is finite in float16; its successor 11.09375 gives 65795 >= 65520, so inf. Below, exp(x) is 0 only from -17.33 on.
    smallest: { elements: 1, magnitude: 11.09375 },
  },
  normalize: {
    code: 'return x / torch.sqrt((x * x).mean(dim=-1, keepdim=True))',
    // (2^-24)^2 is 0 in float16, and x / 0 is inf. (An overflow gives x / inf = 0: wrong, but finite.) There is no smaller magnitude but 0, and 0 / 0 is NaN in bfloat16 as well.
    smallest: { elements: 1, magnitude: 2 ** -24 },
  },
  mean: {
    code: 'return x.sum(dim=-1) / x.shape[-1]',
    // The sum of one finite element is finite. Of two elements below 32768 each is at most 32752, the sum at most 65504: finite.
    smallest: { elements: 2, magnitude: 32768 },
  },
} as const;
type Target = keyof typeof TARGETS;
const targets = Object.keys(TARGETS) as Target[];

const LONGEST = 4096;

/** [the list, then for float16, bfloat16, float32: the input and the result], or the list alone where it can't be used. */
const scenarioOf = (target: Target): string => `
import math
import torch

def ${target}(x):
    ${TARGETS[target].code}

def scenario(namespace):
    values = namespace["break_${target}"]()
    usable = (
        isinstance(values, (list, tuple))
        and 0 < len(values) <= ${LONGEST}
        and all(isinstance(v, (int, float)) and math.isfinite(v) for v in values)
    )
    if not usable:
        return [repr(values)[:200]]
    runs = []
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.tensor(values, dtype=dtype, device="cuda")
        runs.append([x, ${target}(x)])
    return [repr(values)[:200], *runs]
`;

const breakCall = (target: Target): Call => ({
  function: `break_${target}`,
  arguments: [],
  scenario: scenarioOf(target),
});

interface Attempt {
  /** The list as Python prints it. */
  readonly text: string;
  /** Input and result for each dtype; absent where the list could not be used. */
  readonly runs?: Readonly<Record<Floating, { readonly x: TensorValue; readonly y: TensorValue }>>;
  readonly raised?: Finding;
}

/** All three are run once for a submission, in one round trip. */
const attempts = new WeakMap<CheckContext, Promise<readonly Attempt[]>>();

async function attempt(context: CheckContext, target: Target): Promise<Attempt> {
  let all = attempts.get(context);
  if (!all) {
    all = context.call(targets.map(breakCall)).then((outcomes) => outcomes.map(toAttempt));
    attempts.set(context, all);
  }
  return (await all)[targets.indexOf(target)] as Attempt;
}

function toAttempt(outcome: Outcome, i: number): Attempt {
  const call = `break_${targets[i]}()`;
  if (outcome.kind === 'raised') {
    const message = `It raised ${outcome.type}: ${outcome.message}`;
    return { text: '', raised: { message, line: outcome.line, counterexample: { call } } };
  }
  const items = outcome.value.kind === 'list' ? outcome.value.items : [];
  const [list, ...runs] = items;
  const text = list?.kind === 'string' ? list.value : pythonLiteral(outcome.value);
  if (runs.length !== 3) return { text };
  const pair = (run: PyValue | undefined) => {
    const [x, y] = run?.kind === 'list' ? run.items : [];
    if (x?.kind !== 'tensor' || y?.kind !== 'tensor') throw new Error('break-float16: the scenario gave no tensors');
    return { x, y };
  };
  return { text, runs: { float16: pair(runs[0]), bfloat16: pair(runs[1]), float32: pair(runs[2]) } };
}

const finite = (t: TensorValue): boolean => tensorNumbers(t).every(Number.isFinite);
const list = (t: TensorValue): string => {
  const numbers = tensorNumbers(t);
  return `[${numbers.slice(0, 8).map(numberText).join(', ')}${numbers.length > 8 ? ', …' : ''}]`;
};

const callOf = (target: Target, a: Attempt, dtype: string): string =>
  `${target}(torch.tensor(${a.text}, dtype=torch.${dtype}))`;

/** null where float16 breaks. */
function judgeBreaks(target: Target, a: Attempt): Finding | null {
  if (a.raised) return a.raised;
  const call = callOf(target, a, 'float16');
  if (!a.runs) {
    return {
      message: `It should return a list of 1 to ${LONGEST} finite numbers.`,
      counterexample: { call: `break_${target}()  # ${a.text}` },
    };
  }
  const { x, y } = a.runs.float16;
  if (!finite(x)) {
    const at = tensorNumbers(x).findIndex((v) => !Number.isFinite(v));
    return {
      message: `Number ${at + 1} of the list is ${numberText(tensorNumbers(x)[at] as number)} in float16 before anything is computed. The function has to be what breaks.`,
      counterexample: { call, result: list(x) },
    };
  }
  if (!finite(y)) return null;
  return { message: `float16 gets through: it gives ${list(y)}.`, counterexample: { call, result: list(y) } };
}

/** null where bfloat16 survives. */
function judgeSurvives(target: Target, a: Attempt): Finding | null {
  if (!a.runs) return judgeBreaks(target, a);
  const got = tensorNumbers(a.runs.bfloat16.y);
  const wanted = tensorNumbers(a.runs.float32.y);
  const at = got.findIndex((v, i) => {
    const w = wanted[i] as number;
    return !Number.isFinite(v) || !Number.isFinite(w) || Math.abs(v - w) > 0.1 * Math.abs(w);
  });
  if (at < 0) return null;
  const w = wanted[at] as number;
  const v = got[at] as number;
  const nearest = toBits(w, bfloat16);
  const counterexample = {
    call: callOf(target, a, 'bfloat16'),
    index: a.runs.float32.y.shape.length === 0 ? [] : [at],
    expected: { text: numberText(w), bits: hex(nearest, 'bfloat16'), dtype: 'bfloat16' },
    got: { text: numberText(v), bits: hex(tensorBits(a.runs.bfloat16.y)[at] as number, 'bfloat16'), dtype: 'bfloat16' },
    ...(Number.isFinite(v) && Number.isFinite(w)
      ? { ulps: ulpDistance(fromBits(nearest, bfloat16), v, bfloat16) }
      : {}),
  } as const;
  if (!Number.isFinite(w)) {
    return { message: `Even float32 gives ${numberText(w)}: that is no question of float16.`, counterexample };
  }
  return {
    message: Number.isFinite(v)
      ? `bfloat16 gives ${numberText(v)}, more than 10 % off float32’s ${numberText(w)}.`
      : `bfloat16 breaks as well: it gives ${numberText(v)}.`,
    counterexample,
  };
}

function judgeSmallest(target: Target, a: Attempt): Finding | NotTried | null {
  if (!a.runs || judgeBreaks(target, a) || judgeSurvives(target, a)) {
    return { notTried: 'An input is measured once it breaks float16 and bfloat16 survives it.' };
  }
  const { elements, magnitude } = TARGETS[target].smallest;
  const x = tensorNumbers(a.runs.float16.x);
  const call = callOf(target, a, 'float16');
  if (x.length > elements) {
    return { message: `It has ${x.length} elements, and fewer will do.`, counterexample: { call } };
  }
  const largest = Math.max(...x.map(Math.abs));
  if (largest > magnitude) {
    return {
      message: `The number of elements is right. The largest magnitude is ${numberText(largest)}, and a smaller one will do.`,
      counterexample: { call },
    };
  }
  return null;
}

const breaksRule =
  'It breaks if every number is finite in float16 and the result holds an inf or a NaN. Both runs are real: the list becomes a float16 tensor, and the function is called on it.';
const survivesRule =
  'bfloat16 survives if its result is finite and within 10 % of float32’s: several times what its roundings, of 2^-9 each, can make of an input and of the function.';
const smallestRule =
  'First the number of elements counts, then the largest magnitude after rounding to float16. Both bounds are proved: the one-element ones by trying all float16 values.';

const TITLES: Readonly<Record<Target, string>> = { softmax: 'softmax', normalize: 'normalize', mean: 'mean' };

const checksOf = (target: Target): Check[] => [
  {
    id: `${target}-breaks`,
    task: target,
    title: `${TITLES[target]} breaks in float16`,
    rule: breaksRule,
    run: async (context) => judgeBreaks(target, await attempt(context, target)),
  },
  {
    id: `${target}-survives`,
    task: target,
    title: `${TITLES[target]} survives in bfloat16`,
    rule: survivesRule,
    run: async (context) => judgeSurvives(target, await attempt(context, target)),
  },
  {
    id: `${target}-smallest`,
    task: target,
    title: 'No smaller input does it',
    rule: smallestRule,
    run: async (context) => judgeSmallest(target, await attempt(context, target)),
  },
];

export default defineExercise({
  title: 'The smallest input that breaks it',
  summary: 'For three naive functions, the smallest input on which float16 fails and bfloat16 survives.',
  kind: 'break',
  minutes: 15,
  level: 'interview',
  prerequisites: ['range-versus-precision', 'three-failures'],
  teaches: ['where exp and squares leave float16', 'both ends of the range', 'spacing of float16'],
  version: 1,
  functions: targets.map((t) => `break_${t}`),
  tasks: targets.map((id) => ({ id, title: TITLES[id] })),
  hints: [
    'One element is allowed. What is the softmax of a single logit, and what does the formula compute on the way to it?',
    'A result rounds to inf from 65520 on. For softmax, turn that into an x; then ask which numbers float16 has in that neighbourhood (their spacing there is 2^-7).',
    'normalize squares its input. A square that is too large gives x / inf, which is 0 and raises no alarm. What else can happen to a square, and what is x divided by that?',
    'The mean of one element is itself. With two, how far apart are float16’s numbers just below 32768, and just above?',
  ],
  checks: targets.flatMap(checksOf),
  mistakes: {
    both_overflow: {
      fails: 'softmax-survives',
      message:
        'Your softmax input is so large that exp leaves bfloat16 too: it has float32’s exponent, which ends at 3.4e38, and exp gets there at 88.7.',
    },
    one_float16_short: {
      fails: 'softmax-breaks',
      message: 'Your logit is the last float16 whose exp is finite: it gives 65280. You are one float16 short.',
    },
    two_logits: {
      fails: 'softmax-smallest',
      message:
        'Your input is the pair of the lesson. It breaks softmax, with twice the elements that it takes and logits nearly twice as large.',
    },
    zero: {
      fails: 'normalize-survives',
      message:
        'Zero breaks normalize in every dtype: 0 / 0. A fault that float32 has too is one of the formula (an eps is missing), and not of float16.',
    },
    only_the_upper_end: {
      fails: 'normalize-breaks',
      message:
        'You found the overflow: 256 squared is inf. But x / inf is 0: finite, wrong, and no check for inf or NaN will ever see it. float16’s range has another end: what is the square of 1e-4?',
    },
    not_the_smallest_number: {
      fails: 'normalize-smallest',
      message: 'Your input is the smallest normal number. float16 goes on below it with subnormals, down to 2^-24.',
    },
    too_large_for_float16: {
      fails: 'mean-breaks',
      message:
        'Your only element is inf as a float16 already. That is an input that was never representable; the mean did nothing wrong.',
    },
    one_big_element: {
      fails: 'mean-smallest',
      message:
        'Your sum is just large enough, with nearly all of it in one element. It is the largest magnitude that counts: share it out.',
    },
    half_of_65504: {
      fails: 'mean-breaks',
      message:
        'Twice 32752 is 65504, the largest finite float16: not inf. Up to 65520 it would still be rounded down to it.',
    },
    many_elements: {
      fails: 'mean-breaks',
      message:
        'Tens of thousands of ones are how the mean of an activation overflows in real life, and it works. But here at most 4096 elements are run, and far fewer will do.',
    },
  },
  // Two answers are the same if the lists are.
  probes: targets.map((target) => ({ function: `break_${target}`, arguments: [] })),
  stages: [
    {
      title: 'softmax: solve exp(x) = 65520 for x',
      why: 'A single logit is enough, since inf / inf is NaN. Rounding to inf begins at 65520, so x has to be at least 11.0899; of the float16s, the first such one is 11.09375. To the other side exp becomes 0 only at -17.33, which is farther from zero.',
      code: `def break_softmax():
    # exp(x) rounds to inf from ln(65520) = 11.0899 on. Of the float16s, which are 2**-7 apart there, this is the first.
    return [11.09375]`,
    },
    {
      title: 'normalize: look at the lower end',
      why: 'Squaring doubles the exponent in both directions. An overflow ends in x / inf = 0, which is wrong and finite; an underflow ends in x / 0. 2^-24 squared is 2^-48, which is 0 in float16, and dividing by it gives inf. bfloat16, with exponents down to -126 and subnormals below, has no trouble.',
      code: `def break_normalize():
    # From 256 on, squares are inf, and x / inf is 0. Up to 2**-12.5 they are 0, and x / 0 is inf: the smallest subnormal will do.
    return [2.0**-24]`,
    },
    {
      title: 'mean: share the sum between two',
      why: 'The sum is kept in float32 inside and rounded once, so it has to reach 65520 and not only 65504. Just below 32768 the spacing is 16: two of 32752 fall short, and one of them has to be 32768.',
      code: `def break_mean():
    # One element is its own sum. Two must reach 65520 together, and 32752, the float16 below 32768, is just short of half.
    return [32768.0, 32752.0]`,
    },
  ],
  followUps: [
    {
      question: 'Why does bfloat16 survive all three, and is it the better answer then?',
      answer:
        'It has float32’s 8 exponent bits, so what overflows or underflows in float16 has room. It pays with 8 significant bits instead of 11: results that are finite everywhere and coarser everywhere. Range and precision are two questions.',
    },
    {
      question: 'How do you repair normalize at both ends?',
      answer:
        'Square and average in float32: that repairs both ends at once. Rescaling by the largest magnitude first works too, in half precision throughout. An eps repairs 0 / 0, but one such as 1e-8 is itself 0 in float16.',
    },
    {
      question: 'The sum is accumulated in float32. Why does the mean overflow at all?',
      answer:
        'Because the sum is an operation of its own, whose result is rounded to float16 before it is divided. x.mean() divides inside and rounds once. Under CUDA autocast, sum is on the float32 list, and then it would not have happened.',
    },
  ],
});
