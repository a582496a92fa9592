# autocast: state, nesting, decorators, the weight cache, custom functions, errors.
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
    print(name, "->", result, [(w.category.__name__, str(w.message)) for w in caught])


def state():
    return torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()


x, w = torch.ones(2, 2), torch.ones(2, 2, requires_grad=True)
print(state(), torch.get_autocast_dtype("cuda"), torch.is_autocast_enabled())
with torch.autocast("cpu"):
    print(state(), (x @ w).dtype)
    with torch.autocast("cpu", dtype=torch.float16, cache_enabled=False):
        print(state())
        with torch.autocast("cpu", enabled=False):
            print(state(), (x @ w).dtype)
        print(state())
    print(state())
print(state())


@torch.autocast("cpu", dtype=torch.bfloat16)
def decorated(a, b):
    """A docstring."""
    return a @ b


print(decorated(x, w).dtype, decorated.__name__, decorated.__doc__)
region = torch.autocast("cpu")
with region:
    with region:
        pass
print("re-entered", state()[0])
torch.set_autocast_enabled("cpu", False)
with torch.autocast("cpu"):
    before = (x @ w)[0, 0].item()
    with torch.no_grad():
        w.mul_(3.0)
    print("stale cast", before, (x @ w)[0, 0].item())
with torch.autocast("cpu", cache_enabled=False):
    print("no cache", (x @ w)[0, 0].item())
with torch.autocast("cpu"):
    print((x.double() @ w.double()).dtype, (torch.ones(2, 2, dtype=torch.int64) @ torch.ones(2, 2, dtype=torch.int64)).dtype)
    a = torch.ones(2, 2, dtype=torch.bfloat16)
    print((a @ x).dtype, (a + x).dtype, torch.cat([a, x]).dtype, a.sum().dtype)
with torch.autocast("cuda", enabled=False):
    print(torch.is_autocast_enabled("cuda"))
attempt("dtype", lambda: torch.autocast("cpu", dtype=torch.float64)._enabled)
attempt("device", lambda: torch.autocast("foo"))
attempt("device object", lambda: torch.autocast(torch.device("cpu")))
attempt("missing", lambda: torch.autocast())
attempt("call", lambda: torch.autocast("cpu")(3))
attempt("cpu name", lambda: torch.cpu.amp.autocast()._enabled)
attempt("custom_fwd", lambda: torch.amp.custom_fwd(lambda ctx: None))
attempt("custom_fwd device", lambda: torch.amp.custom_fwd(lambda ctx: None, device_type=torch.device("cpu")))
print(torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("cuda"), torch.amp.autocast is torch.autocast)


class Scale(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, a):
        ctx.save_for_backward(a)
        print("forward", torch.is_autocast_enabled("cpu"))
        return a @ a

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        print("backward", torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
        return g @ ctx.saved_tensors[0]


a = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu", dtype=torch.float16):
    y = Scale.apply(a)
y.float().sum().backward()
print(y.dtype, a.grad.dtype)
scaler = torch.amp.GradScaler("cpu", enabled=False)
print(scaler.scale(3), scaler.state_dict(), scaler.is_enabled())
