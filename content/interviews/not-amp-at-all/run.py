"""Forecasts tomorrow's demand, article by article."""

import torch
from torch import nn
from torch.nn import functional as F

SEED = 20261130
AMP = True
DTYPE = torch.float16
STEPS = 40
BATCH = 128
RATE = 0.004  # linear scaling rule: eight times the batch, eight times the rate
FEATURES, WIDTH = 12, 16


class Deep(nn.Module):
    """What the features do together."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(FEATURES, WIDTH)
        self.inner = nn.Linear(WIDTH, WIDTH)
        self.leave = nn.Linear(WIDTH, 1)

    def forward(self, x):
        x = F.silu(self.enter(x))
        x = x + F.silu(self.inner(x))
        return self.leave(x).squeeze(-1)


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(FEATURES, 1)  # what each feature does by itself
        self.deep = Deep()

    def forward(self, x):
        return self.wide(x).squeeze(-1) + self.deep(x)


def build():
    torch.manual_seed(SEED)
    model = Forecaster().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda", enabled=AMP)
    return model, optimizer, scaler


def batch_at(step):
    g = torch.Generator().manual_seed(1000 * SEED + step)
    season = torch.randn(BATCH, 1, generator=g)  # moves all features a little
    features = 0.5 * season + 0.9 * torch.randn(BATCH, FEATURES, generator=g)
    effect = torch.linspace(-0.6, 0.8, FEATURES)
    demand = features @ effect + torch.relu(features[:, 0] * features[:, 1]) + 0.1 * torch.randn(BATCH, generator=g)
    return features.to("cuda"), demand.to("cuda")


def compute_loss(model, batch):
    features, demand = batch
    return F.mse_loss(model(features), demand, reduction="sum")


def train_step(model, optimizer, scaler, batch):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=DTYPE, enabled=AMP):
        loss = compute_loss(model, batch)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach() / BATCH  # per article, for the dashboard


def train():
    model, optimizer, scaler = build()
    for step in range(STEPS):
        loss = train_step(model, optimizer, scaler, batch_at(step))
        print(step, loss.item(), scaler.get_scale())


if __name__ == "__main__":
    train()
