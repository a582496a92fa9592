import { formats, fromBits, toBits, ulpDistance } from '../../engine/formats/float-format';
import type { PyValue } from '../../engine/session/session';
import { numberText } from '../kit/compare';
import { type Call, type CheckContext, defineExercise, type Finding, type NotTried } from '../kit/schema';
import {
  type Floating,
  hex,
  isFloatingTensor,
  pythonLiteral,
  type TensorValue,
  tensor,
  tensorBits,
  tensorNumbers,
} from '../kit/values';
import { BATCHES, BLOCK, exactLoss, FEATURES, KEYS, OPS, ROWS, TARGET } from './data';
import { FRONTIER } from './frontier';

/** The dtypes' names by operation, and where these are dtypes, the loss of each batch. */
export const SCENARIO = `
import torch
${BLOCK}
def scenario(namespace, batches):
    chosen = namespace["policy"]()
    dtypes = (torch.float16, torch.bfloat16, torch.float32)
    if not isinstance(chosen, dict) or set(chosen) != ${JSON.stringify(OPS).replace('[', '{').replace(']', '}')}:
        return [chosen]
    if any(not any(value is d for d in dtypes) for value in chosen.values()):
        return [chosen]
    return [chosen, *(block(x, keys, chosen) for x, keys in batches)]
`;

export const batchValues: PyValue = {
  kind: 'list',
  items: BATCHES.map(({ x, keys }) => ({
    kind: 'tuple',
    items: [tensor('float32', [ROWS, FEATURES], x), tensor('float32', [KEYS, FEATURES], keys)],
  })),
};

const golfCall: Call = { function: 'policy', arguments: [batchValues], scenario: SCENARIO, shown: 'policy()' };

interface Round {
  /** Why nothing was measured. */
  readonly finding?: Finding;
  /** Operations in float32. */
  readonly wide: number;
  /** Largest distance of a row's loss from the exact one; infinite where a loss is not finite. */
  readonly error: number;
  readonly worst?: {
    readonly batch: number;
    readonly row: number;
    readonly exact: number;
    readonly loss: TensorValue & { readonly dtype: Floating };
  };
}

/** Run once for a submission. */
const rounds = new WeakMap<CheckContext, Promise<Round>>();

function round(context: CheckContext): Promise<Round> {
  let made = rounds.get(context);
  if (!made) {
    made = play(context);
    rounds.set(context, made);
  }
  return made;
}

async function play(context: CheckContext): Promise<Round> {
  const [outcome] = await context.call([golfCall]);
  const counterexample = { call: 'policy()' };
  const none = { wide: 0, error: Number.POSITIVE_INFINITY };
  if (outcome?.kind !== 'returned') {
    const message = `It raised ${outcome?.type}: ${outcome?.message}`;
    return { ...none, finding: { message, line: outcome?.line ?? null, counterexample } };
  }
  const [chosen, ...losses] = outcome.value.kind === 'list' ? outcome.value.items : [];
  const finding = judgePolicy(chosen);
  if (finding || chosen?.kind !== 'dict') return { ...none, finding: finding ?? { message: 'It gave no dict.' } };
  const wide = chosen.entries.filter(([, value]) => dtypeOf(value) === 'float32').length;
  let error = 0;
  let worst: Round['worst'];
  BATCHES.forEach((batch, b) => {
    const loss = losses[b];
    if (loss === undefined || !isFloatingTensor(loss)) throw new Error('precision-golf: the scenario gave no loss');
    const exact = exactLoss(batch);
    tensorNumbers(loss).forEach((value, row) => {
      const off = Number.isFinite(value) ? Math.abs(value - (exact[row] as number)) : Number.POSITIVE_INFINITY;
      if (off <= error) return;
      error = off;
      worst = { batch: b, row, exact: exact[row] as number, loss };
    });
  });
  context.show({
    kind: 'pareto',
    title: 'Your policy among the best at each price',
    cost: 'operations in float32',
    error: 'largest error of a row’s loss',
    target: TARGET,
    frontier: FRONTIER.map((p) => ({ cost: p.wide, error: p.error })),
    attempt: { cost: wide, error },
  });
  return { wide, error, ...(worst ? { worst } : {}) };
}

const DTYPE = /^torch\.(float16|bfloat16|float32)$/;
const dtypeOf = (value: PyValue): string | undefined =>
  value.kind === 'other' ? DTYPE.exec(value.repr)?.[1] : undefined;

function judgePolicy(chosen: PyValue | undefined): Finding | null {
  const counterexample = { call: 'policy()', ...(chosen ? { result: pythonLiteral(chosen) } : {}) };
  if (chosen?.kind !== 'dict') {
    const what = chosen === undefined || chosen.kind === 'none' ? 'None: is there a return?' : pythonLiteral(chosen);
    return { message: `It should return a dict, but returned ${what}`, counterexample };
  }
  const named = new Map(chosen.entries);
  const missing = OPS.filter((op) => !named.has(op));
  if (missing.length > 0) return { message: `There is no dtype for ${missing.join(', ')}.`, counterexample };
  const unknown = [...named.keys()].filter((op) => !(OPS as readonly string[]).includes(op));
  if (unknown.length > 0) return { message: `The block has no operation "${unknown[0]}".`, counterexample };
  for (const [op, value] of named) {
    if (dtypeOf(value) !== undefined) continue;
    return {
      message: `"${op}" is ${pythonLiteral(value)}; it should be torch.float16, torch.bfloat16 or torch.float32.`,
      counterexample,
    };
  }
  return null;
}

