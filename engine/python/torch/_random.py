"""Random numbers: PyTorch's mt19937 streams, bit for bit, on generators that live in the engine."""


from . import _C, _device, _dtype
from ._creation import _resolve_dtype, finish, parse_size
from ._layout import check_memory_format
from ._tensor import Tensor

_call = _C.call
_wrap = _C.wrap
_engine_device = _device.engine_name


class Generator:
    """A source of random numbers of its own.

    manual_seed(s) restarts it, seed() picks a seed, initial_seed() tells it.
    """

    __slots__ = ("_id", "device", "__weakref__")

    def __init__(self, device="cpu"):
        self.device = _device.device(device)
        _engine_device(self.device)
        self._id = _call("generator_new")

    def __del__(self):
        try:
            if self._id:
                _call("generator_free", self._id)
        except Exception:
            pass

    def manual_seed(self, seed):
        """Restarts from a seed; returns the generator."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            if isinstance(seed, Tensor):
                seed = seed.item()
            else:
                raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        _call("generator_seed", self._id, *_seed_words(seed))
        return self

    def seed(self):
        """Restarts from an unpredictable seed and returns that."""
        seed = _fresh_seed()
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        """The seed of the last restart."""
        return _join(_call("generator_initial_seed", self._id))

    def get_state(self):
        """The state as a uint8 tensor, for set_state."""
        return _state_tensor(self._id)

    def set_state(self, new_state):
        """Goes back to a state from get_state."""
        _set_state(self._id, new_state)

    def __repr__(self):
        return f"<torch._C.Generator object at 0x{id(self):x}>"


Generator.__module__ = "torch._C"


class _DefaultGenerator(Generator):
    """The generator that functions use when none is given; id 0 in the engine."""

    __slots__ = ()

    def __init__(self):
        self._id = 0
        self.device = _device.cpu


default_generator = _DefaultGenerator()


def _fresh_seed():
    import os

    return int.from_bytes(os.urandom(8), "little") >> 11  # 53 bits, as PyTorch's seed()


def _seed_words(seed):
    """A 64-bit seed as (low, high) 32-bit words; negative seeds wrap."""
    if not -(2**63) <= seed < 2**64:
        raise RuntimeError("Overflow when unpacking long long")
    seed &= 2**64 - 1
    return seed & 0xFFFFFFFF, seed >> 32


def _join(text):
    return int(text)


def manual_seed(seed):
    """Restarts the default generator from a seed (an int, taken mod 2^64), and the GPU's."""
    default_generator.manual_seed(int(seed))
    return default_generator


def seed():
    """Restarts the default generator from an unpredictable seed and returns that."""
    return default_generator.seed()


def initial_seed():
    """The seed of the default generator."""
    return default_generator.initial_seed()


def _state_tensor(identity):
    from ._creation import from_flat

    values = _call("generator_state", identity).to_py().tolist()
    return from_flat(values, (len(values),), _dtype.uint8, "cpu")


def _set_state(identity, state):
    if not isinstance(state, Tensor) or state.dtype is not _dtype.uint8:
        raise TypeError("RNG state must be a torch.ByteTensor")
    from array import array

    from pyodide.ffi import to_js

    _call("generator_set_state", identity, to_js(array("d", state.flat_values())))


def get_rng_state():
    """The default generator's state as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Goes back to a state from get_rng_state."""
    default_generator.set_state(new_state)


def _generator_id(function, generator, size=()):
    if generator is None:
        return 0
    if isinstance(generator, Generator):
        return generator._id
    got = ", ".join([type(s).__name__ for s in size] + [f"generator={type(generator).__name__}"])
    raise TypeError(
        f"{function}() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        " * (tuple of ints size, *, torch.Generator generator, Tensor out = None, torch.dtype dtype = None, torch.layout "
        "layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)\n"
        " * (tuple of ints size, *, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device "
        "device = None, bool pin_memory = False, bool requires_grad = False)\n"
    )


def _draw(function, kind, size, generator, dtype, device, requires_grad, layout, out, *parameters):
    g = _generator_id(function, generator, size)
    if out is not None:
        dtype, device = out.dtype, out.device
    dtype = _dtype.get_default_dtype() if dtype is None else _resolve_dtype(function, dtype)
    shape = parse_size(function, size)
    result = _wrap(_call("random", kind, g, *parameters, dtype._name, _engine_device(device), *shape))
    if out is not None:
        return out.copy_(result)
    return finish(result, function, requires_grad, layout)


def _need_floating(dtype, kernel):
    if dtype is not None and not dtype.is_floating_point:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype._scalar_name}'")


