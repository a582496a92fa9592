import torch


def policy():
    return {
        "power": torch.bfloat16,
        "mean": torch.bfloat16,
        "normalize": torch.bfloat16,
        "scores": torch.bfloat16,
        "exp": torch.bfloat16,
        "sum": torch.bfloat16,
        "loss": torch.bfloat16,
    }
