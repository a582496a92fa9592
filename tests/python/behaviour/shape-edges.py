"""What a 0-dim or empty tensor, another dtype, or a wrong argument gives in shape and indexing functions."""
import torch

def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__,e)
def s(dt,ix,v):
    x=torch.zeros(2,3,dtype=dt); x[ix]=v; return x
h=torch.float16
for ix in ([0],torch.tensor([0]),torch.tensor(0),torch.tensor([True,False]),0,slice(0,1),torch.ones(2,3).bool(),(0,[1])):
    for v in (torch.tensor(1.),torch.tensor([1.]),torch.tensor(1.,dtype=torch.float64),torch.tensor(1)): t(lambda: s(h,ix,v)); 
t(lambda: torch.zeros(2).half().index_put_((torch.tensor([0]),),torch.tensor(1.)))
t(lambda: torch.zeros(2,3).index_put_((torch.tensor([0]),),torch.tensor(1)))
t(lambda: torch.zeros(2).index_copy_(0,torch.tensor([0]),torch.tensor([1]))); t(lambda: torch.zeros(2).index_add_(0,torch.tensor([0]),torch.tensor([1]))); t(lambda: torch.zeros(2).scatter_(0,torch.tensor([0]),torch.tensor([1]))); t(lambda: torch.zeros(2).scatter_add_(0,torch.tensor([0]),torch.tensor([1]))); t(lambda: torch.zeros(2).half().masked_scatter_(torch.tensor([True,False]),torch.tensor([1.]))); t(lambda: torch.zeros(2).half().index_fill_(0,torch.tensor([0]),torch.tensor(1.))); t(lambda: torch.where(torch.tensor([True]),torch.ones(1).half(),torch.ones(1)))
t(lambda: torch.median(torch.tensor(1.),0)); t(lambda: torch.zeros(0,2).median(0)); t(lambda: torch.zeros(2,0).median(0)); t(lambda: torch.tensor(3.).unfold(0,1,1)); t(lambda: torch.tensor(3.).roll(1,0)); t(lambda: torch.tensor(3.).roll(1));t(lambda: torch.tensor(3.).repeat_interleave(2)); t(lambda: torch.tensor(3.).index_fill_(0,torch.tensor([0]),2)); t(lambda: torch.tensor([True,False]).diff()); t(lambda: torch.zeros(2,0).diff()); t(lambda: torch.tensor(2.).diff()); t(lambda: torch.tensor([1,2]).nansum()); t(lambda: torch.tensor([1,2]).nanmean()); t(lambda: torch.kthvalue(torch.tensor(3.),1,0)); t(lambda: torch.quantile(torch.tensor(3.),.5)); t(lambda: torch.tensor(3.).sort()); t(lambda: torch.tensor(3.).topk(1)); t(lambda: torch.tensor([1.,2.]).lerp(torch.tensor([1,2]),.5)); t(lambda: torch.tensor([1,2]).lerp(torch.tensor([1,2]),.5)); t(lambda: torch.tensor([1.]).half().lerp(torch.tensor([1.]),.5))
x=torch.tensor([3.,4.],requires_grad=True); y=torch.div(x,2,rounding_mode='floor'); t(lambda: y.sum().backward()); print(x.grad); t(lambda: (x//2).sum().backward()); t(lambda: torch.div(x,x,rounding_mode='trunc').sum().backward()); print(x.grad)
t(lambda: torch.kthvalue(torch.zeros(3),5)); t(lambda: torch.zeros(3).unfold(0,5,1)); t(lambda: torch.zeros(3).unfold(0,2,0)); t(lambda: torch.zeros(3).index_fill_(0,torch.tensor([0.]),1.)); t(lambda: torch.flip(torch.zeros(3))); t(lambda: torch.zeros(3).flip()); t(lambda: torch.allclose(torch.ones(1),1.)); t(lambda: torch.Tensor("a")); t(lambda: torch.nn.Parameter(1)); t(lambda: torch.quantile(torch.ones(3),2.)); t(lambda: torch.ones(2).repeat()); t(lambda: torch.ones(3).index_select(0,torch.tensor([5]))); t(lambda: torch.ones(2).masked_fill(torch.ones(3).bool(),0)); t(lambda: torch.ones(2).masked_fill_(torch.ones(3).bool(),0)); t(lambda: torch.ones(2,3).masked_fill_(torch.ones(2,2).bool(),0)); t(lambda: torch.clamp(torch.ones(2),torch.zeros(3)));t(lambda: torch.where(torch.ones(3).bool(),torch.ones(2),1.))
y=torch.ones(2); 
def d(): del y[0]
t(d)
