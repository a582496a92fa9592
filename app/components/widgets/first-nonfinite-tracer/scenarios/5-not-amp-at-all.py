import torch

p = torch.tensor([0.5, 0.25, 0.0, 0.25], dtype=torch.float16, device="cuda")
surprise = torch.log(p)
entropy = -(p * surprise).sum()
print(entropy.item())
