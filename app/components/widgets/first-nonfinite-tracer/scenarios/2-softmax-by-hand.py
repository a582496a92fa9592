import torch

x = torch.tensor([20.0, 19.0], dtype=torch.float16, device="cuda")
e = torch.exp(x)
p = e / e.sum()
loss = -torch.log(p[0])
print(loss.item())
