"""Tensor.view(dtype): bits read as another dtype."""
import torch


def show(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


half = torch.tensor([1.0, -2.0, 65504.0, 6e-8, float("inf"), 0.0, -0.0, float("nan")]).half()
print(half.view(torch.int16))
print(half.view(torch.uint8))
print(half.view(torch.bfloat16))
print(half.view(torch.int32), half.view(torch.float32))
print(half.bfloat16().view(torch.int16), half.float().view(torch.int32))
print(half.double().view(torch.int32).shape)
print(torch.tensor(1.0).view(torch.int32), torch.tensor([0x3C00, 0x7BFF], dtype=torch.int16).view(torch.float16))
print([f"{b & 0xFFFF:016b}" for b in half.view(torch.int16).tolist()])
print(torch.tensor([0x3F800000]).to(torch.int32).view(torch.float32), torch.tensor([True, False]).view(torch.uint8))
print(torch.ones(2, 3).view(torch.int16).shape, torch.ones(2, 4).half().view(torch.float32).shape)
same = torch.ones(2)
print(same.view(torch.float32).data_ptr() == same.data_ptr())
show(lambda: torch.tensor(1.0).view(torch.float16))
show(lambda: torch.ones(3).half().view(torch.float32))
show(lambda: torch.ones(2, 3).t().view(torch.int16))
show(lambda: torch.ones(2, 3).t().view(torch.int32))
weight = torch.nn.Parameter(torch.tensor([1.5, -0.1]))
print(weight.view(torch.int32), weight.view(torch.int32).requires_grad)
