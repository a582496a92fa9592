import type { DType } from '@/engine/formats/dtype';
import { defineGenerator } from '../kit/schema';
import { float, int, type TorchCalls } from '../kit/torch-calls';

interface Operand {
  readonly kind: 'tensor' | 'zero-dim' | 'number';
  readonly dtype: DType;
}

interface Pair {
  readonly a: Operand;
  readonly b: Operand;
  readonly operator: '+' | '*' | '/';
}

const OP = { '+': 'add', '*': 'mul', '/': 'div' } as const;
const isFloat = (dtype: DType) => dtype !== 'int64';
/** Narrow to wide, as those see it who only look at the dtypes; float16 and bfloat16 share a rank. */
const WIDTH: Partial<Record<DType, number>> = { int64: 0, float16: 1, bfloat16: 1, float32: 2, float64: 3 };

function literal({ kind, dtype }: Operand): string {
  if (kind === 'number') return dtype === 'int64' ? '2' : '2.0';
  const value = dtype === 'int64' ? '2' : '2.0';
  return kind === 'tensor'
    ? `torch.tensor([${value}, ${value}], dtype=torch.${dtype})`
    : `torch.tensor(${value}, dtype=torch.${dtype})`;
}

function engineOperand({ kind, dtype }: Operand, torch: TorchCalls) {
  if (kind === 'number') return dtype === 'int64' ? int(2) : float(2);
  return torch.tensor(kind === 'tensor' ? [2, 2] : 2, dtype);
}

const named = ({ kind, dtype }: Operand) =>
  kind === 'number'
    ? `a Python ${dtype === 'int64' ? 'int' : 'float'}`
    : `a ${kind === 'tensor' ? '1-dim' : '0-dim'} ${dtype} tensor`;
const wider = (a: DType, b: DType) => ((WIDTH[a] ?? 0) >= (WIDTH[b] ?? 0) ? a : b);

export default defineGenerator<Pair>({
  title: 'The dtype of a mix',
  summary: 'Half and float32, tensors and numbers, 0-dim and 1-dim: what type promotion makes of them.',
  lesson: 'range-versus-precision',
  draw(random) {
    const floats = ['float16', 'bfloat16', 'float32'] as const;
    const a: Operand = {
      kind: random.chance(0.85) ? 'tensor' : 'zero-dim',
      dtype: random.chance(0.8) ? random.pick(floats) : 'int64',
    };
    const kind = random.pick(['tensor', 'zero-dim', 'number'] as const);
    const dtype =
      kind === 'number'
        ? random.pick(['int64', 'float64'] as const)
        : random.pick([...floats, 'int64', 'float64'] as const);
    return { a, b: { kind, dtype }, operator: random.pick(['+', '*', '/'] as const) };
  },
  prompt: ({ a, b }) => `${named(a).replace(/^a/, 'A')} and ${named(b)}. What is the dtype of the result?`,
  code: ({ a, b, operator }) => `import torch

a = ${literal(a)}
b = ${literal(b)}
print((a ${operator} b).dtype)
`,
  answer: ({ a, b, operator }, torch) => {
    const self = torch.tensor(a.kind === 'tensor' ? [2, 2] : 2, a.dtype);
    const other = engineOperand(b, torch);
    return torch.dtype(operator === '+' ? torch.add(self, other) : torch.op(OP[operator], { self, other }));
  },
  why: ({ a, b }, answer) => {
    if (isFloat(a.dtype) !== isFloat(b.dtype))
      return `A float beats an integer of any width, and the integer’s width adds nothing: \`${answer}\`.`;
    if (a.kind !== b.kind && (b.kind === 'number' || a.kind === 'zero-dim' || b.kind === 'zero-dim'))
      return `Within one category (here ${isFloat(a.dtype) ? 'floats' : 'integers'}) a tensor with dimensions decides; a 0-dim tensor counts less, and a Python number least: \`${answer}\`.`;
    return `Both operands count alike, so the smallest dtype that holds both wins: \`${answer}\`. float16 and bfloat16 hold parts of each other only, which is why they meet in float32.`;
  },
  misconceptions: {
    'widest-wins': {
      answer: ({ a, b }) => (a.kind === b.kind ? null : `torch.${wider(a.dtype, b.dtype)}`),
      because: () =>
        'A 0-dim tensor and a Python number don’t widen a tensor of their own category: `x * 0.5` stays what x was.',
    },
    'first-operand-wins': {
      answer: ({ a }) => `torch.${a.dtype}`,
      because: () => 'Promotion is symmetric: `a + b` and `b + a` have the same dtype.',
    },
    'second-operand-wins': {
      answer: ({ b }) => `torch.${b.kind === 'number' && b.dtype === 'float64' ? 'float32' : b.dtype}`,
      because: () => 'Promotion is symmetric: `a + b` and `b + a` have the same dtype.',
    },
    'mixing-gives-default': {
      answer: () => 'torch.float32',
      because: () =>
        'The default dtype only comes in where no float tensor takes part: an integer tensor divided, or met by a Python float.',
    },
    'numbers-are-float64': {
      answer: ({ b }) => (b.kind === 'number' ? 'torch.float64' : null),
      because: () =>
        'A Python float is held as a double, but for promotion it is a mere float: it takes the tensor’s dtype.',
    },
    'formats-swapped': {
      answer: ({ a, b }) =>
        a.dtype === 'bfloat16' || b.dtype === 'bfloat16'
          ? 'torch.float16'
          : a.dtype === 'float16' || b.dtype === 'float16'
            ? 'torch.bfloat16'
            : null,
      because: () => 'float16 and bfloat16 are different formats; one never turns into the other by itself.',
    },
    'widens-until-exact': {
      answer: ({ a, b }) => (isFloat(a.dtype) !== isFloat(b.dtype) || a.dtype === 'float32' ? 'torch.float64' : null),
      because: () => 'PyTorch doesn’t widen until the result is exact; int64 with float16 is float16.',
    },
  },
});
