/** engine/python/torch/_C.py: torch is imported without an engine, and handles of dropped tensors come back. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPython, NodeSession } from '@/engine/session/node';
import { recordPython } from './golden-python';

describe('the binding of torch to the engine', () => {
  it('imports torch without an engine, and says so when an op is called', async () => {
    const python = await loadPython();
    const text = python.runPython(`
import torch
try:
    torch.zeros(2)
    text = "no error"
except RuntimeError as error:
    text = f"{torch.float16} {error}"
text
`) as string;
    expect(text).toBe('torch.float16 torch has no engine yet: _C.bind was not called');
  });

  describe('handles', () => {
    let session: NodeSession;
    beforeAll(async () => {
      session = new NodeSession();
      await session.start();
    });
    const live = `
def live():
    torch._C.flush()
    return torch._C.call("live_handles")
`;

    it('of every tensor of a training step are free after it', async () => {
      const { trace, error } = await recordPython(
        session,
        `${live}
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return 2 * x * g
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x, t = torch.randn(16, 4), torch.randn(16, 1)
def step():
    optimizer.zero_grad()
    loss = (Square.apply(model(x)) - t).pow(2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()
step()
after_one = live()
for _ in range(30):
    step()
rec("same", live() == after_one)
`,
      );
      expect(error).toBeUndefined();
      expect(trace).toEqual([['same', true]]);
    });

    it('of temporaries outlive the call that they are arguments of', async () => {
      const { trace, error } = await recordPython(
        session,
        `
x = torch.arange(4.)
wrong = 0
for i in range(400):
    # The detached tensor is gone before the bridge is called with its handle.
    bits = torch._C.call("bits", x.detach()._h)
    wrong += bits != "00000000 3f800000 40000000 40400000"
rec("wrong", wrong)
`,
      );
      expect(error).toBeUndefined();
      expect(trace).toEqual([['wrong', 0]]);
    });

    it('of a failed op are not leaked', async () => {
      const { trace, error } = await recordPython(
        session,
        `${live}
a, b = torch.ones(2), torch.ones(3)
before = live()
for _ in range(50):
    try:
        a + b
    except RuntimeError:
        pass
rec("same", live() == before)
`,
      );
      expect(error).toBeUndefined();
      expect(trace).toEqual([['same', true]]);
    });
  });
});
