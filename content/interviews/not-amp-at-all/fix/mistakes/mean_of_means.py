import torch
from torch.nn import functional as F


def train_step(model, optimizer, scaler, parts):
    """One update from a batch that comes in parts, on the mean squared error over all its articles.

    parts: a list of (features [n, width], demand [n]), with an n of its own each. Gives that mean, as a 0-dim float32 tensor without a graph.
    """
    optimizer.zero_grad()
    total = 0.0
    for features, demand in parts:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(model(features).squeeze(-1), demand) / len(parts)
        scaler.scale(loss).backward()
        total = total + loss.detach()
    scaler.step(optimizer)
    scaler.update()
    return total
