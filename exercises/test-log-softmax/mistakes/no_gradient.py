import torch


def check(log_softmax):
    def agree(values, dtype, dim=-1):
        x = torch.tensor(values, dtype=dtype, device="cuda")
        before = x.clone()
        y = log_softmax(x, dim)
        assert y.shape == x.shape, "shape"  # before any value: a comparison broadcasts
        assert y.dtype == x.dtype, "dtype"
        assert torch.equal(x, before), "x was written to"
        wanted = torch.log_softmax(before.float(), dim)
        off = (y.float() - wanted).abs()
        # A few roundings: relative to the result, and to numbers of size 1. Stated so that NaN fails.
        assert (off <= 4 * torch.finfo(dtype).eps * (1 + wanted.abs())).all(), "values"

    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        agree([1.0, 2.0, 3.0], dtype)
        agree([5.0, 5.0, 5.0, 1.0], dtype)  # ties
        agree([100.0, 0.0, -100.0], dtype)  # exp overflows, probabilities underflow
        agree([-1000.0, -1001.0], dtype)  # every exp is 0
        agree([30000.0] + [0.0] * 7, dtype)  # far from its mean
        agree([[1.0, 0.0], [-500.0, -501.0]], dtype, dim=1)  # rows far apart
        agree([[1.0, 0.0, 2.0], [3.0, -1.0, 0.5]], dtype, dim=0)
    for dtype in (torch.bfloat16, torch.float32):
        agree([1e30, 0.0], dtype)  # beyond float16
