"""Writes tests/golden/data/elementwise.json from a real PyTorch: elementwise ops and their gradients, in float16, bfloat16 and float32.

    ATEN_CPU_CAPABILITY=avx2 python tests/golden/generate/elementwise.py

Every case is [op, arguments, expression, ulp]: the engine's op with its arguments in order (names are tensors of "inputs"), the PyTorch
expression that must give the same bits, and the units in the last place allowed to float32 (0: exact; functions that PyTorch
takes from a vendor's library differ between machines). Tensors are evaluated eight elements at a time: PyTorch's scalar path.
"""

import json
import os

os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
INF, NAN = float("inf"), float("nan")
N = 48

UNARY = {
    "exp2": 1, "log2": 1, "log10": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1, "asinh": 1, "acosh": 1,
    "atanh": 1, "erfc": 1, "exp": 1, "log": 1, "expm1": 1, "log1p": 1, "sin": 1, "cos": 1, "tanh": 1, "sigmoid": 2, "erf": 1,
    "floor": 0, "ceil": 0, "trunc": 0, "frac": 0, "sign": 0, "sgn": 0, "square": 0, "abs": 0, "neg": 0, "relu": 0, "sqrt": 1, "rsqrt": 1,
    "reciprocal": 0, "deg2rad": 0, "rad2deg": 0, "logit": 2,
}
CASES = [[name, ["x"], f"torch.{name}(x)", ulp] for name, ulp in UNARY.items()]
CASES += [
    ["round", ["x", 0], "torch.round(x)", 0],
    ["round", ["x", 1], "torch.round(x,decimals=1)", 0],
    ["gelu", ["x", "none"], "F.gelu(x)", 4],
    ["gelu", ["x", "tanh"], "F.gelu(x,approximate='tanh')", 4],
    ["silu", ["x"], "F.silu(x)", 2],
    ["softplus", ["x", 1.0, 20.0], "F.softplus(x)", 2],
    ["softplus", ["x", 2.0, 3.0], "F.softplus(x,2.,3.)", 2],
    ["log_sigmoid", ["x"], "F.logsigmoid(x)", 2],
    ["leaky_relu", ["x", 0.01], "F.leaky_relu(x)", 0],
    ["elu", ["x", 1.0, 1.0, 1.0], "F.elu(x)", 2],
    ["elu", ["x", 0.3, 1.0, 1.0], "F.elu(x,0.3)", 2],
    ["elu", ["x", 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0], "F.selu(x)", 2],
    ["elu", ["x", 0.7, 1.0, 1 / 0.7], "F.celu(x,0.7)", 2],
    ["hardtanh", ["x", -1.0, 1.0], "F.hardtanh(x)", 0],
    ["hardtanh", ["x", 0.0, 6.0], "F.relu6(x)", 0],
    ["hardsigmoid", ["x"], "F.hardsigmoid(x)", 0],
    ["hardswish", ["x"], "F.hardswish(x)", 0],
    ["mish", ["x"], "F.mish(x)", 2],
    ["_prelu_kernel", ["x", "y"], "torch._prelu_kernel(x,y)", 0],
    ["add", ["x", "y", 0.3], "torch.add(x,y,alpha=0.3)", 0],
    ["sub", ["x", "y", -0.7], "torch.sub(x,y,alpha=-0.7)", 0],
    ["rsub", ["x", "y", 0.3], "torch.rsub(x,y,alpha=0.3)", 0],
    ["mul", ["x", "y"], "x*y", 0],
    ["div", ["x", "y"], "x/y", 0],
    ["floor_divide", ["x", "y"], "torch.floor_divide(x.detach(),y.detach())", 0],
    ["trunc_divide", ["x", "y"], "torch.div(x,y,rounding_mode='trunc')", 0],
    ["trunc_divide", ["x", 0.3], "torch.div(x,0.3,rounding_mode='trunc')", 0],
    ["remainder", ["x", "y"], "torch.remainder(x,y)", 0],
    ["fmod", ["x", "y"], "torch.fmod(x,y)", 0],
    ["fmod", ["x", 0.3], "torch.fmod(x,0.3)", 0],
    ["lerp", ["x", "y", "c"], "torch.lerp(x,y,c)", 0],
    ["lerp", ["x", "y", 0.3], "torch.lerp(x,y,0.3)", 0],
    ["addcmul", ["x", "y", "c", 0.7], "torch.addcmul(x,y,c,value=0.7)", 0],
    ["addcdiv", ["x", "y", "c", 0.7], "torch.addcdiv(x,y,c,value=0.7)", 0],
    ["pow", ["c", "y"], "torch.pow(c,y)", 2],
    ["pow", ["x", 2], "x**2", 0],
    ["pow", ["x", 3], "x**3", 0],
    ["pow", ["c", 1.7], "c**1.7", 2],
    ["pow", ["c", -0.5], "c**-0.5", 2],
    ["pow", ["x", 0], "x**0", 0],
    ["pow", ["x", 1], "x**1", 0],
    ["pow", [1.5, "x"], "1.5**x", 2],
    ["maximum", ["x", "y"], "torch.maximum(x,y)", 0],
    ["minimum", ["x", "y"], "torch.minimum(x,y)", 0],
    ["fmax", ["x", "y"], "torch.fmax(x,y)", 0],
    ["fmin", ["x", "y"], "torch.fmin(x,y)", 0],
    ["clamp", ["x", -0.3, 0.7], "torch.clamp(x,-0.3,0.7)", 0],
    ["clamp", ["x", "y", "c"], "torch.clamp(x,y,c)", 0],
    ["clamp", ["x", None, "y"], "torch.clamp(x,max=y)", 0],
    ["where", ["m", "x", "y"], "torch.where(m,x,y)", 0],
    ["where", ["m", "x", 0.1], "torch.where(m,x,0.1)", 0],
    ["masked_fill", ["x", "m", -INF], "x.masked_fill(m,-float('inf'))", 0],
    ["nan_to_num", ["x", None, None, None], "torch.nan_to_num(x)", 0],
    ["nan_to_num", ["x", 1.1, 2.2, -3.3], "torch.nan_to_num(x,1.1,2.2,-3.3)", 0],
    ["copysign", ["x", "w"], "torch.copysign(x,w)", 0],
    ["copysign", ["x", -1.0], "torch.copysign(x,-1.)", 0],
    ["heaviside", ["x", "y"], "torch.heaviside(x.detach(),y.detach())", 0],
    ["atan2", ["x", "y"], "torch.atan2(x,y)", 2],
    ["hypot", ["x", "y"], "torch.hypot(x,y)", 1],
    ["logaddexp", ["x", "y"], "torch.logaddexp(x,y)", 2],
    ["xlogy", ["x", "c"], "torch.xlogy(x,c)", 2],
    ["ldexp", ["x", "k"], "torch.ldexp(x.detach(),k)", 0],
    ["clone", ["x"], "x.clone()", 0],
    ["logical_and", ["x", "y"], "torch.logical_and(x,y)", 0],
    ["logical_or", ["x", "y"], "torch.logical_or(x,y)", 0],
    ["logical_xor", ["x", "y"], "torch.logical_xor(x,y)", 0],
    ["logical_not", ["x"], "torch.logical_not(x)", 0],
    ["isnan", ["x"], "torch.isnan(x)", 0],
    ["isinf", ["x"], "torch.isinf(x)", 0],
    ["isfinite", ["x"], "torch.isfinite(x)", 0],
    ["isposinf", ["x"], "torch.isposinf(x)", 0],
    ["isneginf", ["x"], "torch.isneginf(x)", 0],
    ["ne", ["x", "y"], "x!=y", 0],
    ["le", ["x", "y"], "x<=y", 0],
    ["gt", ["x", "y"], "x>y", 0],
]
INTEGER = [
    ["add", ["i", "j", 2], "torch.add(i,j,alpha=2)"],
    ["sub", ["i", "j", 1], "i-j"],
    ["mul", ["i", "j"], "i*j"],
    ["div", ["i", "j"], "i/j"],
    ["floor_divide", ["i", "j"], "i//j"],
    ["trunc_divide", ["i", "j"], "torch.div(i,j,rounding_mode='trunc')"],
    ["remainder", ["i", "j"], "i%j"],
    ["fmod", ["i", "j"], "torch.fmod(i,j)"],
    ["pow", ["i", 2], "i**2"],
    ["pow", ["i", "j"], "i**j"],
    ["pow", ["i", 0.5], "i**0.5"],
    ["neg", ["i"], "-i"],
    ["abs", ["i"], "i.abs()"],
    ["sign", ["i"], "i.sign()"],
    ["square", ["i"], "i.square()"],
    ["relu", ["i"], "i.relu()"],
    ["floor", ["i"], "i.floor()"],
    ["round", ["i", 0], "i.round()"],
    ["clamp", ["i", -3, 3], "i.clamp(-3,3)"],
    ["clamp", ["i", 0.5, None], "i.clamp(0.5)"],
    ["maximum", ["i", "j"], "torch.maximum(i,j)"],
    ["bitwise_and", ["i", "j"], "i&j"],
    ["bitwise_or", ["i", "j"], "i|j"],
    ["bitwise_xor", ["i", "j"], "i^j"],
    ["bitwise_not", ["i"], "~i"],
    ["bitwise_left_shift", ["i", "j"], "i<<j"],
    ["bitwise_right_shift", ["i", "j"], "i>>j"],
    ["logical_and", ["i", "j"], "torch.logical_and(i,j)"],
    ["where", ["m", "i", "j"], "torch.where(m,i,j)"],
    ["masked_fill", ["i", "m", 7], "i.masked_fill(m,7)"],
    ["addcmul", ["i", "j", "j", 2], "torch.addcmul(i,j,j,value=2)"],
    ["nan_to_num", ["i", None, None, None], "torch.nan_to_num(i)"],
    ["exp", ["i"], "i.exp()"],
    ["sigmoid", ["i"], "i.sigmoid()"],
    ["copysign", ["i", "j"], "torch.copysign(i,j)"],
    ["eq", ["i", "j"], "i==j"],
    ["lt", ["i", 2.5], "i<2.5"],
]
SHORT = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.int64: "i64", torch.int32: "i32", torch.bool: "bool", torch.uint8: "u8", torch.int8: "i8"}


