import { pythonFloat, threeDigits } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';
import { float, type T, type TorchCalls } from '../kit/torch-calls';

interface Step {
  /** The true gradient is (3k, 4k), of norm 5k. */
  readonly k: number;
  readonly scale: number;
  readonly maxNorm: number;
  readonly clipFirst: boolean;
}

/** torch.nn.utils.clip_grad_norm_ for one gradient, op by op. */
function clip(torch: TorchCalls, grad: T, maxNorm: number): T {
  const norm = torch.op('linalg_vector_norm', { self: grad, ord: 2 });
  const ratio = torch.mul(torch.op('reciprocal', { self: torch.add(norm, float(1e-6)) }), float(maxNorm));
  return torch.mul(grad, torch.op('clamp', { self: ratio, max: float(1) }));
}

/** The norm of the gradient after scaling by `scale`, clipping and unscaling, in either order. */
function norm({ k, scale, maxNorm }: Step, clipFirst: boolean, torch: TorchCalls): number {
  let grad = torch.mul(torch.tensor([3 * k, 4 * k], 'float32'), float(scale));
  if (clipFirst) grad = clip(torch, grad, maxNorm);
  [grad] = torch.ops2('_amp_non_finite_check_and_unscale', {
    grad,
    found_inf: torch.tensor(0, 'float32'),
    inv_scale: torch.tensor(1 / scale, 'float32'),
  });
  if (!clipFirst) grad = clip(torch, grad, maxNorm);
  return torch.item(torch.op('linalg_vector_norm', { self: grad, ord: 2 }));
}

const trueNorm = ({ k }: Step) => 5 * k;
const byValue = ({ k, maxNorm, scale, clipFirst }: Step) =>
  clipFirst
    ? Math.hypot(Math.min(3 * k * scale, maxNorm), Math.min(4 * k * scale, maxNorm)) / scale
    : Math.hypot(Math.min(3 * k, maxNorm), Math.min(4 * k, maxNorm));

export default defineGenerator<Step>({
  title: 'Clip and unscale',
  summary:
    'A scaled gradient, a threshold, two calls in one order or the other: how long is the gradient that the optimizer sees?',
  lesson: 'gradscaler-ordering',
  draw: (random) => ({
    k: random.pick([0.5, 1, 2, 10, 20]),
    scale: 2 ** random.int(7, 16),
    maxNorm: random.pick([0.5, 1, 2, 5, 20]),
    clipFirst: random.chance(0.6),
  }),
  prompt: (p) => `The true gradient has norm ${trueNorm(p)}. How long is the gradient that the optimizer will see?`,
  code: ({ k, scale, maxNorm, clipFirst }) => {
    const clipping = `torch.nn.utils.clip_grad_norm_([w], ${pythonFloat(maxNorm)})`;
    const unscaling = 'scaler.unscale_(optimizer)';
    return `import torch

w = torch.ones(2, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)
scaler = torch.amp.GradScaler("cuda", init_scale=${pythonFloat(scale)})
loss = (w * torch.tensor([${pythonFloat(3 * k)}, ${pythonFloat(4 * k)}], device="cuda")).sum()
scaler.scale(loss).backward()
${clipFirst ? `${clipping}\n${unscaling}` : `${unscaling}\n${clipping}`}
print(f"{w.grad.norm().item():.3g}")
`;
  },
  answer: (p, torch) => threeDigits(norm(p, p.clipFirst, torch)),
  why: (p, answer) =>
    p.clipFirst
      ? `Clipping sees the scaled gradient, of norm ${trueNorm(p) * p.scale}, and cuts it to ${p.maxNorm}. Unscaling then divides that by ${p.scale}: \`${answer}\`. The threshold in effect was ${p.scale} times too small.`
      : `Unscaling comes first, so clipping sees the true norm ${trueNorm(p)} and ${trueNorm(p) > p.maxNorm ? `cuts it to ${p.maxNorm}` : `leaves it, since it is below ${p.maxNorm}`}.`,
  misconceptions: {
    'order-is-style': {
      answer: (p, torch) => threeDigits(norm(p, !p.clipFirst, torch)),
      because: (p) =>
        `That is the other order’s result. Clipping compares with ${p.maxNorm} whatever stands in \`.grad\` at that moment, scaled or not.`,
    },
    'clip-sets-norm': {
      answer: (p) => threeDigits(p.maxNorm),
      because: (p) =>
        p.clipFirst
          ? `Clipping did set the norm to ${p.maxNorm}, of a gradient that was still scaled: unscaling comes after it.`
          : 'Clipping only shortens: the coefficient max_norm / norm is clamped to 1.',
    },
    'threshold-is-scaled': {
      answer: (p) => threeDigits(trueNorm(p)),
      because: (p) =>
        `Nobody tells \`clip_grad_norm_\` about the scale: ${p.maxNorm} stays ${p.maxNorm}${p.clipFirst ? ' while gradients are scaled' : ', and the true norm is above it'}.`,
    },
    'clips-each-value': {
      answer: (p) => threeDigits(byValue(p)),
      because: () =>
        'That is `clip_grad_value_`. `clip_grad_norm_` multiplies the whole gradient by one factor and keeps its direction.',
    },
    'backward-unscales': {
      answer: (p) =>
        threeDigits(Math.min(trueNorm(p) / (p.clipFirst ? 1 : p.scale), p.maxNorm) / (p.clipFirst ? p.scale : 1)),
      because: () =>
        'After backward every gradient is still multiplied by the scale; `unscale_` (or `step`) divides, once.',
    },
  },
});
