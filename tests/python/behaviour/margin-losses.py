"""Losses of margins and distributions: values, gradients, reductions, errors, modules, autocast."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x, y, z = torch.randn(4, 5), torch.randn(4, 5), torch.randn(4, 5)
sign = torch.sign(torch.randn(4, 5))
p = torch.rand(4, 5) * 3
c = torch.tensor([0, 2, 4, 1])


def show(name, f):
    a = x.clone().requires_grad_()
    out = f(a)
    out.sum().backward()
    print(name, out.detach(), a.grad[0])


for reduction in ("mean", "sum", "none"):
    show("triplet", lambda a: F.triplet_margin_loss(a, y, z, reduction=reduction))
    show("triplet swap", lambda a: F.triplet_margin_loss(a, y, z, margin=2.0, p=1, swap=True, reduction=reduction))
    show("hinge", lambda a: F.hinge_embedding_loss(a, sign, margin=0.5, reduction=reduction))
    show("soft", lambda a: F.soft_margin_loss(a, sign, reduction=reduction))
    show("multilabel", lambda a: F.multilabel_soft_margin_loss(a, (p > 1).float(), weight=torch.arange(5.0), reduction=reduction))
    show("multi", lambda a: F.multi_margin_loss(a, c, reduction=reduction))
    show("multi 2", lambda a: F.multi_margin_loss(a, c, p=2, margin=0.5, weight=torch.arange(5.0), reduction=reduction))
    show("poisson", lambda a: F.poisson_nll_loss(a, p, full=True, reduction=reduction))
    show("poisson 2", lambda a: F.poisson_nll_loss(a.abs(), p, log_input=False, reduction=reduction))
    show("gaussian", lambda a: F.gaussian_nll_loss(a, y, p, full=True, reduction=reduction))
    show("gaussian row", lambda a: F.gaussian_nll_loss(a, y, p[:, 0], reduction=reduction))
show("hardshrink", lambda a: F.hardshrink(a))
show("softshrink", lambda a: F.softshrink(a, 0.3))
for module, args in (
    (nn.TripletMarginLoss(), (x, y, z)),
    (nn.HingeEmbeddingLoss(), (x, sign)),
    (nn.SoftMarginLoss(), (x, sign)),
    (nn.MultiLabelSoftMarginLoss(), (x, (p > 1).float())),
    (nn.MultiMarginLoss(), (x, c)),
    (nn.PoissonNLLLoss(), (x, p)),
    (nn.GaussianNLLLoss(), (x, y, p)),
    (nn.Hardshrink(), (x,)),
    (nn.Softshrink(0.1), (x,)),
):
    print(module, module(*args).sum())
for f in (
    lambda: F.triplet_margin_loss(x, y, z, margin=-1),
    lambda: nn.TripletMarginLoss(margin=0),
    lambda: F.gaussian_nll_loss(x, y, -p),
    lambda: F.gaussian_nll_loss(x, y, p[:2]),
    lambda: F.multi_margin_loss(x, c, p=3),
    lambda: F.softshrink(x, -1.0),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(F.hardshrink(torch.tensor([float("nan"), 0.5, -0.5])), F.softshrink(torch.tensor([float("nan"), 0.5])))
with torch.autocast("cpu", dtype=torch.bfloat16):
    h = torch.nn.functional.linear(x, torch.ones(5, 5))
    for loss in (
        F.triplet_margin_loss(h, y, z),
        F.hinge_embedding_loss(h, sign),
        F.soft_margin_loss(h, sign.bfloat16()),
        F.multi_margin_loss(h, c),
        F.poisson_nll_loss(h, p),
    ):
        print(h.dtype, loss.dtype, loss)
