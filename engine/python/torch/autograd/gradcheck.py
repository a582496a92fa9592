"""gradcheck: compares analytical gradients with finite differences in float64."""

from .._tensor import Tensor


class GradcheckError(RuntimeError):
    """Analytical and numerical gradients differ."""


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
    check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
    check_backward_ad=True, fast_mode=False, masked=None,
):  # fmt: skip
    """Whether the gradients of func(*inputs) agree with central differences of step eps.

    Inputs that require grad should be float64: in float32 the differences are noise.

    Raises:
        GradcheckError: they differ and raise_exception is true.
    """
    from .._layout import unsupported
    from . import grad

    unsupported(
        "gradcheck", check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad, masked=masked,
        check_batched_forward_grad=check_batched_forward_grad, check_forward_ad=check_forward_ad,
    )  # fmt: skip
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    outputs = func(*inputs)
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    for o, y in enumerate(outputs):
        if not y.dtype.is_floating_point or not y.requires_grad:
            continue
        flat = y.reshape(-1)
        analytical = [
            grad(flat[i], checked, retain_graph=True, allow_unused=True) for i in range(flat.numel())
        ]
        for n, x in enumerate(checked):
            values = x.detach().reshape(-1).tolist()
            for k in range(len(values)):
                probe = []
                for sign in (1, -1):
                    moved = list(values)
                    moved[k] += sign * eps
                    # It requires grad as the input does: gradgradcheck's function takes gradients itself.
                    replacement = x.detach().new_tensor(moved).reshape(x.shape).requires_grad_()
                    result = func(*[replacement if a is x else a for a in inputs])
                    result = result if isinstance(result, Tensor) else tuple(result)[o]
                    probe.append(result.detach().reshape(-1).tolist())
                for i in range(flat.numel()):
                    numerical = (probe[0][i] - probe[1][i]) / (2 * eps)
                    g = analytical[i][n]
                    found = 0.0 if g is None else g.reshape(-1)[k].item()
                    if not abs(found - numerical) <= atol + rtol * abs(numerical):
                        if not raise_exception:
                            return False
                        raise GradcheckError(
                            f"Jacobian mismatch for output {o} with respect to input {n},\n"
                            f"numerical:{numerical}\nanalytical:{found}\n(element {k} of the input, element {i} of the output)"
                        )
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """gradcheck of the gradients themselves."""
    from . import grad

    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)

    def first(*xs):
        y = func(*xs)
        wanted = [x for x in xs if isinstance(x, Tensor) and x.requires_grad]
        ys = (y,) if isinstance(y, Tensor) else tuple(y)
        return grad(ys, wanted, grad_outputs if grad_outputs is not None else [_ones(t) for t in ys], create_graph=True)

    return gradcheck(first, inputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


def _ones(tensor):
    from .._creation import ones_like

    return ones_like(tensor)
