"""What real PyTorch gives for the expressions on stdin, as JSON on stdout. Started by `npm run facts`; the product never needs it.

stdin: {"prelude": "import …", "wanted": [{"key": …, "expr": …, "setup": …}]}. stdout: {"torch": version, "facts": {key: PyValue}}, where
PyValue is what engine/session/session.ts says: a tensor's elements as hexadecimal patterns in row-major order.
"""

import json
import sys

import torch

_CARRIER = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _bits(tensor):
    flat = tensor.detach().contiguous().reshape(-1)
    if tensor.dtype == torch.bool or not tensor.is_floating_point():
        return " ".join(str(int(x)) for x in flat.tolist())
    size = flat.element_size()
    words = flat.view(_CARRIER[size]).tolist()
    return " ".join(f"{word & (1 << 8 * size) - 1:0{2 * size}x}" for word in words)


def _encode(value):
    if value is None:
        return {"kind": "none"}
    if isinstance(value, torch.Tensor):
        return {
            "kind": "tensor",
            "dtype": str(value.dtype).removeprefix("torch."),
            "shape": list(value.shape),
            "device": "cpu",
            "bits": _bits(value),
        }
    if isinstance(value, bool):
        return {"kind": "number", "type": "bool", "value": int(value)}
    if isinstance(value, int):
        return {"kind": "number", "type": "int", "value": value if abs(value) <= 2**53 else str(value)}
    if isinstance(value, float):
        finite = value - value == 0
        return {"kind": "number", "type": "float", "value": value if finite else repr(value)}
    if isinstance(value, str):
        return {"kind": "string", "value": value}
    if isinstance(value, (list, tuple)):
        return {"kind": "list" if isinstance(value, list) else "tuple", "items": [_encode(item) for item in value]}
    if isinstance(value, dict):
        return {"kind": "dict", "entries": [[key, _encode(item)] for key, item in value.items()]}
    return {"kind": "other", "repr": repr(value)}


def main():
    request = json.load(sys.stdin)
    facts = {}
    for wanted in request["wanted"]:
        names = {}
        try:
            exec(request["prelude"] + wanted["setup"], names)
            facts[wanted["key"]] = _encode(eval(wanted["expr"], names))
        except Exception as error:
            sys.exit(f'{wanted["key"]}: {type(error).__name__}: {error}')
    json.dump({"torch": torch.__version__.split("+")[0], "facts": facts}, sys.stdout)


main()
