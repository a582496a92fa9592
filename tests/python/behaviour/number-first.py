# A number may come first: torch.sub(1, x). It rounds as a 0-dim tensor does, not as the number of 0.1 * x.
import torch
def b(t): return t.view(torch.int16).tolist() if t.element_size()==2 else t.tolist()
torch.manual_seed(0)
for dt in (torch.float16,torch.bfloat16,torch.float32):
    a=(torch.randn(24)*3).to(dt)
    for n in "add sub mul div true_divide remainder floor_divide multiply subtract divide".split():
        for s in (0.1,3,-0.7):
            r=getattr(torch,n)(s,a); print(dt,n,s,r.dtype,[round(v,6) for v in r.double().tolist()][:8])
    print(torch.add(1,a,alpha=0.3).double().tolist()[:5], torch.sub(1,a,alpha=2).double().tolist()[:5])
i=torch.tensor([1,2,3]); print(torch.add(1.5,i),torch.sub(1,i),torch.mul(True,i),torch.div(1,i),torch.floor_divide(7,i),torch.remainder(7,i))
x=torch.tensor([1.,2.],requires_grad=True); torch.sub(1,x).sum().backward(); print(x.grad)
try: torch.add(1,2)
except Exception as e: print(type(e).__name__)
