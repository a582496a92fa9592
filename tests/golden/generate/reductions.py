"""Writes tests/golden/data/reductions.json from a real PyTorch: ops that aren't elementwise, with the exact bits and error texts.

    ATEN_CPU_CAPABILITY=avx2 python tests/golden/generate/reductions.py

Every case is {op, inputs, attrs, code, ulp, out | error}: the engine's op record with its inputs and attributes, the PyTorch expression of
the inputs a, b, c, d that must give the same (`out`: bits, `error`: type and text), and the units in the last place allowed to float32
where a vendor's library is involved (0: exact).
"""

import json
import os

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False  # ATen's own kernels: the same on every x86 machine
INF, NAN = float("inf"), float("nan")
H, B, S, D, I = torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64
FLOATS = (H, B, S)
SHORT = {H: "f16", B: "bf16", S: "f32", D: "f64", I: "i64", torch.int32: "i32", torch.bool: "bool"}
RED = ["none", "mean", "sum"]
generator = torch.Generator().manual_seed(0)
cases = []


def rn(*shape, dtype=S, scale=1.0):
    return (torch.randn(*shape, generator=generator) * scale).to(dtype)


def rand(*shape, dtype=S):
    return torch.rand(*shape, generator=generator).to(dtype)


def enc(t):
    t = t.detach().contiguous()
    short = SHORT[t.dtype]
    if short in ("f16", "bf16"):
        words = ["%04x" % (v & 0xFFFF) for v in t.view(torch.int16).flatten().tolist()]
    elif short == "f32":
        words = ["%08x" % (v & 0xFFFFFFFF) for v in t.view(torch.int32).flatten().tolist()]
    else:
        return {"t": short, "s": list(t.shape), "v": t.flatten().tolist()}
    return {"t": short, "s": list(t.shape), "b": " ".join(words)}


def attr(v):
    return {"f": repr(v)} if isinstance(v, float) and v in (INF, -INF) else v


def case(op, inputs, attrs, code, ulp=0):
    entry = {"op": op, "inputs": [enc(t) for t in inputs], "attrs": {k: attr(v) for k, v in attrs.items()}, "code": code}
    if ulp:
        entry["ulp"] = ulp
    scope = dict(zip("abcd", inputs), torch=torch, F=F, INF=INF, aten=torch.ops.aten)
    try:
        result = eval(code, scope)
        entry["out"] = [enc(t) for t in (result if isinstance(result, (tuple, list)) else (result,))]
    except Exception as e:
        entry["error"] = [type(e).__name__, str(e)]
    cases.append(entry)


def reduced(op, x, dims, code, ulp=0, **attrs):
    case(op, [x], {"dim": dims, "keepdim": False, **attrs}, code, ulp)


