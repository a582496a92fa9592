"""PyValue (session.ts): values that cross between a grader and a learner's function, tensors bit for bit."""

import torch
from torch import _C
from torch._device import engine_name

_MAX_DEPTH = 50
_MAX_REPR = 2000


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def tensor_of(bits, dtype, shape, device):
    """A tensor from its bits, as `encode` gives them."""
    return _C.wrap(_C.call("from_bits", bits, dtype, engine_name(device), *shape))


def _encode_tensor(value, depth, reads):
    result = {
        "kind": "tensor",
        "dtype": _name(value.dtype),
        "shape": list(value.shape),
        "device": value.device.type,
        "requiresGrad": bool(value.requires_grad),
    }
    reads.append((value.detach(), result))
    if value.is_leaf:
        result["grad"] = None if value.grad is None else _encode_tensor(value.grad, depth + 1, reads)
    return result


def _number(value):
    if isinstance(value, bool):
        return {"kind": "number", "type": "bool", "value": int(value)}
    if isinstance(value, int):
        return {"kind": "number", "type": "int", "value": value if abs(value) <= 2**53 else str(value)}
    finite = value - value == 0
    return {"kind": "number", "type": "float", "value": float(value) if finite else repr(float(value))}


def encode(value):
    """The PyValue of `value`; what has no PyValue becomes its repr.

    Tensors' bits are hexadecimal patterns in row-major order, separated by spaces; integers and bools in decimal. All tensors are read
    together: on a GPU, one after the other would cost a wait each.
    """
    reads = []
    result = _encode(value, 0, reads)
    if reads:
        texts = _C.call("bits_all", *(tensor._h for tensor, _ in reads)).split("\n")
        for (_, entry), text in zip(reads, texts, strict=True):
            entry["bits"] = text
    return result


def _encode(value, depth, reads):
    if value is None:
        return {"kind": "none"}
    if isinstance(value, torch.Tensor):
        return _encode_tensor(value, depth, reads)
    if isinstance(value, (bool, int, float)):
        return _number(value)
    if isinstance(value, str):
        return {"kind": "string", "value": value}
    if depth < _MAX_DEPTH:
        if isinstance(value, (list, tuple)):
            kind = "list" if isinstance(value, list) else "tuple"
            return {"kind": kind, "items": [_encode(item, depth + 1, reads) for item in value]}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"kind": "dict", "entries": [[key, _encode(item, depth + 1, reads)] for key, item in value.items()]}
    text = repr(value)
    return {"kind": "other", "repr": text if len(text) <= _MAX_REPR else text[:_MAX_REPR] + "…"}


def decode(value):
    """The Python value of a PyValue."""
    kind = value["kind"]
    if kind == "tensor":
        tensor = tensor_of(value["bits"], value["dtype"], value["shape"], value["device"])
        if value.get("requiresGrad"):
            tensor.requires_grad_(True)
        if value.get("grad"):
            tensor.grad = decode(value["grad"])
        return tensor
    if kind == "number":
        return {"bool": lambda v: bool(int(v)), "int": int, "float": float}[value["type"]](value["value"])
    if kind == "string":
        return value["value"]
    if kind == "none":
        return None
    if kind in ("list", "tuple"):
        items = [decode(item) for item in value["items"]]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {key: decode(item) for key, item in value["entries"]}
    raise ValueError(f"a value of kind '{kind}' can't be passed to Python")
