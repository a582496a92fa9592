/** functional.json as Python: every expression and its gradient, on a device. Runs after the prelude of golden-python.ts. */
import type { GoldenTensor } from '../golden/load';

export interface FunctionalCase {
  readonly dtype: 'f16' | 'bf16' | 'f32';
  readonly name: string;
  readonly x: GoldenTensor;
  readonly f: Readonly<Record<string, GoldenTensor>>;
  readonly g: Readonly<Record<string, GoldenTensor | null>>;
}

const text = (value: unknown): string => JSON.stringify(JSON.stringify(value));

/** Records one [values, gradients] pair a case, by label. */
export function functionalScript(
  opCode: Readonly<Record<string, string>>,
  cases: readonly FunctionalCase[],
  device: 'cpu' | 'cuda',
): string {
  const work = cases.map((c) => ({ x: c.x, forward: Object.keys(c.f), gradient: Object.keys(c.g) }));
  return `
torch.set_default_device("${device}")
warnings.simplefilter("ignore")
code = json.loads(${text(opCode)})
rows = {"kl", "nll_of_log_softmax", "nll_of_log_of_softmax"}  # and ce_*: these take the two-row X
for case in json.loads(${text(work)}):
    x0 = dec(case["x"], "${device}")
    n, dtype = len(x0), x0.dtype
    scope = dict(torch=torch, F=F, t=torch.tensor([i % 2 * 1.0 for i in range(n)]).to(dtype),
                 g=(torch.arange(n) * 0.25 + 0.5).to(dtype), be=(torch.arange(n) * 0.125 - 0.25).to(dtype))
    if n >= 2:
        X0 = torch.stack([x0, x0.flip(0)])
        scope.update(tg=torch.tensor([0, n - 1]), w=(torch.arange(n) * 0.5 + 0.5).to(dtype), pr=torch.full((2, n), 1.0 / n).to(dtype))
    values, grads = {}, {}
    for label in case["forward"]:
        x = (X0 if label in rows or label.startswith("ce_") else x0).clone().requires_grad_()
        y = eval(code[label], {**scope, "x": x, "X": x})
        values[label] = enc(y)
        if label in case["gradient"]:
            up = torch.ones_like(y) if y.numel() == 1 else ((torch.arange(y.numel()) % 3 + 1) * 0.5).reshape(y.shape).to(y.dtype)
            y.backward(up)
            grads[label] = enc(x.grad)
    trace.append([values, grads])
`;
}
