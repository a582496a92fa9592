import torch


def rms_norm(x, gain, eps):
    """Each row of x divided by its root mean square, times gain.

    x: float16 [tokens, width]; gain: float32 [width]; eps: a float, added to the mean square. Gives float16 of x's shape.
    """
    r = torch.rsqrt((x * x).float().mean(-1, keepdim=True) + eps)
    return (x * r * gain).to(x.dtype)
