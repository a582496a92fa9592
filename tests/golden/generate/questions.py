"""Writes tests/golden/data/questions/<slug>.json: what a real PyTorch prints for the first 25 questions of each prediction generator.

    python tests/golden/generate/questions.py

The scripts are asked from the generators themselves (questions.ts, run by npx tsx). Where there is no CUDA, device="cuda" becomes "cpu",
which computes the same; a script with CUDA's autocast runs on fake CUDA tensors instead: dispatch, and with it CUDA's lists, is real, only
the values are missing.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
folder = os.path.join(root, "tests", "golden", "data", "questions")
# torch.autocast("cuda") turns itself off where CUDA is missing, and asks the device whether it has bfloat16.
torch.cuda.amp.common.amp_definitely_not_available = lambda: False
torch.cuda.is_bf16_supported = lambda *args: True


def printed(code):
    """What the script prints; a warning is an error."""
    fake = "autocast(" in code and not torch.cuda.is_available()
    if not fake and not torch.cuda.is_available():
        code = code.replace('"cuda"', '"cpu"')
    out = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out), FakeTensorMode() if fake else contextlib.nullcontext():
        warnings.simplefilter("error")
        exec(compile(code, "question.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def main():
    listing = subprocess.run(
        ["npx", "tsx", "tests/golden/generate/questions.ts"], cwd=root, check=True, capture_output=True, text=True
    ).stdout
    os.makedirs(folder, exist_ok=True)
    version = re.match(r"[\d.]+", torch.__version__).group()
    for slug, samples in json.loads(listing).items():
        rows = [{"seed": seed, "code": code, "printed": printed(code)} for seed, code in samples]
        with open(os.path.join(folder, f"{slug}.json"), "w") as f:
            json.dump({"pytorch": version, "samples": rows}, f, indent=1)
            f.write("\n")
        print(slug, len(rows))


if __name__ == "__main__":
    main()
