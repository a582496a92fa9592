"""Runs the microscope's scripts on real PyTorch (autocast on its CPU) and writes loss_scaling.json: what they printed.

usage: python loss_scaling.py < scripts.json, where scripts.json maps a name to a script.
"""

import contextlib
import io
import json
import pathlib
import sys


def run(code):
    code = code.replace('"cuda"', '"cpu"').replace(".cuda()", "")
    names = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "microscope.py", "exec"), names)
    result = {"printed": printed.getvalue().splitlines()}
    if "exact" in names:
        torch = names["torch"]
        exponents = torch.frexp(names["exact"]).exponent - 1
        values, counts = exponents.unique(return_counts=True)
        result["histogram"] = list(zip(values.tolist(), counts.tolist()))
    return result


if __name__ == "__main__":
    results = {name: run(code) for name, code in json.load(sys.stdin).items()}
    pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(results, indent=0) + "\n")
