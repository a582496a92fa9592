import { formats } from '@/engine/formats/float-format';
import { type HalfDType, spacing, tiesAway } from '../kit/misrounding';
import { pythonFloat } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';

interface Loop {
  readonly dtype: HalfDType;
  readonly start: number;
  /** A power of two. */
  readonly term: number;
  readonly count: number;
}

const significant = (dtype: HalfDType) => formats[dtype].significandBits + 1;
/** The total that `term` no longer moves: there it is half a gap, and the tie goes to the even total. */
const stall = ({ dtype, term }: Loop) => 2 ** significant(dtype) * term;
const exact = ({ start, term, count }: Loop) => start + term * count;

export default defineGenerator<Loop>({
  title: 'A sum that stalls',
  summary: 'The same number added again and again in half precision: where the total stops.',
  lesson: 'range-versus-precision',
  draw(random) {
    const dtype = random.pick(['float16', 'bfloat16'] as const);
    const term = 2 ** random.int(-4, 4);
    const before = random.int(1, 30);
    return { dtype, term, start: (2 ** significant(dtype) - before) * term, count: before + random.int(3, 60) };
  },
  prompt: ({ count, dtype }) => `${count} additions, each rounded to ${dtype}. What is the total?`,
  code: ({ dtype, start, term, count }) => `import torch

total = torch.tensor(${pythonFloat(start)}, dtype=torch.${dtype})
term = torch.tensor(${pythonFloat(term)}, dtype=torch.${dtype})
for _ in range(${count}):
    total = total + term
print(total.item())
`,
  answer({ dtype, start, term, count }, torch) {
    const x = torch.tensor(term, dtype);
    let total = torch.tensor(start, dtype);
    for (let i = 0; i < count; i++) total = torch.add(total, x);
    return pythonFloat(torch.item(total));
  },
  why: (p, answer) =>
    `From ${stall(p)} on, ${p.dtype}’s ${significant(p.dtype)} significant bits leave gaps of ${2 * p.term}. Adding ${p.term} is half a gap, a tie, and goes back to the even total: the sum stands at \`${answer}\` for good.`,
  misconceptions: {
    'sums-are-exact': {
      answer: (p) => pythonFloat(exact(p)),
      because: (p) =>
        `${p.start} + ${p.count} × ${p.term} = ${exact(p)} is right for real numbers. Here every single addition is rounded, and from some point on every one rounds back.`,
    },
    'accumulates-wide': {
      answer: (p, torch) => pythonFloat(torch.item(torch.to(torch.tensor(exact(p), 'float32'), p.dtype))),
      because: () =>
        'That is what `sum()` would give: it accumulates in float32 and rounds once. This loop rounds every time.',
    },
    'ties-go-up': {
      answer(p) {
        let total = p.start;
        for (let i = 0; i < p.count; i++) total = tiesAway(total + p.term, spacing(total + p.term, p.dtype));
        return pythonFloat(total);
      },
      because: (p) =>
        `${stall(p)} + ${p.term} is halfway between two values. A tie goes to the even significand, which is the total that is already there, not up.`,
    },
    'implicit-bit-forgotten': {
      answer: (p) => pythonFloat(p.start),
      because: (p) =>
        `${p.dtype} stores ${significant(p.dtype) - 1} bits of the significand and implies the leading 1. Up to ${stall(p)} every step of ${p.term} counts.`,
    },
  },
});
