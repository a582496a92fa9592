import torch

torch.manual_seed(0)
q = 120 * torch.randn(6, 64, device="cuda")
k = 120 * torch.randn(6, 64, device="cuda")
v = torch.randn(6, 8, device="cuda")

with torch.autocast("cuda", dtype=torch.float16):
    scores = q @ k.T
    weights = torch.softmax(scores / 8, dim=-1)
    out = weights @ v
print(out.dtype, out[0, :2].tolist())
