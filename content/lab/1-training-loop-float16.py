# The training loop, float16 with a GradScaler
import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"

x = torch.randn(256, 16, device=device)
y = x.sum(dim=1, keepdim=True) * 0.5

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler(device)

for step in range(20):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device_type=device, dtype=torch.float16):
        loss = nn.functional.mse_loss(model(x), y)
    scaler.scale(loss).backward()  # the loss is scaled, so that small gradients survive float16
    scaler.unscale_(optimizer)  # clip real gradients, not scaled ones
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)  # skipped when a gradient is inf or NaN
    scaler.update()  # halves the scale after a skip
    if step % 5 == 0:
        print(f"step {step:2d}  loss {loss.item():.4f}  norm {norm.item():.3f}  scale {scaler.get_scale():.0f}")
