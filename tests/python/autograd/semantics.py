"""Custom functions, hooks, checkpoints, higher derivatives, modes: each line prints what happened, or the error."""
import torch, warnings
warnings.simplefilter('ignore')
leaf = lambda v,dt=torch.float32:torch.tensor(v,dtype=dt,requires_grad=True)
def show(n,f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, str(e).split('\n')[0])
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x,k=2): ctx.save_for_backward(x); ctx.k=k; return x*x*k
    @staticmethod
    def backward(ctx,g): x,=ctx.saved_tensors; return g*2*x*ctx.k, None
def f():
    x=leaf([1.,2.]); (g,)=torch.autograd.grad(Sq.apply(x,3).sum(),x,create_graph=True); g.sum().backward(); return g.tolist(), x.grad.tolist(), g.requires_grad
show('custom double', f)
def f():
    x=leaf([1.,2.]); y=Sq.apply(x); return y.grad_fn.name(), y.requires_grad, Sq.apply(x.detach()).requires_grad
show('custom name', f)
def f():
    x=leaf([1.,2.]); y=Sq.apply(x).sum(); y.backward(); y.backward()
show('custom freed', f)
def f():
    x=leaf([1.,2.]); z=x*1; y=Sq.apply(z); z.add_(1); y.sum().backward()
show('custom version', f)
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): ctx.mark_dirty(x); x.mul_(3); return x
    @staticmethod
    def backward(ctx,g): return g*3
def f():
    x=leaf([1.,2.]); z=x*1; y=Dirty.apply(z); r=(y is z); y.sum().backward(); return x.grad.tolist(), r, z.tolist()
show('dirty', f)
show('dirty leaf', lambda: Dirty.apply(leaf([1.])))
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x,y): i=(x>y); ctx.mark_non_differentiable(i); return x*y, x+y, i
    @staticmethod
    def backward(ctx,g1,g2,g3): return g1+g2, g1*10
def f():
    x=leaf([1.,2.]); y=leaf([3.,1.]); a,b,i=Two.apply(x,y); a.sum().backward(); return x.grad.tolist(), y.grad.tolist(), i.requires_grad
show('two', f)
class NoMat(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): ctx.set_materialize_grads(False); return x*1, x*2
    @staticmethod
    def backward(ctx,a,b): return None if a is None else a
def f():
    x=leaf([1.]); a,b=NoMat.apply(x); b.sum().backward(); return x.grad
show('nomat', f)
from torch.utils.checkpoint import checkpoint
def f():
    x=leaf([1.,2.]); w=leaf([3.,4.]); y=checkpoint(lambda a:(a*w).exp(), x, use_reentrant=False); y.sum().backward(); return x.grad.tolist(), w.grad.tolist()
show('ckpt', f)
def f():
    x=leaf([1.,2.]); w=leaf([3.,4.]); y=checkpoint(lambda a:(a*w).exp(), x, use_reentrant=True); y.sum().backward(); return x.grad.tolist(), w.grad.tolist()
show('ckpt re', f)
def f():
    x=leaf([1.,2.]); h=(x*2).register_hook(lambda g:g*100); y=x*2; h=y.register_hook(lambda g: g*100); h.remove(); y.sum().backward(); return x.grad.tolist()
show('remove', f)
def f():
    torch.autograd.set_detect_anomaly(True)
    try:
        x=leaf([0.]); y=torch.sqrt(x)*0; y.sum().backward()
    finally: torch.autograd.set_detect_anomaly(False)
show('anomaly', f)
def f():
    x=leaf([1.,2.,3.]); y=x.exp(); l=y.sum()
    (g,)=torch.autograd.grad(l,x,create_graph=True); gp=((g.norm()-1)**2); gp.backward(); return [round(v,3) for v in x.grad.tolist()]
show('gp', f)
def f():
    x=leaf([1.,2.]); a,b=x.unbind(); return (a*b).backward() or x.grad.tolist()
show('unbind', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); y=x*1; y[0,1]=7; y[:,0]*=2; (y*y).sum().backward(); return x.grad.tolist(), y.tolist()
show('setitem', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); y=x.clone(); y[1]+=y[0]; (y*y).sum().backward(); return x.grad.tolist(), y.tolist()
show('row add', f)
def f():
    x=leaf([1.,2.,3.]); y=x*2; y[1:]=y[:-1]*3; (y*y).sum().backward(); return x.grad.tolist(), y.tolist()
