"""Idioms of pasted scripts: NumPy's argument names, views given together, a second backward, collated strings, mismatched statistics."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def attempt(function):
    try:
        print(function())
    except (RuntimeError, TypeError, IndexError) as e:
        print(type(e).__name__, str(e) if isinstance(e, RuntimeError) else "")


x = torch.arange(6.0).view(2, 3)
print(x.sum(axis=1), x.mean(axis=0, keepdims=True), x.max(axis=1).values, torch.cat([x, x], axis=1).shape)
attempt(lambda: x.sum(axis=1, dim=1))
attempt(lambda: x.sum(axes=1))

base = torch.ones(4, 2, requires_grad=True) * 1
for view in (
    lambda: base.unbind()[1],
    lambda: base.split(2)[1],
    lambda: base.chunk(2)[1],
    lambda: base.split([1, 3])[1],
    lambda: list(base)[1],
    lambda: base.split(2)[1][0],
    lambda: base.split(2)[1].view(-1),
    lambda: base.tensor_split(2)[1],
):
    print(view().grad_fn.name())
    attempt(lambda: view().mul_(2).shape)
plain = torch.ones(4)
first, second = plain.chunk(2)
first.mul_(2)
print(plain, torch.arange(10).tensor_split([5, 3]))

w = torch.ones(2, requires_grad=True)
for function in (lambda: w * 2, lambda: w + 2, lambda: w / 2, lambda: w - 1, lambda: -w, lambda: w**2, lambda: w.clone().mul_(2)):
    y = function().sum()
    y.backward()
    attempt(y.backward)

print(next(iter(DataLoader([(1, "a"), (3, "b")], 2))), next(iter(DataLoader([{"k": "a"}, {"k": "b"}], 2))))
attempt(lambda: nn.BatchNorm1d(4)(x))
attempt(lambda: nn.BatchNorm1d(4, track_running_stats=False)(x))
