"""Gradients across dtypes, in-place writes and views, and which in-place writes break backward."""
import torch, warnings
warnings.simplefilter('ignore')
leaf = lambda v,dt=torch.float32:torch.tensor(v,dtype=dt,requires_grad=True)
def show(n,f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, str(e).split('\n')[0])
h,bf,d=torch.float16,torch.bfloat16,torch.float64
def f():
    x=leaf([1.,2.],h); s=torch.tensor(3.,requires_grad=True); y=x*s; y.sum().backward(); return y.dtype,x.grad,s.grad
show('half*0dim f32', f)
def f():
    x=leaf([1.,2.],h); s=torch.tensor(0.1,dtype=d,requires_grad=True); y=x+s; y.sum().backward(); return y,x.grad,s.grad
show('half+0dim f64', f)
def f():
    x=leaf([1.,2.],h); y=leaf([1.,2.],bf); z=x*y; z.sum().backward(); return z,x.grad,y.grad
show('half*bf16', f)
def f():
    x=leaf([1.,2.],h); z=x+1; z+=torch.tensor([.5,.5]); z.sum().backward(); return z,x.grad
show('half+=f32', f)
def f():
    x=leaf([[1.,2.],[3.,4.]],bf); return torch.autograd.grad((x/leaf([3.,7.])).sum(),x)
show('bf16/f32', f)
def f():
    x=leaf([1.,4.],h); y=(x**2).sum()+(x**0.5).sum()+(2**x).sum()+(x**x).sum(); y.backward(); return y,x.grad
show('pows', f)
def f():
    i=torch.tensor([1,2]); x=leaf(2.5); y=(i*x).sum(); y.backward(); return y,x.grad
show('int*0dim', f)
def f():
    x=leaf([1.,-2.,0.]); y=x.abs().sum()+x.sign().sum()+x.relu().sum()+x.clamp(-1,1).sum(); y.backward(); return x.grad
show('abs', f)
def f():
    x=leaf([1.,2.,3.]); y=torch.where(x>1.5,x*2,x*3); y.sum().backward(); return x.grad
show('where', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); y=x.masked_fill(torch.tensor([[True,False],[False,True]]),0.); (y*y).sum().backward(); return x.grad
show('maskedfill', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); x2=x*1; x2.masked_fill_(torch.tensor([[True,False],[False,True]]),0.); (x2*x2).sum().backward(); return x.grad
show('maskedfill_', f)
def f():
    x=leaf([[1.,2.,3.],[3.,4.,5.]]); y=torch.cat([x,x*2],1).chunk(3,1)[1]; (y*y).sum().backward(); return x.grad
show('cat chunk', f)
def f():
    x=leaf([[1.,2.,3.],[3.,4.,5.]]); y=x[:, [0,2,0]]; (y*torch.tensor([1.,10.,100.])).sum().backward(); return x.grad
show('index', f)
def f():
    x=leaf([[1.,2.,3.],[3.,4.,5.]]); y=x*1; y[torch.tensor([1,0]),torch.tensor([0,2])]=leaf([7.,8.]); (y*y).sum().backward(); return x.grad,y.grad_fn
show('index_put', lambda: f()[0])
def f():
    x=leaf([[1.,2.,3.],[3.,4.,5.]]); y=x.softmax(1); (y*torch.tensor([1.,2.,3.])).sum().backward(); return [[round(v,5) for v in r] for r in x.grad.tolist()]
show('softmax', f)
def f():
    x=leaf([1.,2.,3.]); y=x.cumsum(0).prod(); y.backward(); return x.grad
show('cumsum prod', f)
def f():
    x=leaf([3.,1.,2.]); v,i=x.sort(); (v*torch.tensor([1.,10.,100.])).sum().backward(); return x.grad
show('sort', f)
def f():
    x=leaf([3.,1.,2.]); v,i=x.topk(2); (v*torch.tensor([1.,10.])).sum().backward(); return x.grad
show('topk', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); y=x.var(0).sum()+x.std().sum()+x.norm()+x.mean(1).sum()+x.logsumexp(1).sum(); y.backward(); return [round(v,4) for v in x.grad.flatten().tolist()]
show('reds', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); w=leaf([[1.,0.],[0.,2.]]); b=leaf([1.,1.]); y=torch.addmm(b,x,w); y.sum().backward(); return x.grad,w.grad,b.grad
show('addmm', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); w=torch.tensor([[1.,0.],[0.,2.]]); y=x@w; w.add_(1); y.sum().backward(); return x.grad
show('mm modified const', f)
def f():
    x=torch.tensor([[1.,2.],[3.,4.]]); w=leaf([[1.,0.],[0.,2.]]); y=x@w; 
    with torch.no_grad(): w.add_(1)
    y.sum().backward(); return w.grad
show('mm modified w ok', f)
def f():
    x=leaf([1.,2.]); y=x*3; y2=y.detach().requires_grad_(); z=(y2*y2).sum(); z.backward(); y.backward(y2.grad); return x.grad
show('manual chain', f)
def f():
    x=leaf([1.,2.]); y=x*3
    torch.autograd.backward(y, torch.ones(2), retain_graph=True); torch.autograd.backward(y, torch.ones(2)); return x.grad
show('bw2', f)
def f():
    x=leaf([1.,2.]); y=(x*x).sum(); y.backward(gradient=torch.tensor(2.)); return x.grad
show('gradient=', f)
def f():
    x=leaf([1.,2.],h); y=(x*x).sum(); y.backward(gradient=torch.tensor(2.)); return x.grad
show('gradient= other dtype', f)
def f():
    x=leaf([1.,2.],h); g=torch.tensor([1.,1.]); torch.autograd.grad(x*2,x,g)
    return torch.autograd.grad(x*2,x,g)
