"""Attaches the functions of the other modules to Tensor: x.exp() is torch.exp(x)."""

import functools

from . import _conversion, _creation, _gather, _joins, _linalg, _pointwise, _random, _reductions, _scatter, _sorting, _views
from ._tensor import Tensor

_FUNCTIONS = {
    _pointwise: (
        "add sub subtract div divide true_divide pow float_power clamp clip clamp_min clamp_max lerp addcmul addcdiv nan_to_num "
        "round masked_fill softmax log_softmax conj positive isreal isclose allclose equal"
    ),
    _reductions: (
        "sum nansum mean nanmean prod var std max min amax amin aminmax argmax argmin all any count_nonzero logsumexp "
        "cumsum cumprod logcumsumexp diff norm dist cov corrcoef"
    ),
    _sorting: (
        "sort argsort msort topk kthvalue median quantile unique bincount unique_consecutive isin histc"
    ),
    _views: (
        "view view_as reshape reshape_as flatten ravel unflatten unsqueeze squeeze permute transpose swapaxes swapdims "
        "t movedim moveaxis expand expand_as broadcast_to select narrow unbind split chunk tensor_split diagonal "
        "as_strided unfold split_with_sizes hsplit vsplit adjoint"
    ),
    _joins: (
        "diag diag_embed repeat tile repeat_interleave flip fliplr flipud roll rot90 tril triu clone contiguous"
    ),
    _gather: (
        "index_select gather take take_along_dim masked_select nonzero argwhere"
    ),
    _scatter: (
        "scatter scatter_ scatter_add scatter_add_ index_add index_add_ index_fill index_fill_ index_copy index_copy_ index_put "
        "index_put_ masked_scatter masked_scatter_"
    ),
    _linalg: (
        "matmul mm bmm mv dot vdot inner outer ger addmm addmv addr baddbmm trace matrix_power cross"
    ),
    _random: "uniform_ normal_ exponential_ bernoulli_ random_ bernoulli multinomial",
    _creation: "new_zeros new_ones new_empty new_full new_tensor",
    _conversion: "to cpu cuda copy_ fill_ zero_ fill_diagonal_ apply_ map_",
}

for _module, _names in _FUNCTIONS.items():
    for _name in _names.split():
        setattr(Tensor, _name, getattr(_module, _name))
for _name in (*_pointwise.UNARY, *_pointwise.BINARY):
    setattr(Tensor, _name, getattr(_pointwise, _name))
for _name, _function in {**_pointwise.INPLACE, **_conversion.SHORTHANDS}.items():
    setattr(Tensor, _name, _function)

Tensor.T = property(_views._T)
Tensor.mT = Tensor.mH = property(_views._mT)
Tensor.H = property(_views._H)
Tensor.real = property(lambda self: self)
del Tensor.expit


def _where(self, condition, other):
    """self where `condition` is true, else other."""
    return _pointwise.where(condition, self, other)


def _tril_(self, diagonal=0):
    """In-place tril."""
    return self.copy_(_joins.tril(self, diagonal))


def _triu_(self, diagonal=0):
    """In-place triu."""
    return self.copy_(_joins.triu(self, diagonal))


def _in_place_view(name):
    function = getattr(_views, name)

    def method(self, *args):
        result = function(self, *args)
        from . import _C

        _C.call("set_data", self._h, result.detach()._h)
        self._forget_meta()
        return self

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"{name}, changing this tensor's own shape."
    return method




def _in_place(name, function):
    """An in-place method that computes a new tensor and copies it back."""

    def method(self, *args, **kwargs):
        return self.copy_(function(self, *args, **kwargs))

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"In-place {name}."
    return method


for _module, _names in (
    (_reductions, "cumsum cumprod"),
    (_linalg, "addmm addmv addr baddbmm"),
    (_pointwise, "float_power"),
):
    for _name in _names.split():
        setattr(Tensor, _name + "_", _in_place(_name, getattr(_module, _name)))
for _name in "is_nonzero is_complex is_floating_point".split():
    setattr(Tensor, _name, getattr(_conversion, _name))


def _is_same_size(self, other):
    """Whether both have the same shape."""
    return self.shape == other.shape


Tensor.is_same_size = _is_same_size
Tensor.where = _where
Tensor.tril_ = _tril_
Tensor.triu_ = _triu_
for _name in ("squeeze", "unsqueeze", "t", "transpose"):
    setattr(Tensor, _name + "_", _in_place_view(_name))


def _numpy_names(function):
    """`function` that also takes NumPy's names of its arguments, as everything does that PyTorch implements in C++."""

    def called(*args, **kwargs):
        if kwargs:
            for numpy_name, name in (("axis", "dim"), ("keepdims", "keepdim")):
                if numpy_name in kwargs and name not in kwargs:
                    kwargs[name] = kwargs.pop(numpy_name)
        return function(*args, **kwargs)

    return functools.update_wrapper(called, function)


def _takes_dim(function):
    code = getattr(function, "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return "dim" in names and "axis" not in names


_IN_PYTHON = frozenset("norm split unique unique_consecutive".split())  # these PyTorch writes in Python

#: name: the function that torch.name and, where there is one, Tensor.name call.
NUMPY_NAMED = {}
for _module in _FUNCTIONS:
    for _name, _function in list(vars(_module).items()):
        if not _name.startswith("_") and _name not in _IN_PYTHON and _takes_dim(_function):
            NUMPY_NAMED[_name] = _numpy_names(_function)
            if getattr(Tensor, _name, None) is _function:
                setattr(Tensor, _name, NUMPY_NAMED[_name])
