"""torch.layout and torch.memory_format: there is one layout here, torch.strided, in row-major order."""


class layout:
    """How elements are laid out; there is only torch.strided here."""

    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "torch." + self._name


class memory_format:
    """Order of the dimensions in memory; contiguous_format and preserve_format are supported."""

    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "torch." + self._name


layout.__module__ = memory_format.__module__ = "torch"
strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def check_memory_format(function, format):
    """Raises NotImplementedError for a memory format other than row-major order."""
    if format is not None and format is not preserve_format and format is not contiguous_format:
        raise NotImplementedError(
            f"{function}(): memory_format={format} is not supported here; supported: torch.contiguous_format, "
            "torch.preserve_format"
        )


def unsupported(function, **arguments):
    """Raises NotImplementedError naming the first argument that was given (isn't None or False)."""
    for name, value in arguments.items():
        if value is not None and value is not False:
            raise NotImplementedError(f"{function}(): {name}= is not supported here")
