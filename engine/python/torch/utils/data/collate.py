"""Samples to a batch."""

from collections.abc import Mapping, Sequence

import torch


def _is_namedtuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def default_convert(data):
    """A sample as it is: nothing here is a NumPy array that would have to be converted."""
    return data


def default_collate(batch):
    """Tensors are stacked, numbers become a tensor (float64 for floats), containers are collated member by member."""
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(batch, 0)
    if isinstance(first, bool) or isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if _is_namedtuple(first):
        return type(first)(*(default_collate(samples) for samples in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(samples) for samples in zip(*batch)]
    if type(first).__module__ == "numpy":
        return torch.stack([torch.as_tensor(sample) for sample in batch], 0)
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )
