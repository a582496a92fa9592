# The protocol of Module: registration, attributes, iteration, state_dict, hooks, conversion.
import copy
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F


def attempt(name, function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(function())
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    print(name, "->", result, [(w.category.__name__, str(w.message)) for w in caught])


torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.act = nn.ReLU()
        self.seq = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1), nn.LayerNorm(3))
        self.list = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)] + [nn.ReLU()])
        self.dict = nn.ModuleDict({"a": nn.Tanh(), "b": nn.Linear(3, 1)})
        self.p = nn.Parameter(torch.ones(2))
        self.register_buffer("buf", torch.zeros(2))
        self.register_buffer("tmp", torch.zeros(1), persistent=False)
        self.tied = self.fc

    def forward(self, x):
        return self.dict["b"](self.seq(self.act(self.fc(x))))


m = Net()
print(m)
print(m.eval()(torch.ones(1, 2)))
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()])
print([n for n, _ in m.named_modules()], [n for n, _ in m.named_children()])
print(list(m.state_dict()), list(m.state_dict()._metadata.items()))
print([n for n, _ in m.named_parameters(remove_duplicate=False)], len(list(m.parameters())), len(list(m.modules())))

SNIPPETS = """
setattr(m, "p", torch.ones(2))
setattr(m, "fc", 3)
setattr(m, "buf", 3)
setattr(m, "p", None)
m.register_buffer("fc", torch.ones(1))
m.register_buffer("a.b", torch.ones(1))
m.register_buffer("", torch.ones(1))
m.register_buffer(3, torch.ones(1))
m.register_buffer("zz", 3)
m.register_parameter("zz", torch.ones(1))
m.register_parameter("fc", None)
m.add_module("x.y", nn.ReLU())
m.add_module("zz", 3)
m.add_module("buf", nn.ReLU())
m.add_module(3, nn.ReLU())
m.nope
m.get_submodule("seq.0")
m.get_submodule("seq.9")
m.get_submodule("p")
m.get_parameter("fc.weight").shape
m.get_parameter("fc.in_features")
m.get_buffer("buf")
m.get_buffer("p")
m.get_buffer("qq")
m.set_submodule("seq.0", nn.Identity())
m.set_submodule("", nn.Identity())
m.train(3)
m.load_state_dict(3)
m.load_state_dict({"x": torch.ones(1), "fc.weight": torch.ones(1, 1), "buf": 3})
m.load_state_dict(m.state_dict())
m.load_state_dict({"a": 1}, strict=False)
delattr(m, "buf")
delattr(m, "qqq")
list(m.state_dict())
list(m.state_dict(prefix="q."))
m.half().fc.weight.dtype
m.to(torch.float64).fc.weight.dtype
m.to("cpu", torch.bfloat16).fc.bias.dtype
m.to(torch.ones(1)).fc.bias.dtype
m.to(torch.int32)
m.requires_grad_(False).fc.weight.requires_grad
nn.Module(3)
nn.Module(a=3)
nn.Module()(3)
"""
for code in SNIPPETS.strip().splitlines():
    attempt(code, lambda: eval(code))


class NoInit(nn.Module):
    def __init__(self, value):
        self.x = value


attempt("module before init", lambda: NoInit(nn.ReLU()))
attempt("parameter before init", lambda: NoInit(nn.Parameter(torch.ones(1))))

log = []
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
handles = [
    m[0].register_forward_pre_hook(lambda mod, args: log.append(("pre", len(args)))),
    m[0].register_forward_hook(lambda mod, args, out: log.append(("forward", tuple(out.shape)))),
    m[0].register_full_backward_hook(
        lambda mod, gi, go: log.append(("backward", [None if g is None else tuple(g.shape) for g in gi], len(go)))
    ),
    m[2].register_full_backward_pre_hook(lambda mod, go: log.append("backward pre") or (go[0] * 2,)),
    m[2].register_full_backward_hook(lambda mod, gi, go: (gi[0] * 0,)),
]
x = torch.ones(3, 2, requires_grad=True)
m(x).sum().backward()
print(log, m[2].weight.grad, m[0].weight.grad, x.grad)
log.clear()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    m(torch.ones(3, 2)).sum().backward()
print(log, [str(w.message) for w in caught])
for handle in handles:
    handle.remove()
m[0].register_forward_hook(lambda mod, args, kwargs, out: out + 1, with_kwargs=True)
m[0].register_forward_pre_hook(lambda mod, args, kwargs: ((args[0] * 2,), kwargs), with_kwargs=True)
print(m(torch.ones(1, 2)))
twin = copy.deepcopy(m)
print(twin[0].weight is not m[0].weight, torch.equal(twin[0].weight, m[0].weight), twin(torch.ones(1, 2)))
m.half()
print(m[0].weight.dtype, m[0].weight.grad.dtype)
m.zero_grad()
print(m[0].weight.grad)
log.clear()
m.apply(lambda module: log.append(type(module).__name__))
print(log)
