import torch


def describe(x):
    """Direction and log-size of the raw fields. x: float32 [batch, fields]; gives [batch, fields + 1]."""
    x = x.float()
    size = torch.sqrt((x * x).sum(-1, keepdim=True))
    return torch.cat([x / size, torch.log(size)], dim=-1)


def attention_weights(scores):
    """Weights over the history. scores: float16 [batch, history]; gives float16 of the same shape."""
    e = torch.exp(scores - scores.max())
    return e / e.sum(-1, keepdim=True)
