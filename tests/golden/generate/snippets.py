"""Runs every snippet of snippets.txt on a real PyTorch and writes tests/golden/data/snippets.json: [code, repr of the result or
"Type: message"].

A snippet is one line: an expression, or statements that leave their result in `r` ("\\n" stands for a line break).

    python tests/golden/generate/snippets.py
"""

import json
import pathlib
import warnings

here = pathlib.Path(__file__).parent


def run(code, scope):
    """What the snippet gives, as text."""
    try:
        try:
            compiled = compile(code, "snippet", "eval")
        except SyntaxError:
            exec(code.replace("\\n", "\n"), scope)
            return repr(scope.get("r"))
        return repr(eval(compiled, scope))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    import torch
    import torch.nn.functional

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    lines = [line for line in (here / "snippets.txt").read_text().split("\n") if line.strip()]
    results = [
        [code, run(code, {"torch": torch, "nn": torch.nn, "F": torch.nn.functional})] for code in lines
    ]
    (here.parent / "data" / "snippets.json").write_text(json.dumps(results, indent=0, ensure_ascii=False) + "\n")
    print(len(results), "snippets")
