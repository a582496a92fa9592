# Where float16 ends
import torch

print(torch.finfo(torch.float16))
x = torch.tensor([65504.0, 65519.0, 65520.0], dtype=torch.float32)
print(x.half())  # halfway to the next step of 32, and beyond, is inf

small = torch.tensor([2.0**-24, 2.0**-25], dtype=torch.float32)
print(small.half())  # the smallest subnormal, and zero

one = torch.tensor(1.0, dtype=torch.float16)
print(one + 0.0004, one + 0.0005)  # half an ulp is 2**-11, about 0.00049
