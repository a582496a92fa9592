"""jacobian, hessian, vjp, hvp: derivatives of Python functions."""

from .._tensor import Tensor


def _as_tuple(x):
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _leaves(inputs, create_graph):
    if create_graph:
        return tuple([x if x.requires_grad else x.detach().clone().requires_grad_() for x in inputs])
    return tuple([x.detach().clone().requires_grad_() for x in inputs])


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The derivatives of every output of func(*inputs) by every input, shape output.shape + input.shape."""
    from . import grad
    from .._joins import stack

    if strategy != "reverse-mode":
        raise NotImplementedError("jacobian(): only strategy='reverse-mode' is supported here")
    single_input = isinstance(inputs, Tensor)
    xs = _leaves(_as_tuple(inputs), create_graph)
    outputs = func(*xs)
    single_output = isinstance(outputs, Tensor)
    result = []
    for y in _as_tuple(outputs):
        rows = [[] for _ in xs]
        flat = y.reshape(-1)
        for i in range(flat.numel()):
            gs = grad(flat[i], xs, retain_graph=True, create_graph=create_graph, allow_unused=True)
            for row, g, x in zip(rows, gs, xs):
                if g is None:
                    if strict:
                        raise RuntimeError(
                            "Output of the user-provided function is independent of input. This is not allowed in strict mode."
                        )
                    g = x.new_zeros(x.shape)
                row.append(g)
        result.append(
            tuple([(stack(row) if row else x.new_zeros((0, *x.shape))).reshape([*y.shape, *x.shape]) for row, x in zip(rows, xs)])
        )
    if single_input:
        result = [r[0] for r in result]
    return result[0] if single_output else tuple(result)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of a function of one element."""
    single = isinstance(inputs, Tensor)

    def gradient(*xs):
        from . import grad

        y = func(*xs)
        if y.numel() != 1:
            raise RuntimeError(
                "The Tensor returned by the function given to hessian should contain a single element"
            )
        gs = grad(y.sum(), xs, create_graph=True, allow_unused=True)
        gs = tuple([x.new_zeros(x.shape) if g is None else g for g, x in zip(gs, xs)])
        return gs[0] if single else gs

    return jacobian(gradient, inputs, create_graph=create_graph, strict=strict)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, v^T J)."""
    from . import grad

    xs = _leaves(_as_tuple(inputs), create_graph)
    y = func(*xs)
    gs = grad(y, xs, v, create_graph=create_graph, allow_unused=True)
    gs = tuple([x.new_zeros(x.shape) if g is None else g for g, x in zip(gs, xs)])
    return (y if create_graph else y.detach()), (gs[0] if isinstance(inputs, Tensor) else gs)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, v^T H)."""
    from . import grad

    xs = _leaves(_as_tuple(inputs), True)
    y = func(*xs)
    gs = grad(y, xs, create_graph=True)
    hs = grad(gs, xs, _as_tuple(v), create_graph=create_graph, allow_unused=True)
    hs = tuple([x.new_zeros(x.shape) if g is None else g for g, x in zip(hs, xs)])
    return y.detach(), (hs[0] if isinstance(inputs, Tensor) else hs)


hvp = vhp
