"""Matrix products and what is composed of them."""

from ._autocast_policy import autocast_policy
from . import _C
from ._pointwise import store
from ._reductions import vector_norm
from ._tensor import wrap_dim

_ops = _C.ops


def matmul(input, other, *, out=None):
    """Matrix product with broadcasting over leading dimensions; vectors are rows on the left, columns on the right.

    16-bit products accumulate in float32 and round once.
    """
    result = _ops.matmul(input, other)
    return result if out is None else store(result, out)


def mm(input, mat2, *, out=None):
    """[n, k] x [k, m] -> [n, m], without broadcasting."""
    return store(_ops.mm(input, mat2), out)


def bmm(input, mat2, *, out=None):
    """[b, n, k] x [b, k, m] -> [b, n, m]."""
    return store(_ops.bmm(input, mat2), out)


def mv(input, vec, *, out=None):
    """[n, k] x [k] -> [n]."""
    return store(_ops.mv(input, vec), out)


def dot(input, tensor, *, out=None):
    """The inner product of two vectors."""
    return store(_ops.dot(input, tensor), out)


vdot = inner_1d = dot


def inner(input, other, *, out=None):
    """Inner product over the last dimensions."""
    if input.dim() == 0 or other.dim() == 0:
        return store(input * other, out)
    return store(tensordot(input, other, ([-1], [-1])), out)


def outer(input, vec2, *, out=None):
    """[n] and [m] -> [n, m] of products."""
    for name, position, v in (("self", 1, input), ("vec2", 2, vec2)):
        if v.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v.dim()}-D")
    return store(input.unsqueeze(1) * vec2, out)


ger = outer


def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat1 @ mat2)."""
    return store(_ops.addmm(input, mat1, mat2, beta, alpha), out)


def addmv(input, mat, vec, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat @ vec)."""
    return store(beta * input + alpha * mv(mat, vec), out)


@autocast_policy(cuda="lower")
def addr(input, vec1, vec2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * outer(vec1, vec2)."""
    return store(beta * input + alpha * outer(vec1, vec2), out)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * bmm(batch1, batch2)."""
    return store(_ops.baddbmm(input, batch1, batch2, beta, alpha), out)


@autocast_policy(cpu="fp32")
def trace(input):
    """The sum of a matrix's diagonal."""
    if input.dim() != 2:
        raise RuntimeError("trace: expected a matrix, but got tensor with dim " + str(input.dim()))
    return input.diagonal().sum()


@autocast_policy(cuda="promote")
def tensordot(a, b, dims=2, out=None):
    """Contracts the last `dims` dimensions of a with the first of b, or the pairs of dimensions in `dims`."""
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        da, db = list(range(a.dim() - dims, a.dim())), list(range(dims))
    else:
        da, db = ([d] if isinstance(d, int) else list(d) for d in dims)
    da = [wrap_dim(d, a.dim()) for d in da]
    db = [wrap_dim(d, b.dim()) for d in db]
    for x, y in zip(da, db):
        if a.shape[x] != b.shape[y] and 1 not in (a.shape[x], b.shape[y]):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[x]} in dim {x} and second has size "
                f"{b.shape[y]} in dim {y}"
            )
    free_a = [d for d in range(a.dim()) if d not in da]
    free_b = [d for d in range(b.dim()) if d not in db]
    inner = 1
    for d in da:
        inner *= a.shape[d]
    left = a.permute(free_a + da).reshape(-1, inner)
    right = b.permute(db + free_b).reshape(inner, -1)
    return store(mm(left, right).reshape([a.shape[d] for d in free_a] + [b.shape[d] for d in free_b]), out)


