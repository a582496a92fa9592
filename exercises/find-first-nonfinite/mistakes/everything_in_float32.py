import torch


def first_nonfinite(stages, x):
    if not torch.isfinite(x).all():
        return "input"
    for name, stage in stages:
        x = stage(x)
        if not torch.isfinite(x).all():
            return name
    return None


def repaired(x):
    x = x.float() * 8
    rms = torch.sqrt((x * x).mean(dim=-1, keepdim=True))
    return (rms / (rms + 16)).half()