def rand(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Uniform numbers in [0, 1)."""
    _need_floating(dtype, "check_uniform_bounds")
    return _draw("rand", "uniform", size, generator, dtype, device, requires_grad, layout, out, 0.0, 1.0)


def randn(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Standard normal numbers."""
    _need_floating(dtype, "normal_kernel_cpu")
    return _draw("randn", "normal", size, generator, dtype, device, requires_grad, layout, out, 0.0, 1.0)


def randint(*args, low=None, high=None, size=None, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """randint(high, size) or randint(low, high, size): whole numbers in [low, high)."""
    args = list(args)
    given = len(args)
    if size is None and args:
        size = args.pop()
    if len(args) == 1:
        high = args[0]
    elif len(args) == 2:
        low, high = args
    if high is None or size is None:
        raise TypeError(
            f"randint() received an invalid combination of arguments - got {given} positional; give randint(high, size) or "
            "randint(low, high, size), where size is a tuple, as in torch.randint(10, (3,))"
        )
    low = 0 if low is None else int(low)
    high = int(high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return _draw(
        "randint", "integers", (size,), generator, dtype or _dtype.int64, device, requires_grad, layout, out, low, high
    )


def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """The numbers 0 to n - 1 in random order."""
    return _draw("randperm", "permutation", (n,), generator, dtype or _dtype.int64, device, requires_grad, layout, out, 0, 0)


def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """rand of `input`'s shape, dtype and device."""
    check_memory_format("rand_like", memory_format)
    return rand(input.shape, generator=generator, dtype=dtype or input.dtype, device=device or input.device, requires_grad=requires_grad, layout=layout)


def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """randn of `input`'s shape, dtype and device."""
    check_memory_format("randn_like", memory_format)
    return randn(input.shape, generator=generator, dtype=dtype or input.dtype, device=device or input.device, requires_grad=requires_grad, layout=layout)


def randint_like(input, *args, low=None, high=None, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """randint of `input`'s shape, dtype and device."""
    check_memory_format("randint_like", memory_format)
    return randint(*args, low=low, high=high, size=tuple(input.shape), generator=generator, dtype=dtype or input.dtype, device=device or input.device, requires_grad=requires_grad, layout=layout)


def normal(mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Normal numbers: normal(mean, std, size), or with tensors for mean or std, of their shape."""
    if size is not None:
        _check_std(std)
        return _draw("normal", "normal", (size,), generator, dtype, device, requires_grad, layout, out, float(mean), float(std))
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        raise TypeError("normal() received an invalid combination of arguments; without size=, mean or std must be a Tensor")
    from ._views import broadcast_shapes

    like = mean if isinstance(mean, Tensor) else std
    shape = broadcast_shapes(
        mean.shape if isinstance(mean, Tensor) else (), std.shape if isinstance(std, Tensor) else ()
    )
    noise = randn(shape, generator=generator, dtype=like.dtype, device=like.device)
    result = noise * std + mean
    return result if out is None else out.copy_(result)


def _check_std(std):
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


def bernoulli(input, p=None, *, generator=None, out=None):
    """Ones with the probabilities in `input` (or `p`), else zeros."""
    g = _generator_id("bernoulli", generator)
    if p is not None:
        return input.clone().bernoulli_(p, generator=generator)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_self_\" not implemented for '{input.dtype._scalar_name}'")
    if input.numel() and not bool(((input >= 0) & (input <= 1)).all()):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please "
            "report an enhancement request to PyTorch.)"
        )
    result = _wrap(_call("bernoulli", g, input._h))
    return result if out is None else out.copy_(result)


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Indices drawn with probabilities proportional to each row of `input`.

    Raises:
        RuntimeError: negative, infinite or NaN weights; more samples than categories without replacement.
    """
    g = _generator_id("multinomial", generator)
    if not input.dtype.is_floating_point:
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: " + input.dtype._scalar_name)
    if not 1 <= input.dim() <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    from ._pointwise import isfinite

    if not bool((isfinite(input) & (input >= 0)).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool((input.sum(-1) > 0).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    return _wrap(_call("multinomial", g, input._h, num_samples, bool(replacement)))


# --- in-place methods ------------------------------------------------------------------------------------------------


def uniform_(self, from_=0.0, to=1.0, *, generator=None):
    """Fills with uniform numbers in [from, to)."""
    if from_ > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={from_:g} > to={to:g}")
    _need_floating(self.dtype, "check_uniform_bounds")
    return _fill(self, "uniform", _generator_id("uniform_", generator), float(from_), float(to))


def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Fills with normal numbers."""
    _check_std(std)
    _need_floating(self.dtype, "normal_kernel_cpu")
    return _fill(self, "normal", _generator_id("normal_", generator), float(mean), float(std))


def exponential_(self, lambd=1.0, *, generator=None):
    """Fills with exponential numbers of rate `lambd`."""
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return _fill(self, "exponential", _generator_id("exponential_", generator), float(lambd), 0.0)


def bernoulli_(self, p=0.5, *, generator=None):
    """Fills with ones of probability p (a number or a tensor), else zeros."""
    g = _generator_id("bernoulli_", generator)
    if isinstance(p, Tensor):
        return self.copy_(bernoulli(p.expand(self.shape), generator=generator))
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return _fill(self, "bernoulli", g, float(p), 0.0)


def random_(self, from_=None, to=None, *, generator=None):
    """Fills with whole numbers: in [from, to), in [0, to), or up to what the dtype holds exactly."""
    g = _generator_id("random_", generator)
    if from_ is not None and to is None:
        from_, to = 0, from_
    if from_ is None:
        from_ = 0
        # The full range of integers; for floats up to 2^significandBits.
        exact = {_dtype.float16: 2**11, _dtype.bfloat16: 2**8, _dtype.float32: 2**24, _dtype.float64: 2**53}
        if self.dtype in exact:
            to = exact[self.dtype] + 1
        elif self.dtype is _dtype.bool_:
            to = 2
        elif self.dtype is _dtype.int64:
            to = 2**53
        else:
            to = _dtype.iinfo(self.dtype).max + 1
    if from_ >= to:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={from_} >= to={to}")
    return _fill(self, "integers", g, int(from_), int(to))


def _fill(self, kind, generator, a, b):
    _call("random_", kind, generator, a, b, self._h)
    return self


def fork_rng(devices=None, enabled=True, device_type="cuda"):
    """A context after which the default generator continues where it was."""
    from contextlib import contextmanager

    @contextmanager
    def fork():
        state = get_rng_state() if enabled else None
        try:
            yield
        finally:
            if enabled:
                set_rng_state(state)

    return fork()


