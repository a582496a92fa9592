import torch


def describe(x):
    """Direction and log-size of the raw fields. x: float32 [batch, fields]; gives [batch, fields + 1]."""
    x = x.half()
    size = torch.sqrt((x * x).sum(-1, keepdim=True))
    return torch.cat([x / size, torch.log(size)], dim=-1)


def attention_weights(scores):
    """Weights over the history. scores: float16 [batch, history]; gives float16 of the same shape."""
    e = torch.exp(scores)
    return e / e.sum(-1, keepdim=True)


if __name__ == "__main__":
    prices = torch.tensor([[10000.0, 3.0, 1.5]], device="cuda")
    print(describe(prices))
    scores = torch.tensor([[17.5, 12.0, -3.0]], device="cuda", dtype=torch.float16)
    print(attention_weights(scores))