LENGTHS = (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 33, 64, 100, 129)
SHAPES = ((3, 5), (8, 7), (4, 17), (70, 5), (3, 34), (3, 4, 5), (4, 6, 3))
for dt in FLOATS:
    half = dt is not S
    near = 0 if half else 1
    for n in LENGTHS:
        x, z = rn(n, dtype=dt), (rn(n) * 0.3 + 1).to(dt)
        reduced("sum", x, None, "a.sum()", dtype=None)
        reduced("mean", x, None, "a.mean()", dtype=None)
        reduced("prod", z, None, "a.prod()", dtype=None)
        if n == 0:
            continue
        for p in (2.0, 1.0, INF, -INF, 0.0, 3.0, 0.5):
            reduced("linalg_vector_norm", x, None, f"a.norm({p!r})".replace("inf", "INF"), near if p in (3.0, 0.5) else 0, ord=p, dtype=None)
        for c in (0, 1):
            reduced("var", x, None, f"torch.var(a,correction={c},dim=None)", correction=c)
            reduced("std", x, [0], f"torch.std(a,correction={c},dim=0)", correction=c)
        reduced("logsumexp", x, [0], "a.logsumexp(0)", 2 * near)
        case("cumsum", [x], {"dim": 0, "dtype": None}, "a.cumsum(0)")
        case("cumprod", [z], {"dim": 0, "dtype": None}, "a.cumprod(0)")
    for shape in SHAPES:
        x = rn(*shape, dtype=dt)
        for d in range(len(shape)):
            reduced("sum", x, [d], f"a.sum({d})", dtype=None)
            reduced("mean", x, [d], f"a.mean({d})", dtype=None)
            reduced("prod", (x * 0.2 + 1).to(dt), [d], f"a.prod({d})", dtype=None)
            reduced("var", x, [d], f"a.var({d})", correction=1)
            reduced("linalg_vector_norm", x, [d], f"a.norm(2,{d})", ord=2.0, dtype=None)
            reduced("logsumexp", x, [d], f"a.logsumexp({d})", 2 * near)
            case("cumsum", [x], {"dim": d, "dtype": None}, f"a.cumsum({d})")
            reduced("amax", x, [d], f"a.amax({d})")
            case("max_dim", [x], {"dim": d, "keepdim": False}, f"a.max({d})")
            case("argmin", [x], {"dim": d, "keepdim": True}, f"a.argmin({d},True)")
        if len(shape) > 2:
            for dims in ([0, 1], [0, 2], [1, 2]):
                reduced("sum", x, dims, f"a.sum({dims})", dtype=None)
                reduced("mean", x, dims, f"a.mean({dims})", dtype=None)
                reduced("linalg_vector_norm", x, dims, f"torch.linalg.vector_norm(a,2,{dims})", ord=2.0, dtype=None)
        reduced("sum", x, [0], "a.sum(0,dtype=torch.float32)", dtype="float32")
        reduced("sum", x, [0], "a.sum(0,dtype=torch.float16)", dtype="float16")
    for shape in ((3, 5), (5, 3), (7, 8), (2, 3, 4)):  # short rows: the scalar path in every direction
        x, grad = rn(*shape, dtype=dt), rn(*shape, dtype=dt)
        for d in range(len(shape)):
            for op in ("softmax", "log_softmax"):
                case(op, [x], {"dim": d, "dtype": None}, f"a.{op}({d})", 4 * near)
                if half:
                    y = getattr(x, op)(d)
                    case(f"_{op}_backward_data", [grad, y], {"dim": d}, f"torch._{op}_backward_data(a,b,{d},b.dtype)")
    for n in (1, 3, 4, 10):
        x, t, p, q, w = rn(n, dtype=dt, scale=2), rn(n, dtype=dt, scale=2), rand(n, dtype=dt), rand(n, dtype=dt), rand(n, dtype=dt)
        for r in range(3):
            up = rn(n, dtype=dt) if r == 0 else rn(1, dtype=dt)[0]
            case("mse_loss", [x, t], {"reduction": r}, f"F.mse_loss(a,b,reduction={RED[r]!r})")
            case("mse_loss_backward", [up, x, t], {"reduction": r}, f"aten.mse_loss_backward(a,b,c,{r})")
            case("l1_loss", [x, t], {"reduction": r}, f"F.l1_loss(a,b,reduction={RED[r]!r})")
            if n < 8:  # longer ones take the vectorised kernel, which rounds differently
                for v in (1.0, 0.3):
                    case("smooth_l1_loss", [x, t], {"reduction": r, "beta": v}, f"F.smooth_l1_loss(a,b,reduction={RED[r]!r},beta={v})")
                    case("smooth_l1_loss_backward", [up, x, t], {"reduction": r, "beta": v}, f"aten.smooth_l1_loss_backward(a,b,c,{r},{v})")
                    case("huber_loss", [x, t], {"reduction": r, "delta": v}, f"F.huber_loss(a,b,reduction={RED[r]!r},delta={v})")
                    case("huber_loss_backward", [up, x, t], {"reduction": r, "delta": v}, f"aten.huber_loss_backward(a,b,c,{r},{v})")
            for weight in (False, True):
                extra, has = ([w] if weight else []), {"has_weight": weight}
                case("binary_cross_entropy", [p, q, *extra], {"reduction": r, **has}, f"F.binary_cross_entropy(a,b,{'c' if weight else None},reduction={RED[r]!r})", 2 * near)
                case("binary_cross_entropy_backward", [up, p, q, *extra], {"reduction": r, **has}, f"aten.binary_cross_entropy_backward(a,b,c,{'d' if weight else None},{r})", 2 * near)
                case("binary_cross_entropy_with_logits", [x, q, *extra], {"reduction": r, "has_pos_weight": False, **has}, f"F.binary_cross_entropy_with_logits(a,b,{'c' if weight else None},reduction={RED[r]!r})", 4 * near)
            case("binary_cross_entropy_with_logits", [x, q, p], {"reduction": r, "has_weight": False, "has_pos_weight": True}, f"F.binary_cross_entropy_with_logits(a,b,pos_weight=c,reduction={RED[r]!r})", 4 * near)
    for n, c in ((1, 2), (17, 4), (300, 3)):
        x, w = rn(n, c, dtype=dt), rand(c, dtype=dt)
        t = torch.randint(0, c, (n,), generator=generator)
        t[::3] = -100
        for r in range(3):
            for weight in (False, True):
                extra = [w] if weight else []
                case("nll_loss", [x, t, *extra], {"reduction": r, "ignore_index": -100, "has_weight": weight}, f"F.nll_loss(a,b,{'c' if weight else None},reduction={RED[r]!r})")
    for n in (1, 3, 8, 9, 16, 17, 33, 144):
        x, gamma, beta = (rn(2, n) + 0.3).to(dt), rn(n, dtype=dt), rn(n, dtype=dt)
        for k in range(3):
            extra = [gamma, beta][:k]
            case("layer_norm", [x, *extra], {"normalized_shape": [n], "eps": 1e-5, "has_weight": k > 0, "has_bias": k > 1}, f"F.layer_norm(a,({n},),{'b' if k else None},{'c' if k > 1 else None})")
        case("rms_norm", [x, gamma], {"normalized_shape": [n], "eps": None, "has_weight": True}, f"F.rms_norm(a,({n},),b)", 2 * near)
        if n <= 100:
            up = rn(2, n, dtype=dt)
            backward = "(lambda x,g,b: (F.layer_norm(x,x.shape[1:],g,b).backward(a), (x.grad,g.grad,b.grad))[1])"
            case("layer_norm_backward", [up, x, gamma], {"normalized_shape": [n], "eps": 1e-5, "has_weight": True, "mixed": False}, f"{backward}(b.clone().requires_grad_(),c.clone().requires_grad_(),torch.zeros_like(c,requires_grad=True))")
    if not half:  # three chunks of 16 vectors, merged in a tree
        case("layer_norm", [rn(3, 300)], {"normalized_shape": [300], "eps": 1e-5, "has_weight": False, "has_bias": False}, "F.layer_norm(a,(300,))")
    x, y = rn(3, 20, dtype=dt), rn(3, 20, dtype=dt)
    case("cosine_similarity", [x, y], {"dim": 1, "eps": 1e-8}, "F.cosine_similarity(a,b,1)")
    x, w, bias = rn(5, 4, 3, dtype=dt), rn(2, 3, dtype=dt), rn(2, dtype=dt)
    if half:  # one rounding of a float32 sum; float32's own order is MKL's
        case("linear", [x, w, bias], {"has_bias": True}, "F.linear(a,b,c)")
        case("linear", [x, w], {"has_bias": False}, "F.linear(a,b)")
    grad, index = rn(6, 4, dtype=dt), torch.tensor([0, 1, 1, 0, 3, 1])
    case("embedding_dense_backward", [grad, index], {"num_weights": 5, "padding_idx": 1}, "aten.embedding_dense_backward(a,b,5,1,False)")
    case("index_add", [rn(4, 3, dtype=dt), torch.tensor([0, 0, 0]), rn(3, 3, dtype=dt)], {"dim": 0, "alpha": 1}, "a.index_add(0,b,c)")
    case("scatter_add", [rn(4, 2, dtype=dt), torch.tensor([[0, 0], [0, 1], [0, 0], [0, 0]]), rn(4, 2, dtype=dt)], {"dim": 0}, "a.scatter_add(0,b,c)")
    case("index_put", [torch.zeros(3, dtype=dt), rn(6, dtype=dt, scale=10), torch.tensor([0, 0, 0, 1, 0, 0])], {"dims": [0], "accumulate": True}, "a.index_put((c,),b,accumulate=True)")
    x = torch.tensor([3.0, NAN, 1.0, 3.0, -INF, -0.0, 0.0]).to(dt)
    for code in ("max", "min", "amax", "amin", "argmax", "argmin"):
        attrs = {"max": {}, "min": {}}.get(code, {"dim": None, "keepdim": False})
        case(code, [x], attrs, f"a.{code}()")
    case("sort", [x], {"dim": 0, "descending": True}, "torch.sort(a,dim=0,descending=True,stable=True)")

