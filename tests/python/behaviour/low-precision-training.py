# Optimizers on 16-bit parameters, master weights, autocast from op to op, a small model under the scaler.
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
H, B = (torch.float16, torch.bfloat16)

def run(dt, opt_cls, steps=20, **kw):
    p = torch.tensor([1.0, -2.0, 0.001], dtype=dt, requires_grad=True)
    o = opt_cls([p], **kw)
    for i in range(steps):
        p.grad = (torch.tensor([0.001, 1.0, -0.01]) * (1 + i % 3)).to(dt)
        o.step()
    return p.tolist()
for dt in (H, B, torch.float32):
    for c, kw in ((torch.optim.SGD, dict(lr=0.001)), (torch.optim.SGD, dict(lr=0.01, momentum=0.9)), (torch.optim.AdamW, dict(lr=0.001, eps=0.0001)), (torch.optim.Adam, dict(lr=0.001, eps=0.0001, amsgrad=True)), (torch.optim.RMSprop, dict(lr=0.001, eps=0.001)), (torch.optim.Adagrad, dict(lr=0.01, eps=0.001))):
        r = run(dt, c, **kw)
        print(dt, c.__name__, r if dt != torch.float32 else [round(v, 6) for v in r])
m = torch.tensor([1.0])
w = m.half().requires_grad_()
for i in range(10):
    (w * 0.001).sum().backward()
    m -= 0.1 * w.grad.float()
    w.data.copy_(m)
    w.grad = None
print(m, w)
lin = nn.Linear(2, 2, bias=False)
with torch.no_grad():
    lin.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
x = torch.tensor([[0.1, 0.2]])
for dt in (H, B):
    with torch.autocast("cpu", dtype=dt):
        y = lin(x)
        z = y + x
        w = y @ y.t()
        s = torch.softmax(y, -1)
        c = torch.cat([y, x])
        l = F.mse_loss(y, x)
        e = y.exp()
        n = F.layer_norm(y, (2,))
        mm = torch.mm(x, x.t())
        q = torch.einsum("ij,kj->ik", x, x)
        p = y.pow(2)
        r = y.sum()
        k = F.cross_entropy(y, torch.tensor([1]))
        pr = y.prod()
        print(dt, [t.dtype for t in (y, z, w, s, c, l, e, n, mm, q, p, r, k, pr)], y.tolist())
        with torch.autocast("cpu", enabled=False):
            print(lin(x).dtype, lin(y.float()).dtype)
with torch.autocast("cpu", dtype=B):
    y = lin(x)
    try:
        y.mm(x.t())
        print("ok")
    except RuntimeError as e:
        print(e)
    try:
        y.add_(torch.ones(1, 2))
        print(y.dtype)
    except RuntimeError as e:
        print(e)
try:
    y @ x.t()
except RuntimeError as e:
    print(e)

@torch.autocast("cpu", dtype=B)
def fw(t):
    return lin(t)
print(fw(x).dtype, torch.is_autocast_enabled("cpu"))

class M(nn.Module):

    def __init__(s):
        super().__init__()
        s.a = nn.Linear(4, 4)
        s.n = nn.LayerNorm(4)
        s.e = nn.Embedding(5, 4)
        s.h = nn.Linear(4, 5)

    def forward(s, i):
        x = s.e(i)
        d = [x.dtype]
        x = s.a(x)
        d.append(x.dtype)
        x = s.n(x)
        d.append(x.dtype)
        x = F.gelu(x)
        d.append(x.dtype)
        o = s.h(x)
        d.append(o.dtype)
        return (o, d)
m = M()
ids = torch.tensor([[1, 2, 3]])
opt = torch.optim.AdamW(m.parameters(), lr=0.01)
sc = torch.amp.GradScaler("cpu", init_scale=2.0 ** 10, growth_interval=2)
for i in range(5):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=H):
        o, d = m(ids)
        loss = F.cross_entropy(o.view(-1, 5), ids.view(-1))
    sc.scale(loss).backward()
    sc.unscale_(opt)
    n = nn.utils.clip_grad_norm_(m.parameters(), 0.5)
    sc.step(opt)
    sc.update()
    print(i, d, round(loss.item(), 3), round(n.item(), 2), sc.get_scale())
try:
    m.half()
    print([p.dtype for p in m.parameters()][:2])
except Exception as e:
    print(e)
