"""torch.testing: assert_close and assert_equal-like checks with PyTorch's messages."""

from ._comparison import assert_allclose as assert_allclose
from ._comparison import assert_close as assert_close


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False, **options):
    """A tensor of random numbers between low and high (-9 and 9 by default)."""
    import torch

    if options:
        raise NotImplementedError(f"make_tensor(): {sorted(options)} is not supported here")
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    low, high = (-9 if low is None else low), (9 if high is None else high)
    if dtype is torch.bool:
        return torch.randint(0, 2, tuple(shape), device=device).bool()
    if dtype.is_floating_point:
        return torch.empty(*shape, dtype=dtype, device=device).uniform_(low, high).requires_grad_(requires_grad)
    return torch.randint(int(low), int(high), tuple(shape), dtype=dtype, device=device)
