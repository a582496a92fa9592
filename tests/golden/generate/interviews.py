"""What real PyTorch shows of the interviews' runs: facts of tests/golden/data/interviews/<slug>.json, made again.

Run in the project's root: python tests/golden/generate/interviews.py. Each file lists expressions over instruments and scenario ({fact} stands for a
fact of the opening) and seeds; this fills in the facts. PyTorch 2.13.0, one thread, with device "cuda" read as "cpu": the runs use only ops that both
autocast lists treat alike, or have left autocast. Where a list differs (softmax), only what doesn't depend on it is recorded; of runs that train on,
counts and scales, since after dozens of updates a loss differs by more than one rounding.
"""

import json
import math
import pathlib
import re
import sys
import types

import torch

torch.set_num_threads(1)
ROOT = pathlib.Path("content/interviews")


def load(name, source, filename):
    module = types.ModuleType(name)
    module.__source__ = source.replace('"cuda"', '"cpu"')
    sys.modules[name] = module
    exec(compile(module.__source__, filename, "exec"), module.__dict__)
    return module


def plain(value):
    """JSON has no NaN and no infinities: they are written as JavaScript spells them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


def facts_of(slug, seed, expressions):
    source = re.sub(r"(?m)^SEED = .*$", f"SEED = {seed}", (ROOT / slug / "run.py").read_text())
    modules = {"run": load("run", source, "run.py")}
    modules["instruments"] = load("instruments", (ROOT / "kit" / "instruments.py").read_text(), "instruments.py")
    modules["scenario"] = load("scenario", (ROOT / slug / "scenario.py").read_text(), "scenario.py")
    opening = modules["scenario"].opening()["facts"]
    facts = {"scenario.opening()": opening}
    for expression in expressions:
        filled = re.sub(r"\{(\w+)\}", lambda m: str(opening[m[1]]), expression)
        facts[expression] = eval(filled, dict(modules))["facts"]
    return {e: {k: plain(v) for k, v in f.items()} for e, f in facts.items()}


for file in sorted(pathlib.Path("tests/golden/data/interviews").glob("*.json")):
    golden = json.loads(file.read_text())
    golden["seeds"] = {seed: facts_of(file.stem, seed, golden["expressions"]) for seed in golden["seeds"]}
    file.write_text(json.dumps(golden, indent=1) + "\n")
    print(file)
