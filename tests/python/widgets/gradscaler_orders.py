"""Runs the named orders of the GradScaler lab (known-orders.ts) on real PyTorch and writes gradscaler_orders.json beside this file.

PyTorch 2.13 on its CPU: autocast("cpu", float16) casts the same calls as CUDA's does in this network (linear; tanh follows its input; the
loss is float32). usage: python gradscaler_orders.py < scripts.json, where scripts.json maps an order's id to its script.
"""

import json
import pathlib
import sys
import traceback


def run(code):
    code = code.replace('"cuda"', '"cpu"').replace(".cuda()", "")
    names = {"__name__": "__main__"}
    raised = None
    try:
        exec(compile(code, "order.py", "exec"), names)
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == "order.py"]
        raised = {"type": type(error).__name__, "message": str(error), "line": frames[-1].lineno}
    bits = lambda t: " ".join(f"{b & 0xFFFFFFFF:08x}" for b in t.view(names["torch"].int32).tolist())
    text = lambda t: None if t is None else str(t.item())
    return {
        "iterations": [{"scale": s, "norm": text(n), "bits": bits(w)} for s, _, n, w in names["history"]],
        "raised": raised,
    }


if __name__ == "__main__":
    scripts = json.load(sys.stdin)
    results = {name: run(code) for name, code in scripts.items()}
    pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
