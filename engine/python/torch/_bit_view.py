"""Tensor.view(dtype): the bits of a tensor read as another dtype."""

import struct

from . import _C, _dtype

#: struct's letter for the elements. Floats go through their bit patterns, so they are read as unsigned numbers.
_LETTER = {
    _dtype.float16: "H", _dtype.bfloat16: "H", _dtype.float32: "I", _dtype.float64: "Q",
    _dtype.int8: "b", _dtype.uint8: "B", _dtype.bool_: "B", _dtype.int16: "h", _dtype.int32: "i",
}  # fmt: skip


def view_dtype(self, dtype):
    """The same bits read as `dtype`, little-endian: torch.tensor(1.0).half().view(torch.int16) is 15360 (0x3c00).

    In another width the last dimension shrinks or grows. PyTorch gives a view; here it is a copy of the bits at the time of the call,
    and writing to it raises, because that wouldn't change `self`. Every NaN has the bits of the canonical one.

    Raises:
        RuntimeError: the widths don't fit the shape.
        NotImplementedError: 64-bit integers, which the engine keeps exactly only up to 2**53; the gradient.
    """
    if dtype is self.dtype:
        return self
    shape = _shape(self, dtype)
    for d in (self.dtype, dtype):
        if d not in _LETTER:
            raise NotImplementedError(f"Tensor.view(dtype) of {self.dtype} as {dtype} is not supported here; up to 32-bit integers are")
    if self.requires_grad and dtype.is_floating_point:
        raise NotImplementedError("the gradient of Tensor.view(dtype) is not supported here; use detach().view(dtype)")
    words = _C.call("bits", self.detach()._h).split()
    base = 16 if self.dtype.is_floating_point else 10
    data = struct.pack(f"<{len(words)}{_LETTER[self.dtype]}", *[int(word, base) for word in words])
    values = struct.unpack(f"<{len(data) // dtype.itemsize}{_LETTER[dtype]}", data)
    pattern = f"0{2 * dtype.itemsize}x" if dtype.is_floating_point else "d"
    text = " ".join([format(v, pattern) for v in values])
    result = _C.wrap(_C.call("from_bits", text, dtype._name, self.device.type, *shape))
    _C.call("forbid_writing", result._h, "Tensor.view(dtype) gives a copy of the bits here, so writing to it would not change the tensor; clone() it first")
    return result


def _shape(self, dtype):
    old, new = self.dtype.itemsize, dtype.itemsize
    shape = list(self.shape)
    if old == new:
        return shape
    names = f"to view {self.dtype._scalar_name} as {dtype._scalar_name} (different element sizes)"
    if not shape:
        raise RuntimeError(f"self.dim() cannot be 0 {names}")
    if self.stride(-1) != 1 and self.numel() > 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {names}, but got {self.stride(-1)}")
    if old > new:
        shape[-1] *= old // new
    elif shape[-1] % (new // old):
        raise RuntimeError(f"self.size(-1) must be divisible by {new // old} {names}, but got {shape[-1]}")
    else:
        shape[-1] //= new // old
    return shape
