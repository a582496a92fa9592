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
        total = total + loss.detach()
    scaler.step(optimizer)
    scaler.update()
    return total


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("cuda", init_scale=64.0)
    features, demand = torch.randn(6, 2, device="cuda"), torch.ones(6, device="cuda")
    print(train_step(model, optimizer, scaler, [(features[:4], demand[:4]), (features[4:], demand[4:])]))
    print([p.grad for p in model.parameters()])
