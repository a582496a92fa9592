import { formats } from '@/engine/formats/float-format';
import { type HalfDType, otherHalf } from '../kit/misrounding';
import { pythonFloat, roundedList } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';
import type { TorchCalls } from '../kit/torch-calls';

interface Row {
  readonly dtype: HalfDType;
  readonly logits: readonly number[];
}

/** exp, sum, divide: as the code has it. */
function byHand({ dtype, logits }: Row, torch: TorchCalls): number[] {
  const e = torch.exp(torch.tensor(logits, dtype));
  return torch.values(torch.div(e, torch.sum(e)));
}

/** The same steps in somebody's own arithmetic. */
function believed(
  logits: readonly number[],
  store: (x: number) => number,
  divide: (a: number, b: number) => number,
): number[] {
  const e = logits.map((x) => store(Math.exp(x)));
  const sum = store(e.reduce((a, b) => a + b, 0));
  return e.map((x) => divide(x, sum));
}

/** Rounded to the format's range only; three digits are shown. */
const ranged = (dtype: HalfDType, tooLarge: number) => (x: number) => {
  const { max, smallestSubnormal } = formats[dtype];
  return x > max ? tooLarge : x < smallestSubnormal / 2 ? 0 : x;
};

/** A wrong row as text; null where it differs from the right one in its last digits only, which would be no fair question. */
function clearly(wrong: readonly number[], row: Row, torch: TorchCalls): string | null {
  const alike = byHand(row, torch).every((y, i) => Object.is(y, wrong[i]) || Math.abs(y - wrong[i]) < 0.02);
  return alike ? null : roundedList(wrong);
}

const edge = (dtype: HalfDType) => (dtype === 'float16' ? 11.09 : 88.7);

export default defineGenerator<Row>({
  title: 'Softmax by hand',
  summary: 'Three logits, an exponential, a sum and a quotient in half precision: what is left.',
  lesson: 'stable-softmax',
  draw(random) {
    const dtype = random.chance(0.75) ? 'float16' : 'bfloat16';
    const top =
      dtype === 'float16'
        ? random.pick([10, 11, 12, 15, 20, 30, -18, -20, -30])
        : random.pick([20, 88, 89, 95, 100, -95, -100]);
    const others = [top - random.int(0, 3), random.chance(0.5) ? top - random.int(1, 4) : random.int(-2, 2)];
    return { dtype, logits: random.shuffle([top, ...others]) };
  },
  prompt: ({ dtype }) => `Every step is rounded to ${dtype}. What does it print?`,
  code: ({ dtype, logits }) => `import torch

x = torch.tensor([${logits.map(pythonFloat).join(', ')}], dtype=torch.${dtype})
e = torch.exp(x)
p = e / e.sum()
print([round(v, 3) for v in p.tolist()])
`,
  answer: (row, torch) => roundedList(byHand(row, torch)),
  why({ dtype, logits }, answer) {
    const e = logits.map(Math.exp).map(ranged(dtype, Number.POSITIVE_INFINITY));
    const sum = e.reduce((a, b) => a + b, 0);
    if (e.includes(Number.POSITIVE_INFINITY))
      return `${dtype}’s exp overflows above ${edge(dtype)}, so the sum is inf. inf / inf is NaN, and a finite number over inf is 0: \`${answer}\`.`;
    if (sum > formats[dtype].max)
      return `Each exponential fits, their sum doesn’t: it is inf, and a finite number over inf is 0.`;
    if (sum === 0) return `Every exponential rounds to 0 in ${dtype}, and 0 / 0 is NaN.`;
    return `All exponentials and their sum are within ${dtype}’s range here, so the quotients are sound: \`${answer}\`.`;
  },
  misconceptions: {
    'softmax-is-stable': {
      answer: (row, torch) =>
        clearly(torch.values(torch.op('softmax', { self: torch.tensor(row.logits, row.dtype), dim: 0 })), row, torch),
      because: () => 'That is what `torch.softmax` gives: it subtracts the maximum first. This code doesn’t.',
    },
    'infinities-cancel': {
      answer: (row, torch) =>
        clearly(
          believed(row.logits, ranged(row.dtype, Infinity), (a, b) => (a === b ? 1 : a / b)),
          row,
          torch,
        ),
      because: () => 'inf / inf has no value: IEEE 754 makes it NaN. (So does 0 / 0.)',
    },
    saturates: {
      answer: (row, torch) =>
        clearly(
          believed(row.logits, ranged(row.dtype, formats[row.dtype].max), (a, b) => a / b),
          row,
          torch,
        ),
      because: ({ dtype }) => `${dtype} doesn’t stop at its largest value: what rounds past it is inf.`,
    },
    'infinity-stays-infinity': {
      answer: (row, torch) =>
        clearly(
          believed(row.logits, ranged(row.dtype, Infinity), (a, b) =>
            Math.max(a, b) === Infinity || b === 0 ? Infinity : a / b,
          ),
          row,
          torch,
        ),
      because: () => 'A quotient is not carried along: inf / inf is NaN, a finite number over inf is 0.',
    },
    'nan-everywhere': {
      answer: ({ logits }) => roundedList(logits.map(() => Number.NaN)),
      because: ({ dtype }) =>
        `NaN comes from inf / inf or 0 / 0 only, element by element. exp overflows in ${dtype} above ${edge(dtype)}.`,
    },
    'formats-swapped': {
      answer: (row, torch) => clearly(byHand({ ...row, dtype: otherHalf(row.dtype) }, torch), row, torch),
      because: ({ dtype }) =>
        `That is the result in ${otherHalf(dtype)}. exp overflows above 11.09 in float16 and above 88.7 in bfloat16; this is ${dtype}.`,
    },
    'failed-rows-even-out': {
      answer: ({ logits }) => roundedList(logits.map(() => 1 / logits.length)),
      because: () =>
        'Nothing falls back to equal probabilities by itself. Those come from equal logits, or from a mask that somebody chose to fill with finfo.min.',
    },
  },
});
