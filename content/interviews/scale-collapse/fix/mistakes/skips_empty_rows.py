import torch


def rms_norm(x, gain, eps):
    """Each row of x divided by its root mean square, times gain.

    x: float16 [tokens, width]; gain: float32 [width]; eps: a float, added to the mean square. Gives float16 of x's shape.
    """
    mean = (x * x).mean(-1, keepdim=True)
    y = x * torch.rsqrt(mean + eps) * gain.to(x.dtype)
    return torch.where(mean == 0, torch.zeros_like(y), y)
