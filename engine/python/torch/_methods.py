"""Attaches the functions of the other modules to Tensor: x.exp() is torch.exp(x)."""

from . import _conversion, _creation, _indexing, _linalg, _operators, _pointwise, _random, _reductions, _scatter, _shape  # noqa: F401
from ._tensor import Tensor

_FUNCTIONS = {
    _pointwise: (
        "add sub subtract div divide true_divide pow float_power clamp clip clamp_min clamp_max lerp addcmul addcdiv nan_to_num "
        "round masked_fill softmax log_softmax conj positive isreal isclose allclose equal"
    ),
    _reductions: (
        "sum nansum mean nanmean prod var std max min amax amin aminmax argmax argmin all any count_nonzero logsumexp cumsum "
        "cumprod logcumsumexp diff norm dist sort argsort msort topk kthvalue median quantile unique bincount"
    ),
    _shape: (
        "view view_as reshape reshape_as flatten ravel unflatten unsqueeze squeeze permute transpose swapaxes swapdims t movedim "
        "moveaxis expand expand_as broadcast_to select narrow unbind split chunk tensor_split diagonal diag diag_embed "
        "as_strided unfold repeat tile repeat_interleave flip fliplr flipud roll rot90 tril triu clone contiguous index_select "
        "gather take take_along_dim masked_select nonzero argwhere"
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

Tensor.T = property(_shape._T)
Tensor.mT = Tensor.mH = property(_shape._mT)
Tensor.H = property(_shape._H)
Tensor.real = property(lambda self: self)
del Tensor.expit


def _where(self, condition, other):
    """self where `condition` is true, else other."""
    return _pointwise.where(condition, self, other)


def _tril_(self, diagonal=0):
    """In-place tril."""
    return self.copy_(_shape.tril(self, diagonal))


def _triu_(self, diagonal=0):
    """In-place triu."""
    return self.copy_(_shape.triu(self, diagonal))


def _in_place_view(name):
    function = getattr(_shape, name)

    def method(self, *args):
        result = function(self, *args)
        from . import _C

        _C.call("set_data", self._h, result.detach()._h)
        self._forget_meta()
        return self

    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"{name}, changing this tensor's own shape."
    return method




Tensor.where = _where
Tensor.tril_ = _tril_
Tensor.triu_ = _triu_
for _name in ("squeeze", "unsqueeze", "t", "transpose"):
    setattr(Tensor, _name + "_", _in_place_view(_name))
