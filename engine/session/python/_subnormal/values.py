"""PyValue (session.ts): values that cross between a grader and a learner's function, tensors bit for bit."""

import struct

_MAX_DEPTH = 50
_MAX_REPR = 2000

# Bytes of an element and its struct format; bfloat16 is the upper half of a float32.
_FORMATS = {
    "float64": (8, "d"),
    "float32": (4, "f"),
    "float16": (2, "e"),
    "bfloat16": (2, "f"),
    "int64": (8, "q"),
    "int32": (4, "i"),
    "int16": (2, "h"),
    "int8": (1, "b"),
    "uint8": (1, "B"),
    "bool": (1, "?"),
}


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def bits_of(tensor):
    """Hexadecimal digits of all elements in row-major order, most significant first, without separators."""
    from torch import _C

    return _C.call("bits", tensor._h).replace(" ", "").replace(",", "")


def tensor_of(bits, dtype, shape, device):
    """The inverse of bits_of."""
    import torch

    size, code = _FORMATS[dtype]
    data = bytes.fromhex(bits)
    if dtype == "bfloat16":
        data = b"".join(data[i : i + 2] + b"\0\0" for i in range(0, len(data), 2))
        size = 4
    elements = list(struct.unpack(f">{len(data) // size}{code}", data))
    return torch.tensor(elements, dtype=getattr(torch, dtype), device=device).reshape(shape)


def _encode_tensor(value, depth):
    detached = value.detach()
    result = {
        "kind": "tensor",
        "dtype": _name(value.dtype),
        "shape": list(value.shape),
        "device": value.device.type,
        "bits": bits_of(detached),
        "requiresGrad": bool(value.requires_grad),
    }
    if value.is_leaf:
        result["grad"] = None if value.grad is None else _encode_tensor(value.grad, depth + 1)
    return result


def _number(value):
    if isinstance(value, bool):
        return {"kind": "number", "type": "bool", "value": int(value)}
    if isinstance(value, int):
        return {"kind": "number", "type": "int", "value": value if abs(value) <= 2**53 else str(value)}
    finite = value - value == 0
    return {"kind": "number", "type": "float", "value": float(value) if finite else repr(float(value))}


def encode(value, depth=0):
    """The PyValue of `value`; what has no PyValue becomes its repr."""
    import torch

    if value is None:
        return {"kind": "none"}
    if isinstance(value, torch.Tensor):
        return _encode_tensor(value, depth)
    if isinstance(value, (bool, int, float)):
        return _number(value)
    if isinstance(value, str):
        return {"kind": "string", "value": value}
    if depth < _MAX_DEPTH:
        if isinstance(value, (list, tuple)):
            kind = "list" if isinstance(value, list) else "tuple"
            return {"kind": kind, "items": [encode(item, depth + 1) for item in value]}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"kind": "dict", "entries": [[key, encode(item, depth + 1)] for key, item in value.items()]}
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
