import torch


def policy():
    return {
        "power": torch.float16,
        "mean": torch.float32,
        "normalize": torch.float16,
        "scores": torch.float16,
        "exp": torch.float16,
        "sum": torch.float16,
        "loss": torch.float32,
    }
