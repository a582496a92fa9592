/** The GPU is tested before it computes anything for a program, whichever way the program names it. */
import { beforeAll, expect, it } from 'vitest';
import { CpuBackend } from '@/engine/backends/cpu/cpu-backend';
import { createBridge } from '@/engine/session/bridge';
import { loadPython } from '@/engine/session/node';
import { PythonHost } from '@/engine/session/python-host';

/** Every expression is the first of its program to name the GPU. */
const programs = {
  'device="cuda"': 'torch.zeros(2, device="cuda")',
  'device="cuda:0"': 'torch.tensor([1.0, 2.0], device="cuda:0")',
  'torch.device': 'torch.randn(2, device=torch.device("cuda"))',
  'a device index': 'torch.ones(2).to(0)',
  '.cuda()': 'torch.ones(2).cuda()',
  'like=, device=': 'torch.ones_like(torch.ones(2), device="cuda")',
  new_zeros: 'torch.ones(2).new_zeros(2, device="cuda")',
  'Module.cuda()': 'nn.Linear(2, 2).cuda()(torch.ones(1, 2).cuda())',
  'Module.to': 'nn.Linear(2, 2).to("cuda").weight * 2',
  'a factory in a module': 'nn.Linear(2, 2, device="cuda").weight * 2',
  'the default device': '[torch.set_default_device("cuda"), torch.ones(2) * 2, torch.set_default_device("cpu")]',
  'with torch.device': 'in_device()',
  'torch.load': 'torch.load(saved(), map_location="cuda")',
};

let proofs = 0;
let notices: readonly string[] = [];
let output = '';
/** Memory is given back whenever Python likes; everything else has to wait for the proof. */
const cuda = new Proxy(new CpuBackend(), {
  get(target, key) {
    const value = Reflect.get(target, key, target) as unknown;
    if (typeof value !== 'function' || key === 'release') return value;
    return (...args: unknown[]) => {
      if (proofs === 0) throw new Error(`${String(key)} before the GPU was tested`);
      return Reflect.apply(value, target, args);
    };
  },
});
let host: PythonHost;
beforeAll(async () => {
  const bridge = createBridge({
    cuda,
    // At once: Python can't wait in Node.
    prove: () => {
      proofs += 1;
      return notices;
    },
  });
  host = PythonHost.connect(await loadPython(), bridge, {
    emit: (text) => {
      output += text;
    },
    flush: () => undefined,
    block: () => undefined,
    canSuspend: false,
  });
});

it.each(Object.entries(programs))('%s', async (_, expression) => {
  proofs = 0;
  output = '';
  const code = `
import io, torch
from torch import nn
torch._C._bound.proved = False
def in_device():
    with torch.device("cuda"):
        return torch.ones(2) * 2
def saved():
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    file.seek(0)
    return file
print(torch.ones(2).sum().item())
${expression}
print("done")
`;
  const result = await host.run(code, { filename: 'main.py', args: [], timeLimit: 0, outputLimit: 0 });
  expect(result.error?.traceback ?? output).toBe('2.0\ndone\n');
  expect(proofs).toBe(1);
});

it('what failed the self-test is told as a warning, once', async () => {
  proofs = 0;
  output = '';
  notices = ["Your GPU's softmax kernels are not exact (softmax float16: index 3: got 0.5, expected 0.25)"];
  const code = 'import torch\ntorch._C._bound.proved = False\nfor _ in range(2):\n    torch.zeros(2, device="cuda")\n';
  const result = await host.run(code, { filename: 'main.py', args: [], timeLimit: 0, outputLimit: 0 });
  notices = [];
  expect(result.error).toBeUndefined();
  expect(output).toBe(
    "main.py:4: UserWarning: Your GPU's softmax kernels are not exact (softmax float16: index 3: got 0.5, expected 0.25)\n" +
      '  torch.zeros(2, device="cuda")\n',
  );
});
