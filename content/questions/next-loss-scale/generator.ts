import { pythonFloat } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';
import type { T } from '../kit/torch-calls';

interface Run {
  readonly scale: number;
  readonly interval: number;
  /** True where the gradients of a step are nonfinite. */
  readonly bad: readonly boolean[];
}

/** The scale after the run, by somebody's own rules. */
function believed(
  { scale, interval, bad }: Run,
  rules: { resets?: boolean; after?: number; halves?: boolean; grows?: boolean },
) {
  const { resets = true, after = interval, halves = true, grows = true } = rules;
  let clean = 0;
  for (const skipped of bad) {
    if (skipped) {
      if (halves) scale /= 2;
      if (resets) clean = 0;
    } else if (++clean === after) {
      if (grows) scale *= 2;
      clean = 0;
    }
  }
  return pythonFloat(scale);
}

export default defineGenerator<Run>({
  title: 'The next loss scale',
  summary: 'Clean steps and overflows in a row: where the scale of a GradScaler ends.',
  lesson: 'gradscaler-ordering',
  draw: (random) => ({
    scale: 2 ** random.int(4, 16),
    interval: random.int(2, 4),
    bad: Array.from({ length: random.int(5, 8) }, () => random.chance(0.3)),
  }),
  prompt: ({ bad }) =>
    `${bad.length} steps; an inf in the list makes the gradient of that step infinite. What is the scale afterwards?`,
  code: ({ scale, interval, bad }) => `import torch

inf = float("inf")
w = torch.ones(1, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.0)
scaler = torch.amp.GradScaler("cuda", init_scale=${pythonFloat(scale)}, growth_interval=${interval})
for factor in [${bad.map((b) => (b ? 'inf' : '1.0')).join(', ')}]:
    optimizer.zero_grad()
    scaler.scale((w * factor).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
print(scaler.get_scale())
`,
  answer({ scale, interval, bad }, torch) {
    let current: readonly [T, T] = [torch.tensor(scale, 'float32'), torch.tensor(0, 'int32')];
    for (const skipped of bad) {
      current = torch.ops2('_amp_update_scale', {
        scale: current[0],
        growth_tracker: current[1],
        found_inf: torch.tensor(skipped ? 1 : 0, 'float32'),
        growth_factor: 2,
        backoff_factor: 0.5,
        growth_interval: interval,
      });
    }
    return pythonFloat(torch.item(current[0]));
  },
  why: ({ interval }) =>
    `Every skip halves the scale and sets the count of clean steps back to 0; ${interval} clean steps in a row double it, and the count starts again.`,
  misconceptions: {
    'clean-steps-add-up': {
      answer: (p) => believed(p, { resets: false }),
      because: ({ interval }) =>
        `The ${interval} clean steps must come in a row: a skip sets the growth tracker back to 0.`,
    },
    'grows-one-later': {
      answer: (p) => believed(p, { after: p.interval + 1 }),
      because: ({ interval }) =>
        `The scale grows in the very update that makes it ${interval} clean steps in a row, not one later.`,
    },
    'skip-keeps-scale': {
      answer: (p) => believed(p, { halves: false }),
      because: () => 'The optimizer’s step is skipped; `update()` still runs, and it is the one that halves the scale.',
    },
    'scale-never-grows': {
      answer: (p) => believed(p, { grows: false }),
      because: ({ interval }) =>
        `After ${interval} clean steps in a row the scale doubles: the scaler looks for the largest scale that fits.`,
    },
  },
});
