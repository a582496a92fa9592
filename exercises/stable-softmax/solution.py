import torch


def softmax(x, dim=-1):
    """Probabilities along `dim`, with x's own shape and dtype.

    x may be float16, bfloat16 or float32, of any size.
    """
    shifted = x - x.amax(dim=dim, keepdim=True)  # the largest is now 0, so exp gives at most 1
    e = torch.exp(shifted)
    return e / e.sum(dim=dim, keepdim=True)  # the sum holds exp(0) = 1: never 0


def softmax_backward(grad_output, output, dim=-1):
    """Gradient with respect to x, where output = softmax(x, dim)."""
    inner = (grad_output * output).sum(dim=dim, keepdim=True)
    return output * (grad_output - inner)


logits = torch.tensor([20.0, 19.0], dtype=torch.float16, device="cuda")
print(softmax(logits))