def enc(t):
    t = t.detach().contiguous()
    d = {"t": SHORT[t.dtype], "s": list(t.shape)}
    if t.is_floating_point():
        nan = torch.isnan(t)
        bits = t.view(torch.int32 if t.dtype == torch.float32 else torch.int16).numpy().astype(np.int64)
        width = 8 if t.dtype == torch.float32 else 4
        quiet = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000}[d["t"]]
        d["b"] = " ".join(f"{quiet if n else b % 16**width:0{width}x}" for b, n in zip(bits.ravel(), nan.ravel().tolist()))
    else:
        d["v"] = t.ravel().tolist()
    return d


def chunks(expression, env, floats, grad):
    """The result and the gradients, from pieces of eight elements."""
    outs, grads = [], {k: [] for k in floats}
    for s in range(0, N, 8):
        e = {k: v[s : s + 8].clone() for k, v in env.items()}
        for k in floats:
            e[k].requires_grad_()
        out = eval(expression, {"torch": torch, "F": F, **e})
        outs.append(out.detach())
        if out.requires_grad:
            out.backward(grad[s : s + 8].to(out.dtype))
            for k in floats:
                if e[k].grad is not None:
                    grads[k].append(e[k].grad)
    return torch.cat(outs), {k: torch.cat(v) for k, v in grads.items() if v}


