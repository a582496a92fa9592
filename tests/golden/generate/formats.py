"""Writes tests/golden/data/formats.json: numbers and expressions, each rounded to the six formats, for the format explorer.

    python tests/golden/generate/formats.py

For each expression (Python's own syntax and value, a double): `x`, the double's big-endian hex; `once`, its pattern in each format after
one rounding to nearest even (exact rational arithmetic here, checked against numpy and ml_dtypes where those round once); `torch`, what
PyTorch's cast from float64 gives (it goes through float32). tf32 is no dtype of PyTorch: only `once`. float8_e4m3fn saturates, as PyTorch
2.13 does and ml_dtypes does not.
"""

import json
import math
import os
import struct
from fractions import Fraction

import numpy as np
import torch

EXPRESSIONS = """
0.1
1/3
2**-24
2**-25
2**-25 * 1.0001
3 * 2**-26
65504
65519.99
65520
65519.999
-65520
10000 * 10000
1e-8
1e-8 * 1024
1 + 0.001
256 + 1
2048 + 1
2049
2051
1 + 2**-8
1 + 2**-8 + 2**-40
1 + 2**-11
448
464
464.1
480
57344
61439.99
61440
2**-9
2**-10
2**-10 * 1.01
2**-16
2**-17
2**-14
2**-14 * (1 - 2**-12)
2**-126
2**-149
2**-150
2**-133
2**-134
1e-45
3.4e38
3.4028235677973366e38
2**128 - 2**103
2**128 - 2**119
3.39e38
1e39
-0.0
0
inf
-inf
nan
1e308
5e-324
-2**2
2**3**2
2**-1
7 // 2
-7 // 2
-7 % 3
7 % -3
7.5 % 2
1_000.5
.5
5.
1e-7 + 1e-7
exp(20)
exp(11.09)
log(65520)
sqrt(65504)
log2(65504)
abs(-3.5)
pi
e
1e22
10**-5
10**15
123456789.123456789
(1 + 2) * (3 - 5) / 7
--3
0.1 + 0.2
min(3, 2)
max(1e5, 65504)
"""

FORMATS = {
    "float32": (8, 23, True),
    "tf32": (8, 10, True),
    "float16": (5, 10, True),
    "bfloat16": (8, 7, True),
    "float8_e4m3fn": (4, 3, False),
    "float8_e5m2": (5, 2, True),
}


def once(x, exponent_bits, p, ieee):
    """The pattern of x rounded once to nearest even."""
    ones = (1 << exponent_bits) - 1
    sign = (1 << (exponent_bits + p)) if math.copysign(1, x) < 0 else 0
    largest = (ones << p) - 1 if ieee else (ones << p | (1 << p) - 1) - 1
    if math.isnan(x):
        return ones << p | 1 << (p - 1) if ieee else ones << p | (1 << p) - 1
    overflow = ones << p if ieee else largest
    if math.isinf(x):
        return sign | overflow
    if x == 0:
        return sign
    bias = (1 << (exponent_bits - 1)) - 1
    exact = abs(Fraction(x))
    exponent = max(math.frexp(abs(x))[1] - 1, 1 - bias)
    steps = exact / Fraction(2) ** (exponent - p)
    n = math.floor(steps)
    rest = steps - n
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n % 2 == 1):
        n += 1
    # n counts steps of 2^(exponent - p): patterns are consecutive, so a carry into the exponent is right by itself.
    pattern = n + ((exponent + bias - 1) << p)
    return sign | min(pattern, overflow)


names = {name: getattr(math, name) for name in ("inf", "nan", "pi", "e", "exp", "log", "log2", "sqrt")}
names.update(abs=abs, min=min, max=max)
entries = []
for text in EXPRESSIONS.strip().splitlines():
    x = float(eval(text, {"__builtins__": {}}, names))
    rounded = {name: once(x, *layout) for name, layout in FORMATS.items()}
    with np.errstate(all="ignore"):
        if not math.isnan(x):
            assert rounded["float16"] == int(np.float64(x).astype(np.float16).view(np.uint16)), text
            assert rounded["float32"] == int(np.float64(x).astype(np.float32).view(np.uint32)), text
    given = torch.tensor(x, dtype=torch.float64)
    carriers = {1: torch.uint8, 2: torch.int16, 4: torch.int32}
    torch_bits = {}
    for name in FORMATS:
        if name == "tf32":
            continue
        cast = given.to(getattr(torch, name))
        size = cast.element_size()
        torch_bits[name] = cast.view(carriers[size]).item() & ((1 << 8 * size) - 1)
    entries.append(
        {
            "expression": text,
            "x": struct.pack(">d", x).hex(),
            "once": {name: f"{bits:x}" for name, bits in rounded.items()},
            "torch": {name: f"{bits:x}" for name, bits in torch_bits.items()},
        }
    )

info = {}
for name in ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"):
    finfo = torch.finfo(getattr(torch, name))
    info[name] = {"max": finfo.max, "eps": finfo.eps, "smallest_normal": finfo.smallest_normal, "bits": finfo.bits}

path = os.path.join(os.path.dirname(__file__), "..", "data", "formats.json")
with open(path, "w") as f:
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    f.write(f'{{"torch": "{torch.__version__}",\n"finfo": {json.dumps(info)},\n"numbers": [\n{lines}\n]}}\n')
print(len(entries), "numbers")
