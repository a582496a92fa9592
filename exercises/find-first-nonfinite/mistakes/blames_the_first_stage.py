import torch


def first_nonfinite(stages, x):
    for name, stage in stages:
        x = stage(x)
        if not torch.isfinite(x).all():
            return name
    return None


def repaired(x):
    x = x * 8
    power = x.float() * x.float()
    mean = power.mean(dim=-1, keepdim=True).half()
    rms = torch.sqrt(mean)
    return rms / (rms + 16)
