# Recipes around the scaler: gradient penalty, two optimizers, accumulation, saving, hooks, finding the first non-finite layer.
import torch, io, copy, warnings
import torch.nn as nn, torch.nn.functional as F
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
sc = torch.amp.GradScaler("cpu", init_scale=8.0)
x = torch.tensor([3.0, 4.0])
with torch.autocast("cpu", dtype=torch.float16):
    out = (w * x).sum()
    loss = out
g = torch.autograd.grad(sc.scale(loss), [w], create_graph=True)
inv = 1.0 / sc.get_scale()
g = [p * inv for p in g]
with torch.autocast("cpu", dtype=torch.float16):
    pen = sum((p.pow(2).sum() for p in g)).sqrt()
    loss = loss + pen
sc.scale(loss).backward()
sc.step(opt)
sc.update()
print(pen.item(), w.tolist(), pen.dtype)
a = nn.Parameter(torch.tensor([1.0]))
b = nn.Parameter(torch.tensor([2.0]))
oa, ob = (torch.optim.Adam([a], lr=0.1), torch.optim.SGD([b], lr=0.1))
sc = torch.amp.GradScaler("cpu", init_scale=4.0)
for i in range(3):
    oa.zero_grad()
    ob.zero_grad()
    l0 = 2 * a * b
    l1 = a - b
    sc.scale(l0).backward(retain_graph=True)
    sc.scale(l1).backward()
    sc.unscale_(oa)
    print(a.grad, b.grad)
    sc.step(oa)
    sc.step(ob)
    sc.update()
print(a.item(), b.item())
buf = io.BytesIO()
torch.save({"a": a, "o": oa.state_dict(), "s": sc.state_dict(), "t": torch.arange(3)}, buf)
buf.seek(0)
d = torch.load(buf, weights_only=False)
print(d["s"], d["a"], d["o"]["state"][0]["exp_avg"], d["t"].dtype)
m = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    m.weight.fill_(0.25)
opt = torch.optim.SGD(m.parameters(), lr=0.5)
sc = torch.amp.GradScaler("cpu", init_scale=16.0)
data = [torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]]), torch.tensor([[5.0, 6.0]])]
for i, x in enumerate(data):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        l = m(x).pow(2).mean() / 2
    sc.scale(l).backward()
    if (i + 1) % 2 == 0 or i == 2:
        sc.step(opt)
        sc.update()
        opt.zero_grad(set_to_none=True)
print(m.weight.tolist(), l.dtype)
h = []
t = torch.tensor([1.0, 2.0], requires_grad=True)
t.register_hook(lambda g: h.append(g.clone()) or g * 2)
(t * 3).sum().backward()
print(h, t.grad)
y = t * t
y.retain_grad()
y.sum().backward()
print(y.grad)
print(torch.nn.utils.get_total_norm([torch.tensor([3.0, 4.0]), torch.tensor([12.0])]), nn.utils.parameters_to_vector([a, b]))
for p in m.parameters():
    p.grad = torch.full_like(p, 7.0)
nn.utils.clip_grad_value_(m.parameters(), 0.5)
print(m.weight.grad)
with torch.autograd.set_detect_anomaly(True):
    try:
        z = torch.tensor([0.0], requires_grad=True)
        (torch.sqrt(z) * 0).backward()
    except RuntimeError as e:
        print(str(e)[:80])

def find(model, x):
    bad = []
    hs = [mm.register_forward_hook(lambda mod, i, o, n=n: bad.append(n) if not torch.isfinite(o).all() else None) for n, mm in model.named_modules() if n]
    model(x)
    [q.remove() for q in hs]
    return bad
net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)).half()
with torch.no_grad():
    for p in net.parameters():
        p.fill_(300.0)
print(find(net, torch.tensor([[300.0]], dtype=torch.float16)))
