import { formats } from '@/engine/formats/float-format';
import { truncated } from '../kit/misrounding';
import { pythonFloat, threeDigits } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';

interface Gradient {
  readonly digits: number;
  readonly exponent: number;
  readonly scale: number;
}

/** The true gradient, as Python reads the literal. */
const gradient = ({ digits, exponent }: Gradient) => Number(`${digits}e${exponent}`);
const literal = (p: Gradient) => pythonFloat(gradient(p));
const scaled = (p: Gradient) => gradient(p) * p.scale;
const smallest = formats.float16.smallestSubnormal;

export default defineGenerator<Gradient>({
  title: 'A gradient, scaled',
  summary: 'A gradient, a loss scale and float16 between them: what the optimizer gets back.',
  lesson: 'three-failures',
  draw: (random) => ({
    digits: random.pick([1, 1.5, 2, 3, 4, 5, 6, 7, 8]),
    exponent: random.int(-11, 2),
    scale: 2 ** random.int(3, 16),
  }),
  prompt: (p) =>
    `The true gradient is ${literal(p)}; backward makes it in float16 under a loss scale of ${p.scale}. What reaches the optimizer?`,
  code: (p) => `import torch

gradient, scale = ${literal(p)}, ${p.scale}
stored = torch.tensor(gradient * scale, dtype=torch.float16)
unscaled = stored.float() / scale
print(f"{unscaled.item():.3g}")
`,
  answer: (p, torch) => {
    const stored = torch.tensor(scaled(p), 'float16');
    return threeDigits(torch.item(torch.div(torch.to(stored, 'float32'), { kind: 'int', value: p.scale })));
  },
  why: (p, answer) => {
    const x = scaled(p);
    if (x >= 65520)
      return `${threeDigits(x)} is beyond float16’s largest value: inf, and dividing inf changes nothing. The scaler skips the step.`;
    if (x <= smallest / 2)
      return `Even scaled it is ${threeDigits(x)}, not above half of the smallest float16, 2.98e-08: it rounds to zero.`;
    if (x < formats.float16.smallestNormal)
      return `Scaled it is ${threeDigits(x)}, among the subnormals, which are 5.96e-08 apart. It survives, rounded to a whole number of them: \`${answer}\`.`;
    return `Scaled it is ${threeDigits(x)}, well inside float16’s normal range, so it comes back right to three digits: \`${answer}\`.`;
  },
  misconceptions: {
    'scale-repairs-afterwards': {
      answer: (p, torch) => threeDigits(torch.item(torch.tensor(gradient(p), 'float16'))),
      because: (p) =>
        `The loss is scaled before backward, so float16 never sees ${literal(p)} itself, only ${p.scale} times that.`,
    },
    'unscale-restores': {
      answer: (p) => threeDigits(gradient(p)),
      because: (p) =>
        `Unscaling divides what float16 kept. ${threeDigits(scaled(p))} was ${scaled(p) >= 65520 ? 'beyond its range' : 'rounded on the way'}, and that is not undone.`,
    },
    'no-subnormals': {
      answer: (p) => (scaled(p) < formats.float16.smallestNormal ? '0' : null),
      because: () => 'Below 6.1e-05 float16 still has subnormal numbers, down to 5.96e-08.',
    },
    saturates: {
      answer: (p) => (scaled(p) > formats.float16.max ? threeDigits(formats.float16.max / p.scale) : null),
      because: () => 'What rounds past 65504 is stored as inf.',
    },
    'never-zero': {
      answer: (p) => (scaled(p) <= smallest / 2 ? threeDigits(smallest / p.scale) : null),
      because: () => 'Half of the smallest positive float16, and less, rounds to zero.',
    },
    'rounding-cuts-off': {
      answer: (p) =>
        scaled(p) < formats.float16.smallestNormal ? threeDigits(truncated(scaled(p), smallest) / p.scale) : null,
      because: () => 'A conversion rounds to the nearest value; nothing is cut off.',
    },
    'optimizer-gets-scaled': {
      answer: (p) => threeDigits(Math.min(scaled(p), 65504)),
      because: (p) =>
        `That is the gradient with the scale still on it. The optimizer must get it divided by ${p.scale}.`,
    },
    'scaling-overflows': {
      answer: () => 'inf',
      because: (p) =>
        `It is the product that has to fit: ${p.scale} times this gradient is ${threeDigits(scaled(p))}, and float16 goes to 65504.`,
    },
  },
});
