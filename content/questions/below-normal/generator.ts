import { tiesAway, tiesToEven, truncated } from '../kit/misrounding';
import { pythonFloat } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';

/** a × b with a = m × 2^-p and b = n × 2^-q, so that the product is m n 2^(24-p-q) times the smallest positive float16. */
interface Product {
  readonly m: number;
  readonly p: number;
  readonly n: number;
  readonly q: number;
}

/** The exact product in units of 2^-24. */
const units = ({ m, p, n, q }: Product) => m * n * 2 ** (24 - p - q);
const factor = (m: number, p: number) => (m === 1 ? `2.0**-${p}` : `${m} * 2.0**-${p}`);

export default defineGenerator<Product>({
  title: 'Below the normal range',
  summary: 'A float16 product among the subnormals, counted in units of the smallest one.',
  lesson: 'range-versus-precision',
  draw(random) {
    const p = random.int(8, 14);
    return { m: random.pick([1, 3, 5, 7, 9, 11]), p, n: random.pick([1, 3, 5, 7]), q: random.int(24 - p, 30 - p) };
  },
  prompt: () => '2.0**-24 is the smallest positive float16. How many of them is the product?',
  code: ({ m, p, n, q }) => `import torch

a = torch.tensor(${factor(m, p)}, dtype=torch.float16)
b = torch.tensor(${factor(n, q)}, dtype=torch.float16)
print((a * b).item() / 2.0**-24)
`,
  answer: ({ m, p, n, q }, torch) =>
    pythonFloat(
      torch.item(torch.mul(torch.tensor(m * 2 ** -p, 'float16'), torch.tensor(n * 2 ** -q, 'float16'))) / 2 ** -24,
    ),
  why: (x, answer) =>
    `The exact product is ${units(x)} units. Below 2⁻¹⁴ float16 has whole units of 2⁻²⁴ and nothing between them, so it rounds to \`${answer}\`${units(x) % 1 === 0.5 ? ', the even one of two equally near' : ''}.`,
  misconceptions: {
    'never-zero': {
      answer: (x) => (tiesToEven(units(x), 1) === 0 ? '1.0' : null),
      because: () =>
        'Half of the smallest positive value, and less, rounds to zero. That is how gradients disappear without a trace.',
    },
    'small-is-precise': {
      answer: (x) => pythonFloat(units(x)),
      because: () =>
        'Subnormals share one exponent: they are evenly spaced, 2⁻²⁴ apart, and have fewer significant bits the smaller they are.',
    },
    'ties-go-up': {
      answer: (x) => pythonFloat(tiesAway(units(x), 1)),
      because: (x) => `${units(x)} is halfway between two values, and a tie goes to the even one.`,
    },
    'no-subnormals': {
      answer: () => '0.0',
      because: () =>
        'Below the smallest normal number, 2⁻¹⁴, float16 goes on down to 2⁻²⁴. Some hardware flushes there; IEEE arithmetic doesn’t.',
    },
    'rounding-cuts-off': {
      answer: (x) => pythonFloat(truncated(units(x), 1)),
      because: (x) =>
        `${units(x)} is ${units(x) % 1 === 0.5 ? 'halfway, and the even neighbour is the one above' : 'nearer to the value above'}; products round to nearest.`,
    },
    'clamps-to-normal': {
      answer: () => '1024.0',
      because: () =>
        'That is 2⁻¹⁴, the smallest normal number. Results are rounded, to zero if need be; nothing is clamped from below.',
    },
  },
});