show('slice assign', f)
def f():
    x=leaf([1.,2.,3.]); y=x*2; z=y.view(3,1).expand(3,2); w=z.sum(1); y.mul_(2); w.sum().backward(); return x.grad.tolist()
show('expand then inplace', f)
def f():
    x=leaf([1.,2.,3.]); y=x*2; y.detach_(); return y.requires_grad, y.is_leaf
show('detach_', f)
def f():
    x=leaf([1.]); 
    with torch.no_grad(): y=x*2
    with torch.enable_grad(): z=x*2
    return y.requires_grad, z.requires_grad
show('modes', f)
def f():
    x=leaf([1.,2.]); g=[]
    for _ in range(2):
        (x*x).sum().backward(); g.append(x.grad.clone().tolist())
    x.grad=None; return g, x.grad
show('accum', f)
def f():
    x=leaf([1.,2.]); (x*x).sum().backward(create_graph=True); y=x.grad.sum(); x.grad=None; y.backward(); return x.grad.tolist()
show('create backward', f)
def f():
    x=leaf([1.,2.],torch.float16); y=(x*70000.).sum(); return y, torch.autograd.grad(y,x)
show('half inf', f)
def f():
    x=leaf([2.,3.]); y=torch.tensor([1.,1.]); y+=x; y*=x; y.sum().backward(); return x.grad.tolist()
show('noleaf inplace', f)
def f():
    p=torch.nn.Parameter(torch.ones(2)); p.data.mul_(3); p.data=torch.tensor([5.,6.]); (p*p).sum().backward(); return p.grad.tolist(), p._version
show('data', f)
def f():
    x=leaf([1.,2.,3.,4.]); y=(x*2).view(2,2).t(); y.mul_(torch.tensor([[1.,2.],[3.,4.]])); y.sum().backward(); return x.grad.tolist(), y.is_contiguous()
show('t inplace', f)
def f():
    x=leaf([1.,2.]); s=[]; x.register_post_accumulate_grad_hook(lambda p:(s.append(p.grad.tolist()), setattr(p,'grad',None)) and None); (x*3).sum().backward(); return s, x.grad
show('post hook', f)
def f():
    x=leaf([1.,2.]); y=x*2; y.register_hook(lambda g: torch.ones(3)); y.sum().backward()
show('hook size', f)
def f():
    x=leaf([1.,2.]); y=x*2; y.register_hook(lambda g: g.half()); y.sum().backward()
show('hook type', f)
def f():
    x=leaf([1.,2.]); y=(x*2).sum(); z=(x*3).sum(); torch.autograd.backward([y,z]); return x.grad.tolist()
show('multi', f)
def f():
    x=leaf([1.,2.]); y=x*2; torch.autograd.backward([y,y*2],[torch.ones(2),torch.tensor([1.,10.])]); return x.grad.tolist()
show('multi grads', f)
def f():
    x=leaf([1.,2.]); y=x*2; y.retain_grad(); z=y*y; z.sum().backward(); y2=y.grad.clone(); return y2.tolist(), y.retains_grad, x.retains_grad
show('retain', f)
def f():
    x=leaf(2.0); y=x**3; g=torch.autograd.grad(y,x,create_graph=True)[0]; g2=torch.autograd.grad(g,x,create_graph=True)[0]; g3=torch.autograd.grad(g2,x)[0]; return g.item(),g2.item(),g3.item()
show('third', f)
def f():
    with torch.inference_mode():
        x=torch.ones(2); y=x*2; z=y[:1]; z.add_(1)
    return y.is_inference(), y.tolist(), torch.is_inference_mode_enabled(), z._version if False else 0
show('inference', f)
def f():
    x=leaf([3.,1.,2.]); v,i=x.max(0); v.backward(); return x.grad.tolist(), i.item()
show('max', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); return torch.autograd.functional.jacobian(lambda a:a*a, torch.tensor([1.,2.])).tolist()
show('jac', f)