show('grad_outputs dtype', f)
def f():
    x=leaf([1.,2.]); y=x.view(2,1); z=y.expand(2,3).reshape(6); (z*torch.arange(6.)).sum().backward(); return x.grad
show('view expand reshape', f)
def f():
    x=leaf([1.,2.]); x.requires_grad_(False); y=x*2; x.requires_grad_(True); return y.requires_grad, (x*2).requires_grad
show('toggle', f)
def f():
    x=leaf([1.,2.]); y=x.clone(); y.requires_grad_(True); return y.is_leaf
show('rg nonleaf', f)
def f():
    x=torch.zeros(3); x[1:].requires_grad_(); return x.requires_grad
show('view req', f)
def f():
    x=torch.zeros(3); v=x[1:]; w=leaf([1.,2.]); v+=w; return x.requires_grad, v.requires_grad, x.grad_fn.name().split('::')[-1], x.is_leaf
show('view inplace', f)
def f():
    x=torch.zeros(3); v=x[1:]; u=x[:2]; w=leaf([1.,2.]); v+=w; return u.requires_grad, type(u.grad_fn).__name__
show('sibling', f)
def f():
    x=leaf([1.,2.,3.]); y=x*1; v=y[:2]; y+=1; v*=2; (y*y).sum().backward(); return x.grad,y
show('base then view', f)
def f():
    x=leaf([1.,2.,3.,4.]); y=x*1; a=y.view(2,2); b=a[0]; c=a[:,1]; b*=2; c*=3; (y*y).sum().backward(); return x.grad,y,a,b,c
show('overlapping views', f)
def f():
    x=leaf([1.,2.,3.,4.]); y=x*1; a=y.view(2,2).t(); a[0].copy_(torch.tensor([5.,6.])); (y*y).sum().backward(); return x.grad,y
show('copy into t', f)
def f():
    x=leaf([1.,2.,3.]); y=x*1; y.zero_(); y[0]=x[1]; y.sum().backward(); return x.grad
show('zero_', f)
def f():
    x=leaf([1.,2.,3.]); y=x*2; z=y.relu_(); (z*z).sum().backward(); return x.grad, z is y
show('relu_', f)
def f():
    x=leaf([1.,2.,3.]); y=x.sigmoid(); y.add_(1); y.sum().backward()
show('sig', f)
def f():
    x=leaf([1.,2.,3.]); y=x.tanh(); z=y*2; y.mul_(2); z.sum().backward(); return x.grad
show('tanh mod', f)
def f():
    x=leaf([1.,2.,3.]); y=x.exp(); z=y[0]; z.mul_(2); y.sum().backward()
show('exp view mod', f)
def f():
    x=leaf([1.,2.,3.]); y=x**2; y.add_(1); y.sum().backward(); return x.grad
show('pow2 mod', f)
def f():
    x=leaf([1.,2.,3.]); y=x.sqrt(); y.add_(1); y.sum().backward(); return x.grad
show('sqrt mod', f)
def f():
    x=leaf([1.,2.,3.]); m=x.mean(); m.add_(1); m.backward(); return x.grad
show('mean mod', f)
def f():
    x=leaf([1.,2.,3.]); y=x/2; y.div_(2); y.sum().backward(); return x.grad
show('div mod', f)
def f():
    x=leaf([1.,2.,3.]); w=leaf([1.,2.,4.]); y=x/w; y.div_(2); y.sum().backward(); return x.grad,w.grad
show('div mod2', f)
def f():
    x=leaf([4.,2.,3.]); y=x.max(); y.mul_(2); y.backward(); return x.grad
show('max mod', f)
def f():
    x=leaf([[4.,2.],[1.,3.]]); y=x.amax(1); y.mul_(2); y.sum().backward(); return x.grad
show('amax mod', f)
def f():
    x=leaf([4.,2.,3.]); y=x.log_softmax(0); y.mul_(2); y.sum().backward(); return x.grad
show('lsm mod', f)
def f():
    x=leaf([4.,2.,3.]); y=x.norm(); y.mul_(2); y.backward(); return x.grad
show('norm mod', f)
def f():
    x=leaf([4.,2.,3.]); y=x.std(); y.mul_(2); y.backward(); return x.grad
show('std mod', f)
def f():
    x=leaf([4.,2.,3.]); y=torch.nn.functional.silu(x); y.mul_(2); x2=torch.nn.functional.gelu(x); x2.mul_(2); (y+x2).sum().backward(); return [round(v,5) for v in x.grad.tolist()]
show('silu mod', f)
def f():
    x=leaf([4.,2.,3.]); y=torch.nn.functional.dropout(x,0.5,False); return y is x
show('dropout eval', f)
def f():
    x=leaf([[1.,2.],[3.,4.]]); y=torch.nn.functional.linear(x,leaf([[1.,1.],[2.,2.]]),leaf([0.,1.])); y.relu_(); y.sum().backward(); return x.grad
show('linear relu_', f)
def f():
    x=leaf([1.,2.]); y=x.clone(); z=y.detach(); z[0]=5; return y, y._version, z._version
show('detach write', f)
def f():
    x=leaf([1.,2.,3.]); y=x*1; y[1:] = y[1:]*2; y[0] += y[1]; (y*y).sum().backward(); return x.grad,y
show('aug slices', f)
def f():
    x=leaf([1.,2.,3.]); y=x*1; y[:]=x*2; y.sum().backward(); return x.grad, y.grad_fn.name().split('::')[-1]
show('full slice', f)
def f():
    x=torch.arange(6.).view(2,3).requires_grad_(); return x.is_leaf, x.T.is_contiguous(), torch.autograd.grad((x.T@x).sum(),x)
show('arange', f)
