/** The Python that the microscope runs: one small network, its gradients at every scale, and its training. What the page shows is what runs. */

/** Scales that are measured: 2^0 … 2^34, the last of which is past what the network's largest gradient bears. */
export const HIGHEST = 34;
export const STEPS = 80;
/** PyTorch's own is 2000: a run of 80 steps would never see the scale grow. */
export const GROWTH_INTERVAL = 3;

const NETWORK = `import torch
from torch import nn


def network():
    """Five hidden layers of 16. It has to predict four numbers of about a thousandth: metres, where millimetres are meant."""
    torch.manual_seed(0)
    sizes = [8, 16, 16, 16, 16, 16, 4]
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), nn.Tanh()]
    net = nn.Sequential(*layers[:-1]).cuda()
    with torch.no_grad():  # outputs begin as small as the targets are
        net[-1].weight.mul_(0.001)
        net[-1].bias.mul_(0.001)
    return net


torch.manual_seed(1)
samples = torch.randn(32, 8)
x, y = samples.cuda(), (0.001 * samples[:, :4]).cuda()
`;

/** Prints, for each scale: its exponent; of the float32 gradients times the scale, rounded to float16, how many are 0, subnormal, inf; of a real float16 backward, how many are 0 and nonfinite. */
export const MEASURE = `${NETWORK}

def gradients(scale, float16):
    net = network()
    with torch.autocast("cuda", dtype=torch.float16, enabled=float16):
        loss = nn.functional.mse_loss(net(x), y)
    (loss * scale).backward()
    return torch.cat([p.grad.flatten() for p in net.parameters()])


exact = gradients(1.0, float16=False)
tiny = torch.finfo(torch.float16).tiny
for k in range(${HIGHEST + 1}):
    rounded = (exact * 2.0**k).half()
    zero = (rounded == 0).sum().item()
    subnormal = (rounded.abs() < tiny).sum().item() - zero
    backward = gradients(2.0**k, float16=True)
    lost = (backward == 0).sum().item()
    broken = (~torch.isfinite(backward)).sum().item()
    print(k, zero, subnormal, rounded.isinf().sum().item(), lost, broken)
`;

export type Kind = 'float32' | 'unscaled' | 'scaled';

/** Prints, for each step: its number, the loss, the scale after it, and 1 where the step was taken. */
export function trainingScript(kind: Kind, exponent: number): string {
  const autocast = `torch.autocast("cuda", dtype=torch.float16, enabled=${kind === 'float32' ? 'False' : 'True'})`;
  const scaler =
    kind === 'scaled'
      ? `torch.amp.GradScaler("cuda", init_scale=2.0**${exponent}, growth_interval=${GROWTH_INTERVAL})`
      : 'torch.amp.GradScaler("cuda", enabled=False)';
  return `${NETWORK}
net = network()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
scaler = ${scaler}

for step in range(${STEPS}):
    optimizer.zero_grad()
    with ${autocast}:
        loss = nn.functional.mse_loss(net(x), y)
    scaler.scale(loss).backward()
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    print(step, loss.item(), scaler.get_scale(), int(scaler.get_scale() >= before))
`;
}
