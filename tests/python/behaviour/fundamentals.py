# Custom functions, leaves, modes, losses, random numbers: the mistakes that beginners make, and what torch answers.
import torch, warnings, copy
import torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)

class STE(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable()
        return x.half().float()

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (x.abs() < 65504)
x = torch.tensor([0.1, 70000.0], requires_grad=True)
y = STE.apply(x)
y.sum().backward()
print(y, x.grad)

class Two(torch.autograd.Function):

    @staticmethod
    def forward(ctx, a, b, k):
        ctx.k = k
        ctx.save_for_backward(a, b)
        return (a * b * k, a + b)

    @staticmethod
    def backward(ctx, g1, g2):
        a, b = ctx.saved_tensors
        print(ctx.needs_input_grad, g1, g2)
        return (g1 * b * ctx.k + g2, g1 * a * ctx.k + g2, None)
a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([3.0])
u, v = Two.apply(a, b, 4.0)
(u + v * 2).backward()
print(a.grad, b.grad)
try:

    class Bad(torch.autograd.Function):

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return (g, g)
    Bad.apply(torch.ones(1, requires_grad=True)).backward()
except RuntimeError as e:
    print(e)

class NewStyle(torch.autograd.Function):

    @staticmethod
    def forward(x):
        return x ** 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]
x = torch.tensor([3.0], requires_grad=True)
NewStyle.apply(x).backward()
print(x.grad)
x = torch.ones(2, requires_grad=True)
for f in ["x.add_(1)", "x[0]=1", "x.sum().backward(); x.grad.zero_(); print(x.grad)", "(x*2).backward()", "x.detach().requires_grad_().sum().backward()", "torch.ones(2).sum().backward()", "x.numpy()", "float(x)", "bool(x)", "x.view(3)", "x@torch.ones(3)", "x.data.fill_(5); print(x)"]:
    try:
        exec(f)
    except Exception as e:
        print(f, type(e).__name__, e)
with torch.no_grad():
    print((x * 2).requires_grad, x.requires_grad)
with torch.inference_mode():
    i = x * 2
print(i.is_inference(), i.requires_grad)

@torch.no_grad()
def f(t):
    return t * 2
print(f(x).requires_grad)
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Dropout(0.5), nn.BatchNorm1d(4), nn.Linear(4, 1))
net.eval()
o = net(torch.ones(3, 2))
net.train()
print(o.shape, net.training, net[3].num_batches_tracked)
print([(n, tuple(p.shape)) for n, p in net.named_parameters()], sum((p.numel() for p in net.parameters())))
sd = copy.deepcopy(net.state_dict())
net.load_state_dict(sd)
print(list(sd))
for p in net[0].parameters():
    p.requires_grad_(False)
opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, net.parameters()), lr=0.001)
print(len(opt.param_groups[0]["params"]))
with warnings.catch_warnings(record=True) as W:
    warnings.simplefilter("always")
    s = torch.optim.lr_scheduler.StepLR(opt, 1)
    s.step()
    print(len(W), s.get_last_lr())
print(F.cross_entropy(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([2])).item(), nn.CrossEntropyLoss(reduction="sum", ignore_index=1)(torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), torch.tensor([2, 1])).item())
try:
    nn.CrossEntropyLoss()(torch.ones(2, 3), torch.ones(2, 1).long())
except Exception as e:
    print(type(e).__name__, e)
try:
    nn.NLLLoss()(torch.ones(2, 3), torch.tensor([0, 5]))
except Exception as e:
    print(type(e).__name__, e)
emb = nn.Embedding(3, 2)
try:
    emb(torch.tensor([5]))
except Exception as e:
    print(type(e).__name__, e)
print(torch.randn(3), torch.rand(2), torch.randint(0, 10, (4,)), torch.randperm(5), torch.normal(0.0, 1.0, (2,)), nn.Linear(2, 2).weight)
print(F.dropout(torch.ones(8), 0.5), nn.Dropout(0.3)(torch.ones(6)))
lin = nn.Linear(3, 1)
x = torch.randn(5, 3)
y = torch.randn(5)
with warnings.catch_warnings(record=True) as W:
    warnings.simplefilter("always")
    l = F.mse_loss(lin(x), y)
    print(l.item(), [str(w.message)[:40] for w in W])
print(torch.equal(lin(x).squeeze(-1), lin(x)[:, 0]), torch.allclose(lin(x), lin(x) + 1e-09), x.argmax(1), x.topk(2, dim=1).indices.tolist(), x.sort(1).values[0])
print((x > 0).float().mean(), (x > 0).sum(), x.mean(0).shape, x.max(1), x.min(), x.unsqueeze(0).expand(2, 5, 3).shape)
m = nn.Linear(2, 2).double()
print(m(torch.ones(1, 2, dtype=torch.float64)).dtype)
try:
    m(torch.ones(1, 2))
except RuntimeError as e:
    print(e)
ema = copy.deepcopy(lin)
with torch.no_grad():
    for p, q in zip(ema.parameters(), lin.parameters()):
        p.lerp_(q + 1, 0.1)
print(round((ema.weight - lin.weight).mean().item(), 5))
