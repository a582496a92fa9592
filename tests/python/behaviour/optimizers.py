# Optimizers: groups, state, saving and loading, printing, hooks, errors.
import copy
import warnings

import torch
import torch.nn as nn


def attempt(name, function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function()
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    print(name, "->", result, [str(w.message) for w in caught])


def parameter(*values, dtype=torch.float32):
    return nn.Parameter(torch.tensor(values, dtype=dtype))


a, b = parameter(1.0, 2.0), parameter(3.0)
opt = torch.optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5, "momentum": 0.9}], lr=0.25, weight_decay=0.5)
print(opt)
print(torch.optim.AdamW([a]))
a.grad, b.grad = torch.tensor([1.0, -1.0]), torch.tensor([2.0])
opt.step()
opt.step()
print(a.tolist(), b.tolist())
state = opt.state_dict()
print(state)
other = torch.optim.SGD([{"params": [parameter(0.0, 0.0)]}, {"params": [parameter(0.0)], "lr": 9.0}], lr=8.0)
other.load_state_dict(state)
print(other.param_groups[1]["lr"], other.state[other.param_groups[1]["params"][0]])
opt.zero_grad()
print(a.grad)
a.grad = torch.ones(2)
opt.zero_grad(set_to_none=False)
print(a.grad)

for cls, kwargs in ((torch.optim.Adam, {}), (torch.optim.Adam, {"amsgrad": True}), (torch.optim.AdamW, {"lr": 0.125}),
                    (torch.optim.RMSprop, {"momentum": 0.5, "centered": True}), (torch.optim.Adagrad, {"lr_decay": 0.5}),
                    (torch.optim.SGD, {"lr": 0.5, "momentum": 0.5, "nesterov": True}), (torch.optim.Adam, {"maximize": True})):
    p = parameter(1.0, -2.0)
    opt = cls([p], **kwargs)
    for _ in range(3):
        p.grad = torch.tensor([0.5, 0.25])
        opt.step()
    print(cls.__name__, kwargs, [round(v, 6) for v in p.tolist()], sorted(opt.state[p]))

half = parameter(1.0, dtype=torch.bfloat16)
opt = torch.optim.Adam([half])
half.grad = torch.ones(1, dtype=torch.bfloat16)
opt.step()
print({k: (v.dtype, v.tolist()) for k, v in opt.state[half].items()})
saved = copy.deepcopy(opt.state_dict())
full = parameter(1.0)
opt = torch.optim.Adam([full])
opt.load_state_dict(saved)
print({k: v.dtype for k, v in opt.state[full].items()})

log = []
opt = torch.optim.SGD([a], lr=0.25)
opt.register_step_pre_hook(lambda o, args, kwargs: log.append("before"))
handle = opt.register_step_post_hook(lambda o, args, kwargs: log.append("after"))
a.grad = torch.ones(2)
opt.step()
handle.remove()
opt.step()
print(log, opt.step(lambda: 7.0))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)


opt = torch.optim.SGD(Net().named_parameters(), lr=0.5)
print(opt.param_groups[0]["param_names"])
opt.add_param_group({"params": [("extra", parameter(1.0))], "lr": 0.125})
print([g["lr"] for g in opt.param_groups])
attempt("group type", lambda: opt.add_param_group(3))
attempt("set", lambda: torch.optim.SGD([{"params": {a}}], lr=0.1))
attempt("unnamed", lambda: opt.add_param_group({"params": [parameter(1.0)]}))
attempt("not a tensor", lambda: torch.optim.SGD([3], lr=0.1))
attempt("duplicates", lambda: len(torch.optim.SGD([a, a], lr=0.1).param_groups[0]["params"]))
attempt("twice", lambda: torch.optim.SGD([{"params": [a]}, {"params": [a]}], lr=0.1))
attempt("betas", lambda: torch.optim.Adam([a], betas=(0.9, 1.0)))
attempt("lr tensor", lambda: torch.optim.SGD([a], lr=torch.ones(2)))
attempt("rmsprop", lambda: torch.optim.RMSprop([a], alpha=-1.0))
attempt("adagrad", lambda: torch.optim.Adagrad([a], lr_decay=-1.0))
attempt("base", lambda: torch.optim.Optimizer([a], {}).step())
attempt("load", lambda: torch.optim.SGD([a], lr=0.1).load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]}))
