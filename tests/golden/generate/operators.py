"""Operators and elementwise methods on every pair of dtypes and ranks, with Python numbers on either side: one line each, value or error.

    ATEN_CPU_CAPABILITY=avx2 python tests/golden/generate/operators.py | gzip -9n > tests/golden/data/operators.txt.gz

The test tests/python/operators.test.ts runs the same file with this project's torch and compares the lines.
"""

import operator

import torch

INF, NAN = float("inf"), float("nan")
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
values = [0.1, -0.3, 1.7, 2049.0, 65504.0, 6e-8, -0.0, INF, 3.0, NAN]
# Names say the dtype; a 0 at the end: 0-dim; a 1: one element in one dimension.
T = {
    "half": torch.tensor(values).to(F16),
    "bfloat": torch.tensor(values).to(BF16),
    "float": torch.tensor(values),
    "half0": torch.tensor(0.3).to(F16),
    "bfloat0": torch.tensor(0.3).to(BF16),
    "float0": torch.tensor(0.3),
    "double0": torch.tensor(0.3, dtype=F64),
    "half1": torch.tensor([0.3]).to(F16),
    "long": torch.tensor([0, 1, -2, 3, 5, 7, -9, 30, 2, 1]),
    "long0": torch.tensor(3),
    "long1": torch.tensor([2049]),
    "int": torch.arange(10, dtype=torch.int32),
    "byte": torch.arange(250, 260).remainder(256).to(torch.uint8),
    "bool": torch.tensor([True, False] * 5),
}
NUMBERS = [2, -3, 0.1, 2049, 65520.0, 1e-9, True, 1e6]
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "==": operator.eq,
}
UNARY = "abs neg sign sgn floor trunc round exp sqrt relu sigmoid square isnan isinf logical_not reciprocal".split()


def show(label, function):
    try:
        r = function()
    except Exception as error:
        print(label, "|", type(error).__name__, str(error).split("\n")[0])
        return
    flat = r.detach().reshape(-1)
    elements = flat.tolist() if r.dtype == torch.bool else ["%.9g" % x for x in flat.double().tolist()]
    print(label, "|", str(r.dtype)[6:], tuple(r.shape), *elements)


def in_place(x, name, *args):
    copy = x.clone()
    getattr(copy, name)(*args)
    return copy


for name, op in OPERATORS.items():
    for a in T:
        for b in T:
            show(f"{a} {name} {b}", lambda: op(T[a], T[b]))
        for s in NUMBERS:
            show(f"{a} {name} {s}", lambda: op(T[a], s))
            show(f"{s} {name} {a}", lambda: op(s, T[a]))
for a in T:
    for s in (2, 3, 0.5, -1, -0.5, 0, 1, -2):
        show(f"{a} ** {s}", lambda: T[a] ** s)
    for s in (2, 0.5, 2.5):
        show(f"{s} ** {a}", lambda: s ** T[a])
    for b in ("half", "half0", "float0", "float"):
        show(f"maximum({a}, {b})", lambda: torch.maximum(T[a], T[b]))
        show(f"where(bool, {a}, {b})", lambda: torch.where(T["bool"], T[a], T[b]))
        show(f"{a}.clamp(min={b})", lambda: T[a].clamp(min=T[b]))
    for f in UNARY:
        show(f"{f}({a})", lambda: getattr(torch, f)(T[a]))
    for dtype in (F16, BF16, F32, F64, torch.int64, torch.int32, torch.uint8, torch.int8, torch.bool):
        # NaN, inf and numbers out of range have no defined integer
        x = T[a][:4] if a in ("half", "bfloat", "float") and dtype in (torch.int64, torch.int32, torch.uint8, torch.int8) else T[a]
        show(f"{a}.to({dtype})", lambda: x.to(dtype))
    show(f"{a}.clamp(-1, 2)", lambda: T[a].clamp(-1, 2))
    show(f"{a}.clamp(-0.3, 0.7)", lambda: T[a].clamp(-0.3, 0.7))
    show(f"{a}.masked_fill(bool, 2)", lambda: T[a].masked_fill(T["bool"], 2))
    show(f"add({a}, half, alpha=0.3)", lambda: torch.add(T[a], T["half"], alpha=0.3))
    show(f"addcmul({a}, half, half, value=0.3)", lambda: torch.addcmul(T[a], T["half"], T["half"], value=0.3))
    show(f"lerp({a}, {a}, 0.3)", lambda: torch.lerp(T[a], T[a], 0.3))
    show(f"full_like({a}, 0.3)", lambda: torch.full_like(T[a], 0.3))
    for s in (0.1, 3):
        for method in ("add_", "mul_", "div_", "sub_", "pow_", "fill_", "remainder_"):
            show(f"{a}.{method}({s})", lambda: in_place(T[a], method, s))
    for b in ("half", "float0", "long", "bool", "double0"):
        for method in ("add_", "mul_", "sub_", "copy_"):
            show(f"{a}.{method}({b})", lambda: in_place(T[a], method, T[b]))