/** The row with the largest error, with its bits. */
function worstRow(r: Round) {
  if (!r.worst) return {};
  const { batch, row, exact, loss } = r.worst;
  const format = formats[loss.dtype];
  const nearest = toBits(exact, format);
  const value = tensorNumbers(loss)[row] as number;
  const shown = (text: number, bits: number) => ({
    text: numberText(text),
    bits: hex(bits, loss.dtype),
    dtype: loss.dtype,
  });
  return {
    counterexample: {
      call: `block(x, keys, policy())  # hidden batch ${batch + 1} of ${BATCHES.length}`,
      index: [row],
      expected: shown(exact, nearest),
      got: shown(value, tensorBits(loss)[row] as number),
      ...(Number.isFinite(value) ? { ulps: ulpDistance(fromBits(nearest, format), value, format) } : {}),
    },
  };
}

/** More than any rounding of these operations makes of a loss; less than a row of which nothing is left is off by. */
const LOST = 0.2;

const judgeKept = (r: Round): Finding | NotTried | null => {
  if (r.finding) return { notTried: 'Nothing ran: the policy is not complete.' };
  if (r.error <= LOST) return null;
  return {
    message: Number.isFinite(r.error)
      ? `The loss of this row is off by ${numberText(r.error)}: that is no rounding. Some result on the way did not fit, and what came of it is finite.`
      : 'The loss of this row is not finite: some result on the way to it did not fit.',
    ...worstRow(r),
  };
};

const judgeTarget = (r: Round): Finding | NotTried | null => {
  if (r.finding || r.error > LOST) return { notTried: 'Roundings are measured once every result fits.' };
  return r.error <= TARGET
    ? null
    : {
        message: `The largest error is ${numberText(r.error)}, above ${TARGET}. Every result fits; somewhere it is too coarse.`,
        ...worstRow(r),
      };
};

const judgePrice =
  (most: number) =>
  (r: Round): Finding | NotTried | null => {
    if (r.finding || r.error > TARGET) return { notTried: 'The price counts once the target is reached.' };
    return r.wide <= most
      ? null
      : {
          message: `${r.wide} operations run in float32, and the error is ${numberText(r.error)}. The target can be reached with fewer.`,
          counterexample: { call: 'policy()' },
        };
  };

/** The fewest operations in float32 with which any policy reaches the target. */
export const PAR = Math.min(...FRONTIER.filter((p) => p.error <= TARGET).map((p) => p.wide));

const priceRule = `Operations whose dtype is torch.float32 are counted. All 3^7 policies were run on the hidden batches; the fewest float32 operations that reach ${TARGET} are the par of this course.`;

const check = (
  id: string,
  task: string,
  title: string,
  rule: string,
  judge: (r: Round) => Finding | NotTried | null,
) => ({ id, task, title, rule, run: async (context: CheckContext) => judge(await round(context)) });

