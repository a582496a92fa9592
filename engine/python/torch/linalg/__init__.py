"""torch.linalg: norms and products."""

from .._autocast_policy import autocast_policy
from .._linalg import cross as cross
from .._linalg import matmul as matmul
from .._linalg import matrix_power as matrix_power
from .._linalg import multi_dot as multi_dot
from .._reductions import vector_norm as vector_norm
from .._views import diagonal as diagonal


class LinAlgError(RuntimeError):
    """A matrix has no inverse or decomposition."""


def norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """Vector norm (or with ord "fro" the Frobenius norm) over `dim`."""
    if ord == "fro" or ord is None:
        ord = 2
    elif isinstance(ord, str) or (dim is None and A.dim() == 2) or (isinstance(dim, tuple) and len(dim) == 2):
        raise NotImplementedError(f"linalg.norm with ord={ord!r} of matrices is not supported here; supported: 'fro'")
    return vector_norm(A, ord, dim, keepdim, dtype=dtype, out=out)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """The Frobenius norm of matrices."""
    if ord != "fro":
        raise NotImplementedError(f"linalg.matrix_norm with ord={ord!r} is not supported here; supported: 'fro'")
    return vector_norm(A, 2, dim, keepdim, dtype=dtype, out=out)


@autocast_policy(cpu="lower", cuda="lower")
def vecdot(x, y, *, dim=-1, out=None):
    """The inner products of vectors along `dim`."""
    return (x * y).sum(dim)


def __getattr__(name):
    from .._unsupported import missing

    raise missing("torch.linalg", name)