def main():
    result = {"inputs": {}, "cases": [], "integer": {}}
    rng = np.random.RandomState(5)
    base = {
        "x": np.concatenate([rng.randn(32) * 2, [0.0, -0.0, 1.0, -1.0, 0.5, 6.0, -3.0, 3.0, 60000.0, 6e-5, 6e-8, -20.5, INF, -INF, NAN, 0.25]]),
        "y": np.concatenate([rng.randn(32) * 2, [-0.0, 0.0, 1.0, 2.0, -0.5, 6.0, 3.0, -3.0, 30000.0, -6e-5, 3e-7, 0.1, 1.0, INF, 2.0, NAN]]),
        "c": np.abs(rng.randn(48)) + 0.05,
        "g": rng.randn(48),
    }
    env = {k: torch.from_numpy(v.astype(np.float32)) for k, v in base.items()}
    m = torch.from_numpy(rng.rand(48) < 0.5)
    k = torch.from_numpy(rng.randint(-6, 7, 48))
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        here = {n: t.to(dtype) for n, t in env.items()}
        grad = here.pop("g")
        full = {**here, "m": m, "k": k, "w": torch.nan_to_num(here["y"], 2.0)}
        result["inputs"][SHORT[dtype]] = {n: enc(t) for n, t in {**full, "g": grad}.items()}
        for op, arguments, expression, ulp in CASES:
            floats = [a for a in arguments if a in ("x", "y", "c", "w")]
            out, grads = chunks(expression, full, floats, grad)
            entry = {"dtype": SHORT[dtype], "op": op, "args": [{"f": "-inf"} if a == -INF else a for a in arguments], "expression": expression, "ulp": ulp, "out": enc(out)}
            if grads:
                entry["grads"] = {n: enc(t) for n, t in grads.items()}
            result["cases"].append(entry)
    i = torch.from_numpy(np.concatenate([rng.randint(-9, 10, 12), [0, 1, -1, 127]]))
    j = torch.from_numpy(np.concatenate([rng.randint(1, 6, 12), [1, 2, 3, 5]]))
    mask = m[:16]
    result["integer"] = {"i": i.tolist(), "j": j.tolist(), "m": mask.tolist(), "cases": []}
    for dtype in (torch.int64, torch.int32, torch.uint8, torch.int8):
        for op, arguments, expression in INTEGER:
            out = eval(expression, {"torch": torch, "i": i.to(dtype), "j": j.to(dtype), "m": mask})
            result["integer"]["cases"].append({"dtype": str(dtype)[6:], "op": op, "args": arguments, "expression": expression, "out": enc(out)})
    path = os.path.join(os.path.dirname(__file__), "..", "data", "elementwise.json")
    with open(path, "w") as f:
        f.write('{"torch":%s,\n"inputs":%s,\n"cases":[\n' % (json.dumps(torch.__version__), json.dumps(result["inputs"])))
        f.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in result["cases"]))
        f.write('\n],\n"integer":%s}\n' % json.dumps(result["integer"], separators=(",", ":")))


# oneDNN has a gelu of its own, for some CPUs.
with torch.backends.mkldnn.flags(enabled=False):
    main()