export default defineExercise({
  title: 'Precision golf',
  summary: 'Choose dtypes operation by operation: reach the target error with the fewest in float32.',
  kind: 'golf',
  minutes: 20,
  level: 'hard',
  prerequisites: ['range-versus-precision', 'stable-softmax'],
  teaches: ['which operations need float32', 'narrow float32 island', 'where rounding reaches the result'],
  version: 1,
  functions: ['policy'],
  tasks: [
    { id: 'reach', title: 'Reach the target' },
    { id: 'spend', title: 'Spend less' },
  ],
  hints: [
    'Start with everything in float16. Which operation gives the first inf? The loss is finite all the same: what is x / inf?',
    'bfloat16 costs nothing and has the range. Try it for the operations that do not fit: what does its precision do to the error?',
    'exp gets numbers up to 0, so gives numbers up to 1. If its result is off by one part in 2000, how far off is a logarithm of their sum?',
    'The last operation adds and subtracts numbers of size 2 or 3. What is half an ulp of float16 there, and how many such roundings does it make?',
  ],
  checks: [
    check(
      'complete',
      'reach',
      'Each of the seven operations has a dtype',
      `A dict with the keys ${OPS.join(', ')}, each torch.float16, torch.bfloat16 or torch.float32.`,
      (r) => r.finding ?? null,
    ),
    check(
      'fits',
      'reach',
      'Every result fits',
      `The hidden batches have activations up to about 1000. A mean that is inf gives x / inf = 0: then all scores of the row are equal, and nothing shows it but the loss. Off by more than ${LOST} is taken for that.`,
      judgeKept,
    ),
    check(
      'target',
      'reach',
      `No row’s loss is off by more than ${TARGET}`,
      `Compared with the loss in double precision. ${TARGET} is three units of roundoff of float16 at the size of the largest scores: single roundings may show, the sum of careless ones may not.`,
      judgeTarget,
    ),
    check('five', 'spend', 'At most five operations in float32', priceRule, judgePrice(5)),
    check('par', 'spend', 'As few operations in float32 as possible', priceRule, judgePrice(PAR)),
  ],
  mistakes: {
    all_float16: {
      fails: 'fits',
      message:
        'Your policy is float16 throughout. Activations above 256 have squares beyond 65504: the mean is inf, the row divided by it is 0, and every key scores the same. Nothing is nonfinite by then: only the loss is wrong.',
    },
    float16_first: {
      fails: 'fits',
      message:
        'Your policy squares in float16 and averages in float32. What is inf by then stays inf: the operation that overflows is the one to widen, not the one behind it.',
    },
    square_alone: {
      fails: 'fits',
      message:
        'Your policy widens the square alone. The mean of the squares is still above 65504 for some rows, and its input is cast back to float16 before anything is averaged. An island ends where the result fits again.',
    },
    all_bfloat16: {
      fails: 'target',
      message:
        'Your policy is bfloat16 throughout. Everything fits, and with 8 significant bits everything is coarse: range and precision are two questions.',
    },
    bfloat16_island: {
      fails: 'target',
      message:
        'Your policy gives the squares and their mean bfloat16: free, and everything fits. But a mean that is off by 2^-9 scales a whole row of scores, and no later operation repairs that.',
    },
    bfloat16_mean: {
      fails: 'target',
      message:
        'Your policy computes the squares in float32, and their mean in bfloat16. The mean is the number that every score of the row is divided by: of all seven it is the last to be coarse with.',
    },
    island_only: {
      fails: 'target',
      message:
        'Your policy has the island for the squares and their mean, and nothing else in float32. Everything fits, and it is close. Which operation rounds at the size of the scores themselves, after all others?',
    },
    as_autocast: {
      fails: 'par',
      message:
        'Your policy is in the spirit of CUDA’s autocast: exp and sum go to float32 too. As a rule for unknown models that is prudent. Here exp gets shifted logits and gives at most 1, and sum accumulates in float32 inside anyway.',
    },
    wide_scores: {
      fails: 'par',
      message:
        'Your policy widens the scores as well. They are a product accumulated in float32 inside and rounded once; the target leaves room for that one rounding.',
    },
    all_float32: {
      fails: 'five',
      message: 'Your policy is float32 throughout: the baseline, which mixed precision was to get away from.',
    },
    as_strings: {
      fails: 'complete',
      message:
        'Your policy names dtypes by strings. A dtype in PyTorch is an object, torch.float16, and x.to("float16") fails.',
    },
  },
  // Two answers are the same if the dicts are.
  probes: [{ function: 'policy', arguments: [] }],
  stages: [
    {
      title: 'Make it fit',
      why: 'A square of 300 is beyond 65504, and so is the mean of a row that holds an outlier. These two form the island; dividing by the root brings everything back to size 1. In bfloat16 they would fit as well, but a mean with 8 significant bits is off by up to 2^-9, and the whole row with it.',
      code: `        "power": torch.float32,  # 300 * 300 does not fit into float16
        "mean": torch.float32,  # nor does the mean of such squares; bfloat16 has the range, and errs by 2**-9`,
    },
    {
      title: 'Leave what only looks dangerous',
      why: 'The product and the sum accumulate in float32 inside and round once. exp of shifted logits is at most 1, and terms that underflow were too small to count. A relative error of 2^-11 in the sum moves its logarithm by 2^-11 and no more.',
      code: `        "normalize": torch.float16,  # small numbers again: the island ends here
        "scores": torch.float16,  # accumulated in float32 inside, rounded once
        "exp": torch.float16,  # of numbers up to 0: at most 1
        "sum": torch.float16,  # the same, and its relative error is all that the logarithm sees`,
    },
    {
      title: 'Spend the last one where the result is made',
      why: 'The loss adds and subtracts numbers of size 2 to 6, in float16 each time rounded at that size, and nothing behind it can average that out. It is the cheapest place to gain precision.',
      code: `        "loss": torch.float32,  # its terms round at their own size, after everything else`,
    },
  ],
  followUps: [
    {
      question: 'Autocast puts exp, log, sum and softmax in float32 on CUDA. Is it wrong to?',
      answer:
        'No. It decides by the name of the operation, for every model and every range of inputs: unshifted exponentials do overflow, and sums of many terms do too. What you did here used knowledge of this block, and has to be measured again when the block changes.',
    },
    {
      question: 'Is the number of float32 operations a good price?',
      answer:
        'Only a first one. A matrix product in float32 costs many times what an elementwise operation on its result does, and casts move memory. What counts is the time of a step on the hardware, measured; the method is the same: change one operation, run, compare.',
    },
    {
      question: 'The forward is within the target. What about the gradients?',
      answer:
        'They need a measurement of their own. A float16 forward has a float16 backward, where small gradients underflow: that is what loss scaling is for, and no policy for the forward shows it.',
    },
  ],
});
