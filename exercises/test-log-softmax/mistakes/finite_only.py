import torch


def check(log_softmax):
    def agree(values, dtype, dim=-1):
        x = torch.tensor(values, dtype=dtype, device="cuda")
        before = x.clone()
        y = log_softmax(x, dim)
        assert y.shape == x.shape, "shape"  # before any value: a comparison broadcasts
        assert y.dtype == x.dtype, "dtype"
        assert torch.equal(x, before), "x was written to"
        assert torch.isfinite(y).all(), "values"

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

    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, 0.0, 3.0]], device="cuda", requires_grad=True)
    g = torch.tensor([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0]], device="cuda")
    log_softmax(x, 1).backward(g)
    wanted = g - torch.softmax(x.detach(), 1) * g.sum(dim=1, keepdim=True)
    assert (x.grad - wanted).abs().max() < 1e-5, "gradient"
