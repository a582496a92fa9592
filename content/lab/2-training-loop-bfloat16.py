# The training loop, bfloat16 without a scaler
import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"

x = torch.randn(256, 16, device=device)
y = x.sum(dim=1, keepdim=True) * 0.5

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

for step in range(20):
    optimizer.zero_grad(set_to_none=True)
    # bfloat16 has float32's exponent: gradients don't underflow, so nothing has to be scaled.
    with torch.autocast(device_type=device, dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 5 == 0:
        print(f"step {step:2d}  loss {loss.item():.4f}  norm {norm.item():.3f}")
