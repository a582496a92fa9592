# Checkpointing recomputes the forward pass in the backward pass, with the same random numbers and the same autocast state.
import warnings

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

calls = []


def f(x, k=1.0):
    calls.append((torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")))
    return torch.dropout(x * x, 0.5, True) * k


for reentrant in (True, False):
    calls.clear()
    torch.manual_seed(0)
    x = torch.arange(1.0, 5.0, requires_grad=True)
    y = checkpoint(f, x, use_reentrant=reentrant)
    y.sum().backward()
    print(reentrant, len(calls), y.tolist(), x.grad.tolist())
x = torch.ones(2, requires_grad=True)
checkpoint(f, x, k=3.0, use_reentrant=False).sum().backward()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    checkpoint(f, torch.ones(2, requires_grad=True))
    checkpoint(f, torch.ones(2), use_reentrant=True)
print([(w.category.__name__, str(w.message)) for w in caught])
try:
    checkpoint(f, x, k=3.0, use_reentrant=True)
except ValueError as error:
    print("ValueError:", error)
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Tanh())
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
x = torch.ones(1, 2, requires_grad=True)
net(x).sum().backward()
plain = [p.grad.clone() for p in net.parameters()]
for reentrant in (True, False):
    net.zero_grad()
    checkpoint_sequential(net, 2, x, use_reentrant=reentrant).sum().backward()
    print([torch.equal(p.grad, g) for p, g in zip(net.parameters(), plain)])
lin = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    lin.weight.fill_(0.1)
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = checkpoint(lin, torch.ones(1, 2), use_reentrant=False)
out.float().sum().backward()
print(out.dtype, lin.weight.grad.dtype, lin.weight.grad.tolist())
