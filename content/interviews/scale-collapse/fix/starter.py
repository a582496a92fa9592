import torch


def rms_norm(x, gain, eps):
    """Each row of x divided by its root mean square, times gain.

    x: float16 [tokens, width]; gain: float32 [width]; eps: a float, added to the mean square. Gives float16 of x's shape.
    """
    r = torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
    return x * r * gain.to(x.dtype)


if __name__ == "__main__":
    x = torch.tensor([[1.0, -2.0], [0.0, 0.0]], dtype=torch.float16, device="cuda", requires_grad=True)
    y = rms_norm(x, torch.ones(2, device="cuda"), 1e-8)
    print(y)
    y.backward(torch.tensor([[1.0, 0.5], [0.0, 0.0]], dtype=torch.float16, device="cuda"))
    print(x.grad)
