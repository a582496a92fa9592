"""torch.save and torch.load for tensors, state dicts and plain Python values.

The format is this package's own (a zip isn't needed here): a JSON line that says what the object is made of, in which a tensor is its
dtype, shape and bit patterns. Only data is stored, never code, so loading is safe (weights_only).
"""

import json
import os
from collections import OrderedDict

from . import _C, _dtype
from ._layout import unsupported
from ._tensor import Tensor

_MAGIC = "subnormal-torch-1"


def _encode(obj):
    if obj is None or isinstance(obj, (bool, str)):
        return obj
    if type(obj) is int:
        return {"i": str(obj)}
    if type(obj) is float:
        return {"f": obj.hex()}
    if isinstance(obj, Tensor):
        kind = "parameter" if type(obj).__name__ == "Parameter" else "tensor"
        return {
            kind: [obj.dtype._name, list(obj.shape), obj.device.type, obj.requires_grad, _C.call("bits", obj.detach()._h)]
        }
    if isinstance(obj, _dtype.dtype):
        return {"dtype": obj._name}
    if isinstance(obj, (list, tuple)):
        if isinstance(obj, tuple) and type(obj).__name__ == "Size":
            return {"size": list(obj)}
        return {"list" if isinstance(obj, list) else "tuple": [_encode(x) for x in obj]}
    if isinstance(obj, (set, frozenset)):
        return {"set": [_encode(x) for x in obj]}
    if isinstance(obj, dict):
        kind = "odict" if isinstance(obj, OrderedDict) else "dict"
        return {kind: [[_encode(k), _encode(v)] for k, v in obj.items()]}
    if type(obj).__name__ == "device":
        return {"device": str(obj)}
    raise NotImplementedError(
        f"torch.save of a {type(obj).__name__} is not supported here; supported: tensors, numbers, strings, None, and lists, tuples, "
        "sets and dicts of them. Save model.state_dict() rather than the model."
    )


def _decode(data, device):
    if not isinstance(data, dict):
        return data
    ((kind, value),) = data.items()
    if kind == "i":
        return int(value)
    if kind == "f":
        return float.fromhex(value)
    if kind in ("tensor", "parameter"):
        dtype, shape, where, requires_grad, bits = value
        place = where if device is None else device
        t = _C.wrap(_C.call("from_bits", bits, dtype, place, *shape))
        if kind == "parameter":
            from .nn import Parameter

            return Parameter(t, requires_grad)
        return t.requires_grad_() if requires_grad else t
    if kind == "dtype":
        return _dtype.by_name[value]
    if kind == "size":
        from ._size import Size

        return Size(value)
    if kind == "device":
        from ._device import device as make

        return make(value)
    items = value
    if kind == "list":
        return [_decode(x, device) for x in items]
    if kind == "tuple":
        return tuple([_decode(x, device) for x in items])
    if kind == "set":
        return {_decode(x, device) for x in items}
    result = OrderedDict() if kind == "odict" else {}
    for k, v in items:
        result[_decode(k, device)] = _decode(v, device)
    return result


def _pickled(tensor):
    """What pickle keeps of a tensor: the text that torch.save writes of it."""
    return _unpickled, (json.dumps(_encode(tensor)),)


def _unpickled(text):
    return _decode(json.loads(text), None)


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Writes `obj` to a path or a binary file object."""
    unsupported("torch.save", pickle_module=pickle_module)
    text = (_MAGIC + "\n" + json.dumps(_encode(obj))).encode()
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            file.write(text)
    else:
        f.write(text)


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, **pickle_load_args):
    """Reads what torch.save of this package wrote.

    Args:
        map_location: a device for all tensors; by default where they were.

    Raises:
        RuntimeError: the file isn't one of this package's, e.g. a checkpoint of PyTorch itself.
    """
    from ._device import engine_name

    unsupported("torch.load", pickle_module=pickle_module, mmap=mmap, **pickle_load_args)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            data = file.read()
    else:
        data = f.read()
    head, _, body = data.partition(b"\n")
    if head != _MAGIC.encode():
        raise RuntimeError(
            "torch.load: this isn't a file that torch.save wrote here; checkpoints of PyTorch itself (pickles) can't be read"
        )
    if callable(map_location) or isinstance(map_location, dict):
        raise NotImplementedError("torch.load: map_location must be a device here")
    device = None if map_location is None else engine_name(map_location)
    return _decode(json.loads(body), device)


