"""Accelerator settings and optimizer options that pasted scripts set."""
import torch
import torch.nn as nn

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True
print(torch.backends.cuda.matmul.allow_tf32)
for cls in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD):
    for options in ({}, {"fused": True}, {"foreach": True}):
        torch.manual_seed(0)
        layer = nn.Linear(3, 2)
        optimizer = cls(layer.parameters(), lr=0.1, **options)
        for _ in range(3):
            optimizer.zero_grad()
            layer(torch.ones(1, 3)).pow(2).sum().backward()
            optimizer.step()
        print(cls.__name__, options, layer.weight.data)
    try:
        cls(layer.parameters(), lr=0.1, fused=True, foreach=True)
    except RuntimeError as error:
        print(error)
