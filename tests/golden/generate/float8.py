"""Writes tests/golden/data/float8/: float16 -> float8 patterns of all 65,536 float16 values, and the value of every float8 pattern, from PyTorch.

    python tests/golden/generate/float8.py
"""

import gzip
import io
import os

import numpy as np
import torch

folder = os.path.join(os.path.dirname(__file__), "..", "data", "float8")
os.makedirs(folder, exist_ok=True)


def write(name, values):
    deltas = values.copy()
    deltas[1:] = values[1:] - values[:-1]
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as f:
        f.write(deltas.astype("<" + deltas.dtype.str[1:]).tobytes())
    with open(os.path.join(folder, name), "wb") as f:
        f.write(buffer.getvalue())


halves = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16)
patterns = torch.arange(256, dtype=torch.int32).to(torch.uint8)
for name, dtype in (("e4m3fn", torch.float8_e4m3fn), ("e5m2", torch.float8_e5m2)):
    write(f"f16_to_{name}.d16.gz", halves.float().to(dtype).view(torch.uint8).numpy().astype(np.uint16))
    write(f"{name}_to_f32.d32.gz", patterns.view(dtype).float().view(torch.int32).numpy().astype(np.uint32))