# Errors and integers: exact types and texts.
O, T = torch.ones, torch.tensor
for a, b in ((O(3, dtype=H), O(4)), (O(3, dtype=H), O(3)), (O(2, 3, dtype=H), O(4)), (O(2, 3), O(3, dtype=H)), (O(2, 5, 3), O(3, dtype=H)), (O(3), O(4, 2, dtype=H)), (O(2, 3), O(3, 2, dtype=H)), (O(2, 5, 3), O(4, 2)), (O(2, 5, 3), O(4)), (O(2, 3), O(4, 5, 2)), (O(3), O(4, 5, 2)), (O(2, 5, 3), O(2, 4, 2)), (O(2, 5, 3), O(3, 3, 2)), (O(2, 5, 3), O(2, 3, 2, dtype=H)), (O(2, 1, 5, 3), O(4, 7, 2)), (T(1.0), O(3)), (O(2, 2, 2), T(1.0)), (O(2, 3, dtype=torch.bool), O(3, 2, dtype=torch.bool)), (O(2, 3, dtype=I), O(3, 2, dtype=I)), (O(2, 0), O(0, 3)), (O(3), O(4, 3, 2)), (O(2, 1, 5, 3), O(4, 3, 2))):
    case("matmul", [a, b], {}, "a@b")
