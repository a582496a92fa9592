import torch
import torch.nn.functional as F


def train_step(model, optimizer, scaler, micro_batches, max_norm):
    """One update of the parameters from all micro-batches. Returns the norm of the gradients before clipping.

    micro_batches: list of (x, y), all with the same number of rows. The loss is the mean squared error over all of them.
    """
    for x, y in micro_batches:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(model(x), y)
        scaler.scale(loss).backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.unscale_(optimizer)
    optimizer.step()
    scaler.update()
    return norm


torch.manual_seed(0)
model = torch.nn.Linear(4, 1, device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
x = torch.randn(8, 4, device="cuda")
y = x.sum(dim=1, keepdim=True)
for step in range(4):
    norm = train_step(model, optimizer, scaler, [(x[:4], y[:4]), (x[4:], y[4:])], max_norm=1.0)
    loss = F.mse_loss(model(x), y)
    print(f"step {step}: norm {norm.item():.4g}, loss afterwards {loss.item():.4f}, scale {scaler.get_scale():g}")
