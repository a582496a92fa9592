"""Ranks the items of a page for a user. Mixed precision since Tuesday."""

import torch
from torch import nn
from torch.nn import functional as F

SEED = 20261130
DTYPE = torch.float16  # autocast's, and that of our own kernels
STEPS = 48
DWELL_WEIGHT = 1e-7  # seconds squared are large, and clicks matter more
BATCH, FIELDS, HISTORY, WIDTH = 16, 6, 8, 16


class Fields(nn.Module):
    """Direction and log-size of the raw fields (counts, prices, dwell times)."""

    def forward(self, x):
        with torch.autocast("cuda", enabled=False):  # a kernel of ours: no detour through float32
            x = x.to(DTYPE)
            size = torch.sqrt((x * x).sum(-1, keepdim=True))
            return torch.cat([x / size, torch.log(size)], dim=-1)


class Attention(nn.Module):
    """Weights over the user's history."""

    def forward(self, scores, history):
        with torch.autocast("cuda", enabled=False):  # autocast kept widening exp: slow
            e = torch.exp(scores.to(DTYPE))
            weights = e / e.sum(-1, keepdim=True)
        return torch.matmul(weights.unsqueeze(-2), history).squeeze(-2)


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.fields = Fields()
        self.attention = Attention()
        self.mix = nn.Linear(WIDTH + FIELDS + 1, WIDTH)
        self.click = nn.Linear(WIDTH, 1)
        self.dwell = nn.Linear(WIDTH, 1)  # how long they stay, learned beside the click

    def forward(self, fields, history, item):
        scores = torch.matmul(history, self.query(item).unsqueeze(-1)).squeeze(-1)
        pooled = self.attention(scores, history)
        described = self.fields(fields)
        x = F.relu(self.mix(torch.cat([pooled, described], dim=-1)))
        return self.click(x).squeeze(-1), self.dwell(x.detach()).squeeze(-1)


def build():
    torch.manual_seed(SEED)
    model = Ranker().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
    return model, optimizer, scaler


def batch_at(step):
    g = torch.Generator().manual_seed(1000 * SEED + step)
    fields = torch.exp(1.5 * torch.randn(BATCH, FIELDS, generator=g))
    fields[torch.rand(BATCH, generator=g) < 0.008, 0] = 10000.0  # "price on request"
    activity = torch.exp(0.4 * torch.randn(BATCH, 1, generator=g))
    item = activity * torch.randn(BATCH, WIDTH, generator=g)
    history = torch.randn(BATCH, HISTORY, WIDTH, generator=g)
    clicked = (torch.rand(BATCH, generator=g) < 0.3).float()
    stayed = torch.rand(BATCH, generator=g)
    return tuple(t.to("cuda") for t in (fields, history, item, clicked, stayed))


def compute_loss(model, batch):
    fields, history, item, clicked, stayed = batch
    click, dwell = model(fields, history, item)
    return F.binary_cross_entropy_with_logits(click, clicked) + DWELL_WEIGHT * F.mse_loss(dwell, stayed)


def train_step(model, optimizer, scaler, batch):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=DTYPE):
        loss = compute_loss(model, batch)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    return loss


def train():
    model, optimizer, scaler = build()
    for step in range(STEPS):
        loss = train_step(model, optimizer, scaler, batch_at(step))
        print(step, loss.item(), scaler.get_scale())


if __name__ == "__main__":
    train()
