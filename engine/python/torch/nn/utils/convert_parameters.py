"""Parameters as one vector, and back."""

import torch


def _checked_device(tensor, device):
    """Errors: TypeError if the parameters are on different devices."""
    if device is not None and tensor.device != device:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return tensor.device


def parameters_to_vector(parameters):
    """All parameters, flattened and concatenated."""
    device = None
    flat = []
    for p in parameters:
        device = _checked_device(p, device)
        flat.append(p.view(-1))
    return torch.cat(flat)


def vector_to_parameters(vec, parameters):
    """Writes slices of a vector into the parameters' data."""
    if not isinstance(vec, torch.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    device = None
    start = 0
    for p in parameters:
        device = _checked_device(p, device)
        n = p.numel()
        p.data = vec[start : start + n].view_as(p).data
        start += n
