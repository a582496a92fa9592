# Scaled dot product attention with masks.
import torch, torch.nn.functional as F
q = torch.randn(1, 2, 3, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
m = torch.tensor([[True, False, False], [True, True, False], [False, False, False]])
o = F.scaled_dot_product_attention(q, q, q, attn_mask=m)
o.sum().backward()
print([round(v, 4) for v in o.flatten().tolist()], [round(v, 4) for v in q.grad.flatten().tolist()])
fm = torch.zeros(3, 3).masked_fill(~m, float("-inf"))
print(torch.allclose(F.scaled_dot_product_attention(q, q, q, attn_mask=fm), o))
print(F.scaled_dot_product_attention(q, q, q, scale=0.1)[0, 0, 0, 0].item().__round__(5))
try:
    F.scaled_dot_product_attention(q, q, q, attn_mask=m, is_causal=True)
except RuntimeError as e:
    print(e)