def einsum(equation, *operands):
    """Sums of products by Einstein's convention: einsum("ij,jk->ik", a, b) is a @ b. Ellipsis broadcasts.

    Raises:
        RuntimeError: the equation doesn't fit the operands.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not isinstance(equation, str):
        raise NotImplementedError("einsum() with sublists is not supported here; give an equation such as 'ij,jk->ik'")
    if not operands:
        raise ValueError("einsum(): must provide at least one operand")
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(terms) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    parsed = [_labels(term, operand, i) for i, (term, operand) in enumerate(zip(terms, operands))]
    ellipsis = max((sum(isinstance(label, int) for label in labels) for labels in parsed), default=0)
    dots = list(range(-ellipsis, 0))
    if arrow:
        output = []
        for part in _split(right):
            output.extend(dots if part == "..." else [part])
        for i, label in enumerate(output):
            if isinstance(label, str):
                if output.index(label) != i:
                    raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
                if not any(label in labels for labels in parsed):
                    raise RuntimeError(
                        f"einsum(): output subscript {label} does not appear in the equation for any input operand"
                    )
    else:
        letters = [c for term in terms for c in term if c.isalpha()]
        output = dots + sorted({c for c in letters if letters.count(c) == 1}, key=lambda c: (c.islower(), c))
    sizes = {}
    for n, (labels, operand) in enumerate(zip(parsed, operands)):
        for label, size in zip(labels, operand.shape):
            known = sizes.get(label, 1)
            if known != 1 and size not in (1, known):
                name = label if isinstance(label, str) else "..."
                raise RuntimeError(
                    f"einsum(): subscript {name} has size {size} for operand {n} which does not broadcast with previously "
                    f"seen size {known}"
                )
            if known == 1:
                sizes[label] = size
    current, labels = _diagonals(operands[0], parsed[0])
    for i in range(1, len(operands)):
        other, other_labels = _diagonals(operands[i], parsed[i])
        later = set(output).union(*[set(p) for p in parsed[i + 1 :]])
        current, labels = _contract(current, labels, other, other_labels, later)
    leftover = [d for d, label in enumerate(labels) if label not in output]
    if leftover:
        current = current.sum(leftover)
        labels = [label for label in labels if label in output]
    return current.permute([labels.index(label) for label in output])


def _split(term):
    parts, i = [], 0
    while i < len(term):
        if term.startswith("...", i):
            parts.append("...")
            i += 3
        elif term[i].isalpha():
            parts.append(term[i])
            i += 1
        else:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]"
            )
    return parts


def _labels(term, operand, number):
    parts = _split(term)
    named = len([p for p in parts if p != "..."])
    covered = operand.dim() - named
    if covered < 0 or (covered > 0 and "..." not in parts):
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({named}) "
            + ("is more than" if "..." in parts else "does not match")
            + f" the number of dimensions ({operand.dim()}) for operand {number}"
            + ("" if "..." in parts else " and no ellipsis was given")
        )
    labels = []
    for p in parts:
        labels.extend(range(-covered, 0) if p == "..." else [p])
    return labels


def _diagonals(tensor, labels):
    """A repeated subscript takes the diagonal."""
    labels = list(labels)
    for label in [x for x in labels if labels.count(x) > 1]:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            tensor = tensor.diagonal(0, first, second)
            labels = [x for d, x in enumerate(labels) if d not in (first, second)] + [label]
    return tensor, labels


def _contract(a, la, b, lb, later):
    """One product: sums over labels that both have and nobody needs later, as a batched matrix product."""
    for which in (0, 1):
        t, mine, theirs = ((a, la, lb), (b, lb, la))[which]
        alone = [d for d, label in enumerate(mine) if label not in theirs and label not in later]
        if alone:
            t = t.sum(alone)
            mine = [label for d, label in enumerate(mine) if d not in alone]
            if which == 0:
                a, la = t, mine
            else:
                b, lb = t, mine
    shared = [label for label in la if label in lb]
    summed = [label for label in shared if label not in later]
    batch = [label for label in shared if label in later]
    if not summed:
        order = la + [label for label in lb if label not in la]
        return _aligned(a, la, order) * _aligned(b, lb, order), order
    for label in summed:  # broadcasting inside a contraction
        sa, sb = a.shape[la.index(label)], b.shape[lb.index(label)]
        if sa != sb:
            n = max(sa, sb)
            a = a.expand([n if x == label else -1 for x in la])
            b = b.expand([n if x == label else -1 for x in lb])
    for label in batch:
        sa, sb = a.shape[la.index(label)], b.shape[lb.index(label)]
        if sa != sb:
            n = max(sa, sb)
            a = a.expand([n if x == label else -1 for x in la])
            b = b.expand([n if x == label else -1 for x in lb])
    rows = [label for label in la if label not in shared]
    columns = [label for label in lb if label not in shared]
    size = lambda t, labels, chosen: [t.shape[labels.index(x)] for x in chosen]
    product = lambda sizes: _product(sizes)
    bs, rs, ks, cs = size(a, la, batch), size(a, la, rows), size(a, la, summed), size(b, lb, columns)
    left = a.permute([la.index(x) for x in batch + rows + summed])
    right = b.permute([lb.index(x) for x in batch + summed + columns])
    if batch:
        left = left.reshape(product(bs), product(rs), product(ks))
        right = right.reshape(product(bs), product(ks), product(cs))
        result = bmm(left, right)
    else:
        result = mm(left.reshape(product(rs), product(ks)), right.reshape(product(ks), product(cs)))
    return result.reshape(bs + rs + cs), batch + rows + columns


def _product(sizes):
    n = 1
    for s in sizes:
        n *= s
    return n


def _aligned(t, labels, order):
    present = [x for x in order if x in labels]
    t = t.permute([labels.index(x) for x in present])
    return t.reshape([t.shape[present.index(x)] if x in labels else 1 for x in order])


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`."""
    from .nn.functional import cosine_similarity as functional

    return functional(x1, x2, dim, eps)


def matrix_power(input, n):
    """The n-th power of square matrices."""
    if n < 0:
        raise NotImplementedError("matrix_power() with n < 0 needs inverses, which are not supported here")
    from ._creation import eye

    result = eye(input.shape[-1], dtype=input.dtype, device=input.device).expand(input.shape)
    while n:
        if n & 1:
            result = result @ input
        input, n = input @ input, n >> 1
    return result


@autocast_policy(cuda="promote")
def cross(input, other, dim=None, *, out=None):
    """The cross product of 3-vectors along `dim`."""
    d = -1 if dim is None else dim
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {d} must have length 3. Got {input.shape[d]} and {other.shape[d]}"
        )
    return store(input.roll(-1, d) * other.roll(-2, d) - input.roll(-2, d) * other.roll(-1, d), out)


@autocast_policy(cpu="fp32", cuda="fp32")
def cdist(x1, x2, p=2.0, compute_mode=None):
    """Distances between the rows of x1 [.., n, d] and x2 [.., m, d] -> [.., n, m]."""
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def multi_dot(tensors):
    """The product of several matrices, left to right."""
    result = tensors[0]
    for t in tensors[1:]:
        result = matmul(result, t)
    return result


chain_matmul = lambda *matrices: multi_dot(matrices)  # noqa: E731
