import torch


def policy():
    return {
        "power": torch.float32,
        "mean": torch.float32,
        "normalize": torch.float32,
        "scores": torch.float32,
        "exp": torch.float32,
        "sum": torch.float32,
        "loss": torch.float32,
    }
