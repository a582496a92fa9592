"""Exact float32 arithmetic in numpy. Every function maps 1:1 to TypeScript:
add/sub/mul/div/sqrt -> Math.fround(a op b)   (double result rounded once is the correct float32 result)
fma                 -> needs the 2Sum + round-to-odd correction shown below."""
import numpy as np
f32=np.float32
def fr(x): return np.asarray(x,dtype=np.float64).astype(np.float32)
def _w(f):
    def g(*a):
        with np.errstate(all='ignore'): return f(*a)
    return g
add=_w(lambda a,b: fr(np.float64(a)+np.float64(b)))
sub=_w(lambda a,b: fr(np.float64(a)-np.float64(b)))
mul=_w(lambda a,b: fr(np.float64(a)*np.float64(b)))
div=_w(lambda a,b: fr(np.float64(a)/np.float64(b)))
sqrt=_w(lambda a: fr(np.sqrt(np.float64(a))))
def fma(a,b,c):
    """correctly rounded float32 a*b+c"""
    a=np.asarray(a,np.float64);b=np.asarray(b,np.float64);c=np.asarray(c,np.float64)
    with np.errstate(all='ignore'):
        p=a*b                                   # exact in double (24+24 bits)
        s=np.atleast_1d(p+c)
        bb=s-p; err=(p-(s-bb))+(c-bb)           # exact error of the double addition
        odd=(s.view(np.int64)&1)==1
        fix=np.isfinite(s)&(err!=0)&~odd        # round-to-odd, then round to float32
        s2=np.where(fix,np.nextafter(s,np.where(err>0,np.inf,-np.inf)),s)
        r=s2.astype(np.float32)
        return r.reshape(np.broadcast(p,c).shape) if np.broadcast(p,c).shape!=() else r[0]