for op, a, b in (("mm", O(3), O(3, 2)), ("mm", O(2, 3), O(3)), ("mm", O(2, 3), O(4, 2)), ("bmm", O(1, 2, 3), O(2, 3, 2)), ("bmm", O(2, 3), O(3, 2)), ("bmm", O(1, 2, 3), O(3, 2)), ("bmm", O(1, 2, 3), O(1, 3, 2, dtype=H)), ("mv", O(3), O(3)), ("mv", O(2, 3), O(4)), ("dot", O(2, 2), O(4)), ("dot", O(2), O(3)), ("dot", O(2, dtype=torch.bool), O(2, dtype=torch.bool))):
    case(op, [a, b], {}, f"torch.{op}(a,b)")
for t in ((O(4), O(2, 3)), (O(4), O(2, 3), O(2)), (O(5, 4, 4), O(2, 3), O(2)), (O(4, 3, dtype=H), O(2, 3)), (O(4, 3, dtype=H), O(2, 3), O(2)), (O(4, 3, dtype=H), O(2, 3, dtype=H), O(2)), (O(4, 3), O(2, 3), O(2, dtype=H)), (O(4, 3), O(2, 3), O(3)), (O(5, 4, 3), O(2, 3), O(3)), (O(4, 3), O(3), O(1)), (O(4, 3), O(2, 2, 3)), (T(1.0), O(2, 3)), (O(4, 3), O(2, 3), O(5, 2))):
    case("linear", list(t), {"has_bias": len(t) > 2}, f"F.linear(a,b{',c' if len(t) > 2 else ''})")
for x in (T([1, 2]), T([True, False]), O(2, 3), O(0, 3), T(3.0)):
    for d in (None, 0, 2):
        dims, arg = (None if d is None else [d]), ("" if d is None else str(d))
        reduced("sum", x, dims, f"a.sum({arg})", dtype=None)
        reduced("mean", x, dims, f"a.mean({arg})", dtype=None)
        reduced("prod", x, dims, f"a.prod({arg})", dtype=None)
        reduced("var", x, dims, f"a.var({arg})", correction=1)
        reduced("any", x, dims, f"a.any({arg})")
        reduced("amax", x, dims, f"a.amax({arg})")
        reduced("linalg_vector_norm", x, dims, f"torch.linalg.vector_norm(a,INF,{d})", ord=INF, dtype=None)
        case("argmax", [x], {"dim": d, "keepdim": False}, f"a.argmax({arg})")
        if d is None:
            case("max", [x], {}, "a.max()")
        else:
            case("max_dim", [x], {"dim": d, "keepdim": False}, f"a.max({d})")
            case("softmax", [x], {"dim": d, "dtype": None}, f"a.softmax({d})", 1)
            case("cumsum", [x], {"dim": d, "dtype": None}, f"a.cumsum({d})")
