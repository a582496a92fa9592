"""layer_norm of 16-bit inputs with float32 parameters, as autocast on the CPU makes it: the saved statistics stay float32."""
import torch
import torch.nn.functional as F

torch.manual_seed(5)
x = torch.randn(3, 8).relu()
grad = torch.randn(3, 8) * 0.1
for dtype in (torch.float16, torch.bfloat16):
    for parameters in (torch.float32, dtype):
        for has_bias in (True, False):
            inp = x.to(dtype).requires_grad_()
            weight = torch.linspace(0.5, 1.5, 8).to(parameters).requires_grad_()
            bias = torch.zeros(8, dtype=parameters).requires_grad_() if has_bias else None
            out = F.layer_norm(inp, (8,), weight, bias)
            out.backward(grad.to(dtype))
            print(dtype, parameters, out.dtype)
            print(inp.grad.tolist())
            print(weight.grad.dtype, weight.grad.tolist())
            if has_bias:
                print(bias.grad.dtype, bias.grad.tolist())
