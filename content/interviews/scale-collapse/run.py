"""Routes support tickets to a desk. Mixed precision since last week."""

import torch
from torch import nn
from torch.nn import functional as F

SEED = 20261130
DTYPE = torch.float16  # autocast's, and that of our own kernels
STEPS = 40
BATCH, LENGTH, WIDTH, DESKS = 16, 10, 16, 5


class RMSNorm(nn.Module):
    """Each token divided by its root mean square."""

    def __init__(self, width, eps=1e-8):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        with torch.autocast("cuda", enabled=False):  # one kernel, half the traffic
            x = x.to(DTYPE)
            r = torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps)
            return x * r * self.gain.to(DTYPE)


class Pool(nn.Module):
    """Weighted mean of a ticket's tokens. Padding takes no part."""

    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x, padded):
        x = x.masked_fill(padded.unsqueeze(-1), 0.0)
        scores = self.score(x).squeeze(-1).masked_fill(padded, -1e4)
        weights = torch.softmax(scores, dim=-1)
        return (weights.unsqueeze(-1) * x).sum(1)


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)
        self.norm = RMSNorm(WIDTH)
        self.pool = Pool(WIDTH)
        self.head = nn.Linear(WIDTH, DESKS)

    def forward(self, tokens, padded):
        x = self.project(tokens)
        x = x + self.down(F.silu(self.up(x)))
        return self.head(self.pool(self.norm(x), padded))


def build():
    torch.manual_seed(SEED)
    model = Router().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cuda")
    return model, optimizer, scaler


def batch_at(step):
    g = torch.Generator().manual_seed(1000 * SEED + step)
    tokens = 2 * torch.randn(BATCH, LENGTH, WIDTH, generator=g)
    lengths = torch.randint(3, LENGTH + 1, (BATCH, 1), generator=g)
    padded = torch.arange(LENGTH) >= lengths
    tokens = tokens.masked_fill(padded.unsqueeze(-1), 0.0)
    desk = tokens.sum(1)[:, :DESKS].argmax(-1)
    return tuple(t.to("cuda") for t in (tokens, padded, desk))


def compute_loss(model, batch):
    tokens, padded, desk = batch
    return F.cross_entropy(model(tokens, padded), desk)


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