reduced("sum", O(2, 3), [0, 0], "a.sum((0,0))", dtype=None)
case("topk", [O(2, 3)], {"k": 4, "dim": -1, "largest": True, "sorted": True}, "a.topk(4)")
for t, d in (([O(2, 2), O(0)], 0), ([O(2, 2), O(3, 3)], 1), ([T(1.0), T(1.0)], 0), ([O(2), T(1.0)], 0), ([O(2), O(2)], 1), ([O(2), O(2, 2)], 0), ([rn(2, 1), rn(2, 3)], -1)):
    case("cat", t, {"dim": d}, f"torch.cat([a,b],{d})")
    case("stack", t, {"dim": d}, f"torch.stack([a,b],{d})")
for a, d, i in ((O(2, 3), 0, T([[0, 1, 2]])), (O(2, 3), 1, T([0])), (O(2, 3), 1, T([[0], [1], [0]])), (O(2, 3), 0, T([[0.0]])), (O(2, 3), 0, T([[-1]])), (rn(2, 3), 1, T([[2, 1], [0, 0]]))):
    case("gather", [a, i], {"dim": d}, f"a.gather({d},b)")
for a, d, i in ((O(2, 3), 0, T([0, 2])), (O(2, 3), 0, T([[0]])), (O(2, 3), 0, T([0.0])), (O(2, 3), 2, T([0])), (rn(2, 3), 1, T([2, 0, 2]))):
    case("index_select", [a, i], {"dim": d}, f"a.index_select({d},b)")
for a, i in ((O(2, 3), T([0, 2])), (O(2, 3), T([-3])), (rn(2, 3), T([[1], [-2]]))):
    case("index", [a, i], {"dims": [0]}, "a[b]")
case("index", [rn(2, 3, 4), T([0, 1]), T([[2], [0]])], {"dims": [0, 2]}, "a[b,:,c]")
case("index", [O(2, 3), T([0, 1]), T([0, 1, 2])], {"dims": [0, 1]}, "a[b,c]")
for w, i in ((O(3, 2), T([0, 5])), (O(3, 2), T([0.0])), (O(3), T([0])), (rn(3, 2), T([[2], [0]]))):
    case("embedding", [w, i], {"padding_idx": -1}, "F.embedding(b,a)")
for t in ((O(2, 3), T([0, 3])), (O(2, 3), T([[0], [1]])), (O(2, 3), T([0, 1]), O(2)), (O(2, 3), T([0, 1]), O(3, dtype=H)), (O(2, 3), T([0.0, 1.0])), (O(2, 3, dtype=I), T([0, 1])), (O(2, 3), T([-100, -100]))):
    case("nll_loss", list(t), {"reduction": 1, "ignore_index": -100, "has_weight": len(t) > 2}, f"F.nll_loss(a,b{',c' if len(t) > 2 else ''})")
for x, t in ((T([1.5]), T([1.0])), (T([0.5]), T([1.0]).half()), (T([NAN]), T([1.0])), (T([0.5]), T([2.0]))):
    case("binary_cross_entropy", [x, t], {"reduction": 1, "has_weight": False}, "F.binary_cross_entropy(a,b)")
for x, shape, w, b in ((O(2, 3), [4], None, None), (O(2, 3), [3], O(2), None), (O(2, 3), [3], None, O(2)), (O(2, 3), [], None, None), (O(2, 3, dtype=H), [3], O(3), O(3, dtype=H)), (O(2, 3, dtype=H), [3], O(3, dtype=H), O(3)), (O(2, 3), [3], O(3, dtype=H), None), (O(2, 3, dtype=I), [3], None, None), (O(1, 4, dtype=H) * 100, [4], None, None)):
    names = iter("bc")
    code = f"F.layer_norm(a,{shape},{next(names) if w is not None else None},{next(names) if b is not None else None})"
    case("layer_norm", [v for v in (x, w, b) if v is not None], {"normalized_shape": shape, "eps": 1e-5, "has_weight": w is not None, "has_bias": b is not None}, code)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "reductions.json")
with open(path, "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":"), allow_nan=False) for c in cases) + "\n]\n")
print(len(cases), "cases")
