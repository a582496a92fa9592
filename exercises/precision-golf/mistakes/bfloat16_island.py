import torch


def policy():
    return {
        "power": torch.bfloat16,
        "mean": torch.bfloat16,
        "normalize": torch.float16,
        "scores": torch.float16,
        "exp": torch.float16,
        "sum": torch.float16,
        "loss": torch.float16,
    }
