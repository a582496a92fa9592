# Learning-rate schedules: warnings, chaining, resuming, state.
import warnings

import torch
from torch.optim.lr_scheduler import *


def make(lr=1.0, cls=torch.optim.SGD, **kwargs):
    p = torch.zeros(1, requires_grad=True)
    p.grad = torch.zeros(1)
    return cls([p], lr=lr, **kwargs)


def attempt(name, function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function()
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    print(name, "->", result, [(w.category.__name__, str(w.message)[:90]) for w in caught])


def run(opt, sched, n=7):
    lrs = []
    for _ in range(n):
        lrs.append(round(opt.param_groups[0]["lr"], 10))
        opt.step()
        sched.step()
    return lrs


o = make()
print("chained", run(o, ChainedScheduler([ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.9)])))
o = make()
print("sequential", run(o, SequentialLR(o, [ConstantLR(o, 0.1, 2), StepLR(o, 2), LinearLR(o)], [2, 5])))
o = make()
print("multiplicative", run(o, MultiplicativeLR(o, lambda e: 0.95)))
o = make()
print("restarts", run(o, CosineAnnealingWarmRestarts(o, 2, 2, 0.1)))
o = make(momentum=0.9)
print("cyclic", run(o, CyclicLR(o, 0.1, 1.0, 2, mode="triangular2")), round(o.param_groups[0]["momentum"], 6))
o = make(cls=torch.optim.Adam)
print("one cycle", run(o, OneCycleLR(o, 1.0, epochs=2, steps_per_epoch=4, three_phase=True)), o.param_groups[0]["betas"])
o = make()
s = ReduceLROnPlateau(o, patience=0, cooldown=1, threshold=0.1)
for metric in (1.0, 0.95, 0.5, 0.6, 0.7, float("nan"), 0.8):
    s.step(metric)
    print(metric, o.param_groups[0]["lr"], s.num_bad_epochs, s.in_cooldown, s.best)
print({k: v for k, v in s.state_dict().items() if k not in ("_last_lr",)})
o = make()
s = StepLR(o, 2, 0.5)
run(o, s, 3)
state = s.state_dict()
print(state)
o2 = make()
s2 = StepLR(o2, 9)
s2.load_state_dict(state)
o2.param_groups[0]["lr"] = 0.5
print(run(o2, s2, 4), s2.get_last_lr())
attempt("order", lambda: StepLR(make(), 1).step())
o = make()
s = StepLR(o, 1)
o.step()
attempt("epoch", lambda: (s.step(4), o.param_groups[0]["lr"]))
attempt("get_lr", lambda: s.get_lr())
o = make()
s = LambdaLR(o, lambda e: 0.5**e)
o.step = lambda: None
attempt("overridden", lambda: s.step())
attempt("resume", lambda: StepLR(make(), 1, last_epoch=3))
attempt("not an optimizer", lambda: StepLR(3, 1))
attempt("lambdas", lambda: LambdaLR(make(), [lambda e: 1, lambda e: 1]))
attempt("milestones", lambda: SequentialLR(make(), [StepLR(make(), 1)], [1]))
attempt("momentum", lambda: OneCycleLR(torch.optim.Adagrad([torch.zeros(1, requires_grad=True)]), 1.0, 5))
attempt("factor", lambda: ReduceLROnPlateau(make(), factor=1.0))
attempt("mode", lambda: ReduceLROnPlateau(make(), mode="x"))
attempt("linear", lambda: LinearLR(make(), start_factor=0))
attempt("T_0", lambda: CosineAnnealingWarmRestarts(make(), 0))
attempt("total_steps", lambda: OneCycleLR(make(momentum=0.5), 1.0))
