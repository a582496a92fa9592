"""Writes tests/golden/data/scalar_errors.json: what PyTorch does with Python numbers that don't fit, wrong dtypes and wrong arguments.

    python tests/golden/generate/scalar_errors.py

Rows: [op of the engine, its arguments, PyTorch expression, ["ok", tensor] or ["raised", type, text]]. Tensors: h float16 ones, n float16 NaN, z a
0-dim float16 one, b bfloat16 ones, f float32 ones, i int64 ones, j int64 zeros, e int8 ones, m bool [true, true], q 0-dim float32 1e6, w one float32 one; two elements unless
0-dim. {"int": 2} is a Python int, [0.5] a float, true a bool.
"""

import json
import os

import torch
import torch.nn.functional as F

env = dict(
    torch=torch,
    F=F,
    h=torch.ones(2, dtype=torch.float16),
    n=torch.full((2,), float("nan"), dtype=torch.float16),
    z=torch.tensor(1.0, dtype=torch.float16),
    b=torch.ones(2, dtype=torch.bfloat16),
    f=torch.ones(2),
    i=torch.ones(2, dtype=torch.int64),
    j=torch.zeros(2, dtype=torch.int64),
    e=torch.ones(2, dtype=torch.int8),
    m=torch.tensor([True, True]),
    q=torch.tensor(1e6),
    w=torch.ones(1),
)
INF = {"f": "inf"}
I = lambda n: {"int": n}
ROWS = [
    ["lt", ["h", 1e6], "h<1e6"],
    ["eq", ["h", 1e6], "h==1e6"],
    ["add", ["h", 1e6, None], "h+1e6"],
    ["sub", ["h", 1e6, None], "h-1e6"],
    ["rsub", ["h", 1e6, None], "1e6-h"],
    ["mul", ["h", 1e6], "h*1e6"],
    ["div", ["h", 1e6], "h/1e6"],
    ["remainder", ["h", 1e6], "h%1e6"],
    ["floor_divide", ["h", 1e6], "h//1e6"],
    ["fmod", ["h", 1e6], "torch.fmod(h,1e6)"],
    ["add", ["h", "h", 65504.0001], "h.add(h,alpha=65504.0001)"],
    ["add", ["h", "h", 65504.0], "h.add(h,alpha=65504.)"],
    ["sub", ["h", "h", 1e6], "h.sub(h,alpha=1e6)"],
    ["rsub", ["h", 1e6, 1e6], "torch.rsub(h,1e6,alpha=1e6)"],
    ["pow", ["h", 65504.5], "h**65504.5"],
    ["pow", ["z", 1e6], "z**1e6"],
    ["pow", [2e6, "h"], "2e6**h"],
    ["pow", ["h", "q"], "h**q"],
    ["clamp", ["h", None, 65504.5], "h.clamp(max=65504.5)"],
    ["clamp", ["h", None, 1e6], "h.clamp(max=1e6)"],
    ["clamp", ["h", None, INF], "h.clamp(max=float('inf'))"],
    ["clamp", ["h", None, "q"], "h.clamp(max=q)"],
    ["clamp", ["f", None, 1e39], "f.clamp(max=1e39)"],
    ["clamp", ["b", None, 3.395e38], "b.clamp(max=3.395e38)"],
    ["clamp", ["e", None, I(300)], "e.clamp(max=300)"],
    ["clamp", ["i", None, 1.5], "i.clamp(max=1.5)"],
    ["clamp", ["h", None, None], "torch.clamp(h)"],
    ["hardtanh", ["h", -1e6, 1e6], "F.hardtanh(h,-1e6,1e6)"],
    ["masked_fill", ["h", "m", 65504.5], "h.masked_fill(m,65504.5)"],
    ["masked_fill", ["h", "m", 1e6], "h.masked_fill(m,1e6)"],
    ["masked_fill", ["h", "m", INF], "h.masked_fill(m,float('inf'))"],
    ["masked_fill", ["h", "m", "q"], "h.masked_fill(m,q)"],
    ["masked_fill", ["b", "m", 3.39e38], "b.masked_fill(m,3.39e38)"],
    ["masked_fill", ["b", "m", 1e39], "b.masked_fill(m,1e39)"],
    ["masked_fill", ["f", "m", 1e39], "f.masked_fill(m,1e39)"],
    ["masked_fill", ["e", "m", I(300)], "e.masked_fill(m,300)"],
    ["masked_fill", ["i", "m", 1.5], "i.masked_fill(m,1.5)"],
    ["masked_fill", ["m", "m", I(2)], "m.masked_fill(m,2)"],
    ["masked_fill", ["h", "i", I(1)], "h.masked_fill(i,1)"],
    ["masked_fill", ["h", "m", "f"], "h.masked_fill(m,f)"],
    ["where", ["m", "h", 1e6], "torch.where(m,h,1e6)"],
    ["where", ["i", "h", "f"], "torch.where(i,h,f)"],
    ["where", ["f", "h", "h"], "torch.where(f,h,h)"],
    ["lerp", ["h", "h", 1e6], "torch.lerp(h,h,1e6)"],
    ["lerp", ["h", "f", 0.5], "torch.lerp(h,f,0.5)"],
    ["lerp", ["h", "h", "f"], "torch.lerp(h,h,f)"],
    ["lerp", ["i", "i", 0.5], "torch.lerp(i,i,0.5)"],
    ["addcmul", ["h", "h", "h", 1e6], "torch.addcmul(h,h,h,value=1e6)"],
    ["addcmul", ["h", "h", "h", 65504.5], "torch.addcmul(h,h,h,value=65504.5)"],
    ["addcdiv", ["h", "h", "h", 1e6], "torch.addcdiv(h,h,h,value=1e6)"],
    ["addcdiv", ["i", "i", "i", I(1)], "torch.addcdiv(i,i,i)"],
    ["leaky_relu", ["h", 1e6], "F.leaky_relu(h,1e6)"],
    ["elu", ["h", 1e6, I(1), I(1)], "F.elu(h,1e6)"],
    ["softplus", ["h", 1e6, 20.0], "F.softplus(h,1e6)"],
    ["nan_to_num", ["n", 1e6, None, None], "torch.nan_to_num(n,1e6)"],
    ["fill", ["h", 1e6], "torch.full_like(h,1e6)"],
    ["fill", ["h", 65519.0], "h.clone().fill_(65519.)"],
    ["fill", ["z", 1e6], "torch.full_like(z,1e6)"],
    ["fill", ["e", I(300)], "torch.full_like(e,300)"],
    ["fill", ["i", 1.5], "i.clone().fill_(1.5)"],
    ["maximum", ["h", "q"], "torch.maximum(h,q)"],
    ["add", ["e", I(300), None], "e+300"],
    ["add", ["i", "i", 1.5], "torch.add(i,i,alpha=1.5)"],
    ["add", ["i", "i", True], "torch.add(i,i,alpha=True)"],
    ["add", ["m", "m", I(2)], "torch.add(m,m,alpha=2)"],
    ["add", ["m", "m", True], "torch.add(m,m,alpha=True)"],
    ["sub", ["m", "m", None], "m-m"],
    ["neg", ["m"], "-m"],
    ["mul", ["m", "m"], "m*m"],
    ["remainder", ["i", "j"], "i%j"],
    ["floor_divide", ["i", "j"], "i//j"],
    ["fmod", ["i", "j"], "torch.fmod(i,j)"],
    ["trunc_divide", ["i", "j"], "torch.div(i,j,rounding_mode='trunc')"],
    ["div", ["i", "j"], "i/j"],
    ["pow", ["i", I(-1)], "i**-1"],
    ["pow", ["i", "i"], "i**i"],
    ["pow", ["m", "m"], "m**m"],
    ["bitwise_and", ["h", "h"], "torch.bitwise_and(h,h)"],
    ["bitwise_or", ["f", "f"], "torch.bitwise_or(f,f)"],
    ["abs", ["m"], "abs(m)"],
    ["sign", ["m"], "torch.sign(m)"],
    ["exp", ["m"], "torch.exp(m)"],
    ["relu", ["m"], "torch.relu(m)"],
    ["square", ["m"], "torch.square(m)"],
    ["sigmoid", ["i"], "torch.sigmoid(i)"],
    ["gelu", ["i", "none"], "F.gelu(i)"],
    ["gelu", ["h", "x"], "F.gelu(h,approximate='x')"],
    ["silu", ["i"], "F.silu(i)"],
    ["mish", ["i"], "F.mish(i)"],
    ["hardswish", ["i"], "F.hardswish(i)"],
    ["hardsigmoid", ["i"], "F.hardsigmoid(i)"],
    ["softplus", ["i", 1.0, 20.0], "F.softplus(i)"],
    ["leaky_relu", ["i", 0.01], "F.leaky_relu(i)"],
    ["elu", ["i", 1.0, I(1), I(1)], "F.elu(i)"],
    ["log_sigmoid", ["i"], "F.logsigmoid(i)"],
    ["hardtanh", ["m", -1.0, 1.0], "F.hardtanh(m)"],
    ["frac", ["i"], "torch.frac(i)"],
    ["trunc", ["m"], "torch.trunc(m)"],
    ["floor", ["m"], "torch.floor(m)"],
    ["ceil", ["m"], "torch.ceil(m)"],
    ["round", ["m", 0], "torch.round(m)"],
    ["heaviside", ["h", "f"], "torch.heaviside(h,f)"],
    ["_prelu_kernel", ["h", "w"], "torch.prelu(h,w)"],
    ["atan2", ["i", "i"], "torch.atan2(i,i)"],
    ["clamp", ["m", I(0), I(1)], "torch.clamp(m,0,1)"],
    ["nan_to_num", ["m", None, None, None], "torch.nan_to_num(m)"],
    ["signbit", ["m"], "torch.signbit(m)"],
    ["isnan", ["i"], "torch.isnan(i)"],
    ["add", ["f", "t", None], "f+torch.ones(3)"],
    ["bitwise_left_shift", ["m", "m"], "torch.bitwise_left_shift(m,m)"],
    ["bitwise_left_shift", ["h", "h"], "torch.bitwise_left_shift(h,h)"],
    ["bitwise_right_shift", ["h", "h"], "torch.bitwise_right_shift(h,h)"],
    ["bitwise_not", ["h"], "torch.bitwise_not(h)"],
]
SHORT = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.int64: "i64", torch.int8: "i8", torch.bool: "bool"}


def outcome(expression):
    try:
        r = eval(expression, env)
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]
    return ["ok", SHORT[r.dtype], [str(x) for x in r.reshape(-1).double().tolist()]]


path = os.path.join(os.path.dirname(__file__), "..", "data", "scalar_errors.json")
with open(path, "w") as f:
    f.write("[\n" + ",\n".join(json.dumps([*row, outcome(row[2])]) for row in ROWS) + "\n]\n")
