"""Saving to memory and loading again: state dicts of a model and its optimizer, wrong keys and shapes, pickles of tensors."""
import torch, torch.nn as nn, torch.nn.functional as F
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__, e)

import io, copy, pickle
torch.manual_seed(0); m=nn.Sequential(nn.Linear(3,4),nn.BatchNorm1d(4),nn.ReLU(),nn.Linear(4,2)); o=torch.optim.Adam(m.parameters(),lr=.01); x=torch.randn(8,3)
for _ in range(3): o.zero_grad(); m(x).pow(2).mean().backward(); o.step()
buf=io.BytesIO(); torch.save({'model':m.state_dict(),'opt':o.state_dict(),'epoch':3,'t':torch.arange(3.).half()},buf); buf.seek(0); ck=torch.load(buf,map_location='cpu',weights_only=True)
print(ck['model'].keys(), ck['epoch'], ck['t']); m2=nn.Sequential(nn.Linear(3,4),nn.BatchNorm1d(4),nn.ReLU(),nn.Linear(4,2)); print(m2.load_state_dict(ck['model'])); o2=torch.optim.Adam(m2.parameters()); o2.load_state_dict(ck['opt'])
m.eval(); m2.eval(); print(torch.equal(m(x),m2(x)), o2.param_groups[0]['lr'], o2.state_dict()['state'][0]['step'])
t('miss',lambda: m2.load_state_dict({'0.weight':torch.ones(4,3)})); t('shape',lambda: m2.load_state_dict({**m.state_dict(),'0.weight':torch.ones(4,4)})); t('extra',lambda: m2.load_state_dict({**m.state_dict(),'foo':torch.ones(1)})); t('nonstrict',lambda: m2.load_state_dict({'0.weight':torch.ones(4,3),'bar':1},strict=False))
c=copy.deepcopy(m); c[0].weight.data.zero_(); print(m[0].weight.abs().sum()>0, c[0].weight.sum())
print(copy.copy(x).data_ptr()==x.data_ptr() if True else 0)
print(pickle.loads(pickle.dumps(torch.ones(2)))); print(pickle.loads(pickle.dumps(nn.Parameter(torch.ones(2)))))
for n,p in m.named_parameters(): print(n,p.shape,p.requires_grad,p.device,p.dtype)
for n,b in m.named_buffers(): print(n,b.shape)
print([n for n,_ in m.named_modules()],[n for n,_ in m.named_children()])
