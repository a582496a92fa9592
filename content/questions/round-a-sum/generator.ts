import { formats } from '@/engine/formats/float-format';
import { type HalfDType, otherHalf, spacing, tiesAway, tiesToEven, truncated } from '../kit/misrounding';
import { pythonFloat } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';

interface Sum {
  readonly dtype: HalfDType;
  readonly a: number;
  readonly b: number;
}

/** How far apart values are around the sum. */
const step = ({ a, b, dtype }: Sum) => spacing(a + b, dtype);

export default defineGenerator<Sum>({
  title: 'Round a sum',
  summary: 'Two whole numbers that float16 or bfloat16 holds, and a sum that it doesn’t.',
  lesson: 'range-versus-precision',
  draw(random) {
    const dtype = random.pick(['float16', 'bfloat16'] as const);
    // From the first power of two above which odd numbers are gone: 2^11 in float16, 2^8 in bfloat16.
    const first = formats[dtype].significandBits + 1;
    const exponent = random.int(first, first + 3);
    const gap = 2 ** (exponent - formats[dtype].significandBits);
    const a = 2 ** exponent + gap * random.int(0, 20);
    // Never a multiple of the gap: then the sum would be exact.
    return { dtype, a, b: gap * random.int(0, 3) + random.int(1, gap - 1) };
  },
  prompt: ({ dtype }) => `Both numbers are exact in ${dtype}. What does it print?`,
  code: ({ dtype, a, b }) => `import torch

a = torch.tensor(${pythonFloat(a)}, dtype=torch.${dtype})
b = torch.tensor(${pythonFloat(b)}, dtype=torch.${dtype})
print((a + b).item())
`,
  answer: ({ dtype, a, b }, torch) =>
    pythonFloat(torch.item(torch.add(torch.tensor(a, dtype), torch.tensor(b, dtype)))),
  why: (p, answer) =>
    `Around ${p.a + p.b}, ${p.dtype} has a value every ${step(p)}. The exact sum ${p.a + p.b} goes to the nearest, \`${answer}\`${
      (p.a + p.b) % step(p) === step(p) / 2 ? '; it lies halfway, and a tie goes to the even significand' : ''
    }.`,
  misconceptions: {
    'ties-go-up': {
      answer: (p) => pythonFloat(tiesAway(p.a + p.b, step(p))),
      because: (p) =>
        `${p.a + p.b} is halfway between two ${p.dtype} values. IEEE 754 rounds a tie to the even significand, so that ties don’t drift upwards.`,
    },
    'rounding-cuts-off': {
      answer: (p) => pythonFloat(truncated(p.a + p.b, step(p))),
      because: (p) =>
        `${p.a + p.b} is ${(p.a + p.b) % step(p) === step(p) / 2 ? 'halfway, and the even neighbour is the one above' : 'nearer to the value above'}. Conversions and arithmetic round to nearest; nothing is cut off.`,
    },
    'sums-are-exact': {
      answer: (p) => pythonFloat(p.a + p.b),
      because: (p) => `${p.a + p.b} is not a ${p.dtype}: at this size the values are ${step(p)} apart.`,
    },
    'small-addend-vanishes': {
      answer: (p) => pythonFloat(p.a),
      because: (p) =>
        `An addend vanishes when it is less than half a gap. Here the gap is ${spacing(p.a, p.dtype)}, and ${p.b} is not.`,
    },
    'implicit-bit-forgotten': {
      answer: (p) => pythonFloat(tiesToEven(p.a + p.b, spacing(p.a + p.b, p.dtype, 1))),
      because: (p) =>
        `${p.dtype} stores ${formats[p.dtype].significandBits} bits of the significand and has one more: the leading 1 of a normal number is implied. The gap here is ${step(p)}, not ${2 * step(p)}.`,
    },
    'formats-swapped': {
      answer: (p, torch) =>
        pythonFloat(
          torch.item(torch.add(torch.tensor(p.a, otherHalf(p.dtype)), torch.tensor(p.b, otherHalf(p.dtype)))),
        ),
      because: (p) => `That is the sum in ${otherHalf(p.dtype)}. float16 has 11 significant bits, bfloat16 has 8.`,
    },
  },
});
