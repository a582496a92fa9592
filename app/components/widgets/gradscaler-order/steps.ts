/** The calls of a scaled training step, and the script that a given order of them is. What the page shows is what runs. */

export type StepId = 'zero_grad' | 'forward' | 'backward' | 'unscale_' | 'clip' | 'step' | 'update';

export interface Step {
  readonly id: StepId;
  readonly name: string;
  /** Its lines in the loop's body. */
  readonly code: readonly string[];
}

export const STEPS: readonly Step[] = [
  { id: 'zero_grad', name: 'zero_grad', code: ['optimizer.zero_grad()'] },
  {
    id: 'forward',
    name: 'forward',
    code: ['with torch.autocast("cuda", dtype=torch.float16):', '    loss = nn.functional.mse_loss(model(x), y)'],
  },
  { id: 'backward', name: 'scale + backward', code: ['scaler.scale(loss).backward()'] },
  { id: 'unscale_', name: 'unscale_', code: ['scaler.unscale_(optimizer)'] },
  { id: 'clip', name: 'clip', code: ['norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)'] },
  { id: 'step', name: 'step', code: ['scaler.step(optimizer)'] },
  { id: 'update', name: 'update', code: ['scaler.update()'] },
];

export const RIGHT_ORDER: readonly StepId[] = STEPS.map((step) => step.id);

export const ITERATIONS = 4;

/** Most calls that a loop may have: enough to repeat some, few enough to read. */
export const LONGEST = 10;

export function stepOf(id: StepId): Step {
  const step = STEPS.find((s) => s.id === id);
  if (!step) throw new Error(`gradscaler-order: there is no step "${id}"`);
  return step;
}

/**
 * Seed 0 and the default scale: the second batch overflows at 65536 and is skipped in the right order, and two clean steps later the scale
 * has grown back, so that an order is seen with a skip and with a growth.
 */
const SETUP = `import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler("cuda", growth_interval=2)
batches = [(torch.randn(4, 4).cuda(), torch.randn(4, 1).cuda()) for _ in range(${ITERATIONS})]

weights = lambda: nn.utils.parameters_to_vector(model.parameters()).detach()
start, history = weights(), []

for x, y in batches:`.split('\n');

export interface Script {
  readonly code: string;
  /** By line of the script, from 1: the position in the order of the call on it. */
  readonly positions: ReadonlyMap<number, number>;
}

/** The whole script of an order. After each iteration it notes scale, loss, norm and weights in `history`. */
export function scriptOf(order: readonly StepId[]): Script {
  const lines = [...SETUP];
  const positions = new Map<number, number>();
  for (const [position, id] of order.entries()) {
    for (const line of stepOf(id).code) {
      lines.push(`    ${line}`);
      positions.set(lines.length, position);
    }
  }
  // Without the call, its variable doesn't exist.
  const loss = order.includes('forward') ? 'loss' : 'None';
  const norm = order.includes('clip') ? 'norm' : 'None';
  lines.push(`    history.append((scaler.get_scale(), ${loss}, ${norm}, weights()))`);
  return { code: `${lines.join('\n')}\n`, positions };
}
