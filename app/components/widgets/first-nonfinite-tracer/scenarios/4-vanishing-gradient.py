import torch

x = torch.full((4, 8), 0.001, dtype=torch.float16, device="cuda")
w = torch.ones(8, 2, dtype=torch.float16, device="cuda", requires_grad=True)

h = x @ w
loss = (0.00001 * h).mean()
loss.backward()
print(w.grad[0].tolist())
