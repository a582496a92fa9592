import torch


def softmax(x, dim=-1):
    e = torch.exp(x.clamp(-10, 10))
    return e / e.sum(dim=dim, keepdim=True)


def softmax_backward(grad_output, output, dim=-1):
    inner = (grad_output * output).sum(dim=dim, keepdim=True)
    return output * (grad_output - inner)
