import torch
from torch.nn import functional as F


def train_step(model, optimizer, scaler, parts):
    """One update from a batch that comes in parts, on the mean squared error over all its articles.

    parts: a list of (features [n, width], demand [n]), with an n of its own each. Gives that mean, as a 0-dim float32 tensor without a graph.
    """
    optimizer.zero_grad()
    articles = sum(len(demand) for _, demand in parts)
    total = 0.0
    for features, demand in parts:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(model(features).squeeze(-1), demand, reduction="sum") / articles
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=False)
        total = total + loss.detach()
    return total
