/**
 * The loop that people come for: a large Linear on "cuda", AdamW, autocast, GradScaler, unscale, clip, step, update. Expected values are
 * those of PyTorch 2.13 on its CPU with the same seed (the random numbers are equal to the bit, sums are ordered differently).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeSession } from '@/engine/session/node';
import type { TraceEvent } from '@/engine/session/session';

const loop = (dtype: string, steps: number) => `
import torch, torch.nn as nn
torch.manual_seed(0)
model = nn.Linear(1024, 512).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cuda", enabled=${dtype === 'float16' ? 'True' : 'False'})
x, y = torch.randn(256, 1024).cuda(), torch.randn(256, 512).cuda()
loss_fn = nn.MSELoss()
for i in range(${steps}):
    opt.zero_grad()
    with torch.autocast("cuda", dtype=torch.${dtype}):
        loss = loss_fn(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    print(loss.item(), norm.item(), scaler.get_scale())
print(model.weight.device, model.weight.dtype, model.weight.grad.dtype, torch.isfinite(model.weight).all().item())
`;

describe('the mixed-precision loop', () => {
  const session = new NodeSession();
  beforeAll(async () => {
    await session.start();
  });

  async function run(code: string, trace: boolean): Promise<{ lines: string[]; events: readonly TraceEvent[] }> {
    let stdout = '';
    const result = await session.run(code, {
      trace,
      timeLimit: 0,
      onOutput: (text, stream) => (stdout += stream === 'stdout' ? text : ''),
    });
    expect(result.error?.traceback ?? '').toBe('');
    return { lines: stdout.trim().split('\n'), events: result.trace ?? [] };
  }

  it.each([
    ['float16', 65536, [1.3408381938934326, 1.222752332687378, 1.1123402118682861, 1.0094988346099854]],
    ['bfloat16', 1, [1.3408342599868774, 1.2227528095245361, 1.1123331785202026, 1.0094960927963257]],
  ] as const)('%s trains as PyTorch does, without a skipped step', async (dtype, scale, losses) => {
    const { lines } = await run(loop(dtype, losses.length), false);
    losses.forEach((expected, i) => {
      const [loss, norm, now] = lines[i].split(' ').map(Number);
      expect(Math.abs(loss - expected)).toBeLessThan(2e-5 * expected);
      expect(norm).toBeGreaterThan(0.1);
      expect(now).toBe(scale);
    });
    expect(lines.at(-1)).toBe('cuda:0 torch.float32 torch.float32 True');
  });

  it('the trace shows the scaler: scale, unscale_, step with found_inf, update', async () => {
    const code = `
import torch
w = torch.ones(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
for g in (1.0, float("inf")):
    opt.zero_grad()
    scaler.scale((w * g).sum()).backward()
    scaler.unscale_(opt)
    scaler.step(opt)
    scaler.update()
`;
    const { events } = await run(code, true);
    const scaler = events.filter((e) => e.phase === 'scaler').map((e) => [e.op, e.line, e.detail]);
    expect(scaler).toEqual([
      ['GradScaler.scale', 8, { scale: 4 }],
      ['GradScaler.unscale_', 9, { scale: 4 }],
      ['GradScaler.step', 10, { found_inf: 0, skipped: false, scale: 4 }],
      ['GradScaler.update', 11, { scale: 4 }],
      ['GradScaler.scale', 8, { scale: 4 }],
      ['GradScaler.unscale_', 9, { scale: 4 }],
      ['GradScaler.step', 10, { found_inf: 1, skipped: true, scale: 4 }],
      ['GradScaler.update', 11, { scale: 2 }],
    ]);
  });
});
