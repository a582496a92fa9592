import type { HalfDType } from '../kit/misrounding';
import { defineGenerator } from '../kit/schema';
import { float, int, type T, type TorchCalls } from '../kit/torch-calls';

interface Line {
  /** The line after `h = x @ w`. */
  readonly python: string;
  /** What the line calls, for the explanation. */
  readonly name: string;
  readonly run: (torch: TorchCalls, h: T, x: T) => T;
}

/** One of each of CUDA's lists: float32, float32 by dtype=, promote, lower, and ops on no list. */
const LINES: readonly Line[] = [
  { python: 'torch.softmax(h, dim=-1)', name: '`softmax`', run: (t, h) => t.op('softmax', { self: h, dim: -1 }) },
  { python: 'h.sum()', name: '`sum`', run: (t, h) => t.sum(h) },
  { python: 'torch.exp(h)', name: '`exp`', run: (t, h) => t.exp(h) },
  { python: 'h ** 2', name: '`pow`', run: (t, h) => t.op('pow', { self: h, exponent: int(2) }) },
  { python: 'torch.cumsum(h, dim=0)', name: '`cumsum`', run: (t, h) => t.op('cumsum', { self: h, dim: 0 }) },
  {
    python: 'torch.logsumexp(h, dim=-1)',
    name: '`logsumexp`',
    run: (t, h) => t.op('logsumexp', { self: h, dim: [-1] }),
  },
  { python: 'torch.relu(h)', name: '`relu`', run: (t, h) => t.op('relu', { self: h }) },
  { python: 'torch.tanh(h)', name: '`tanh`', run: (t, h) => t.op('tanh', { self: h }) },
  { python: 'torch.sigmoid(h)', name: '`sigmoid`', run: (t, h) => t.op('sigmoid', { self: h }) },
  { python: 'h.mean()', name: '`mean`', run: (t, h) => t.op('mean', { self: h }) },
  { python: 'h * 0.5', name: 'a product with a Python number', run: (t, h) => t.mul(h, float(0.5)) },
  { python: 'h @ h', name: 'a matrix product', run: (t, h) => t.op('matmul', { self: h, other: h }) },
  { python: 'h + x', name: '`+` with a float32 tensor', run: (t, h, x) => t.add(h, x) },
  { python: 'x @ h', name: 'a matrix product', run: (t, h, x) => t.op('matmul', { self: x, other: h }) },
  { python: 'torch.relu(x)', name: '`relu`', run: (t, _, x) => t.op('relu', { self: x }) },
  { python: 'torch.exp(x @ h)', name: '`exp`', run: (t, h, x) => t.exp(t.op('matmul', { self: x, other: h })) },
];

interface Region {
  readonly line: Line;
  readonly dtype: HalfDType;
}

const pair = (h: string, y: string) => `torch.${h} torch.${y}`;

export default defineGenerator<Region>({
  title: 'What autocast returns',
  summary: 'A matrix product, one more op, and the two dtypes that CUDA’s autocast gives them.',
  lesson: 'three-failures',
  draw: (random) => ({ line: random.pick(LINES), dtype: random.chance(0.7) ? 'float16' : 'bfloat16' }),
  prompt: () => 'x and w are float32. Which two dtypes does it print?',
  code: ({ line, dtype }) => `import torch

x = torch.ones(4, 4, device="cuda")
w = torch.ones(4, 4, device="cuda")
with torch.autocast("cuda", dtype=torch.${dtype}):
    h = x @ w
    y = ${line.python}
print(h.dtype, y.dtype)
`,
  answer: ({ line, dtype }, torch) => {
    const ones = () => torch.tensor(new Array<number>(16).fill(1), 'float32', { shape: [4, 4], device: 'cuda' });
    const [x, w] = [ones(), ones()];
    return torch.autocast('cuda', dtype, () => {
      const h = torch.op('matmul', { self: x, other: w });
      return `${torch.dtype(h)} ${torch.dtype(line.run(torch, h, x))}`;
    });
  },
  why: ({ line, dtype }, answer) => {
    const y = answer.split(' ')[1];
    if (line.python === 'h + x')
      return `The product is lowered to ${dtype}. \`+\` is on no list: ordinary promotion of ${dtype} and float32 gives float32.`;
    if (line.python === 'torch.relu(x)')
      return `The product is lowered to ${dtype}. \`relu\` is on no list and its input is still float32: autocast casts an op’s inputs, not your tensors.`;
    if (line.name === 'a matrix product')
      return `Both products are on the list of ops that are lowered, whatever their inputs are: \`${y}\`.`;
    return y === 'torch.float32'
      ? `The product is lowered to ${dtype}; ${line.name} is on CUDA’s float32 list, so its input is cast up and the result stays float32.`
      : `The product is lowered to ${dtype}; ${line.name} is on no list and runs in the dtype of its input, ${dtype}.`;
  },
  misconceptions: {
    'autocast-casts-all': {
      answer: ({ dtype }) => pair(dtype, dtype),
      because: ({ line }) =>
        `Autocast decides op by op, and it casts inputs, not results or tensors of yours. ${line.name.replace(/^a /, 'A ')} doesn’t end in 16 bits here.`,
    },
    'only-matmul-is-lowered': {
      answer: ({ dtype }) => pair(dtype, 'float32'),
      because: ({ line }) =>
        `${line.name.replace(/^a /, 'A ')} is not on the float32 list. An op on no list runs in the dtype that it is given.`,
    },
    'autocast-keeps-dtypes': {
      answer: () => pair('float32', 'float32'),
      because: ({ dtype }) =>
        `A lowered op returns what it computed in: \`x @ w\` gives a ${dtype} tensor, and nothing casts it back.`,
    },
    'policy-reversed': {
      answer: ({ dtype }) => pair('float32', dtype),
      because: () =>
        'It is the other way round: matrix products gain most from 16 bits and accumulate in float32 inside; the float32 list protects exp, sums and losses.',
    },
  },
});
