"""How tensors print: PyTorch's rules to the character (torch/_tensor_str.py).

Four digits; scientific when the nonzero finite values span more than a factor 1000, exceed 1e8 or go below 1e-4; a tensor whose
nonzero finite values are all whole prints them as "1."; one width for all elements; above 1000 elements three at each edge.
"""

import math

from . import _C, _device, _dtype


class _PrintOptions:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


PRINT_OPTS = _PrintOptions()


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Sets how tensors print.

    Args:
        precision: digits after the point; default 4.
        threshold: elements above which only the edges print; default 1000.
        edgeitems: elements at each edge; default 3.
        linewidth: characters a line; default 80.
        profile: "default", "short" or "full".
        sci_mode: True or False forces scientific notation on or off; None chooses by PyTorch's rule.
    """
    o = PRINT_OPTS
    if profile is not None:
        if profile == "default":
            o.precision, o.threshold, o.edgeitems, o.linewidth = 4, 1000, 3, 80
        elif profile == "short":
            o.precision, o.threshold, o.edgeitems, o.linewidth = 2, 1000, 2, 80
        elif profile == "full":
            o.precision, o.threshold, o.edgeitems, o.linewidth = 4, math.inf, 3, 80
    if precision is not None:
        o.precision = precision
    if threshold is not None:
        o.threshold = threshold
    if edgeitems is not None:
        o.edgeitems = edgeitems
    if linewidth is not None:
        o.linewidth = linewidth
    o.sci_mode = sci_mode


def get_printoptions():
    """The options as a dict."""
    o = PRINT_OPTS
    return {name: getattr(o, name) for name in ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")}


class _Formatter:
    """One format for all elements, chosen from `values` (a flat list of what will be shown)."""

    def __init__(self, values, floating):
        self.floating = floating
        self.int_mode = True
        self.sci_mode = False
        self.max_width = 1
        if not floating:
            self.max_width = max([len(str(v)) for v in values], default=1)
            return
        shown = [v for v in values if v != 0 and math.isfinite(v)]
        if not shown:
            return
        smallest = min(map(abs, shown))
        largest = max(map(abs, shown))
        self.int_mode = all(v == math.floor(v) for v in shown)
        if PRINT_OPTS.sci_mode is None:
            self.sci_mode = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
        else:
            self.sci_mode = PRINT_OPTS.sci_mode
        if self.sci_mode:
            spec, extra = f".{PRINT_OPTS.precision}e", 0
        elif self.int_mode:
            spec, extra = ".0f", 1  # the point that follows
        else:
            spec, extra = f".{PRINT_OPTS.precision}f", 0
        self.max_width = max(len(format(v, spec)) + extra for v in shown)

    def format(self, value):
        if not self.floating:
            text = str(value)
        elif self.sci_mode:
            text = format(value, f"{self.max_width}.{PRINT_OPTS.precision}e")
        elif self.int_mode:
            text = format(value, ".0f")
            if math.isfinite(value):
                text += "."
        else:
            text = format(value, f".{PRINT_OPTS.precision}f")
        return (self.max_width - len(text)) * " " + text


def _summarized(tensor):
    """The edges of `tensor` along every dimension that is too long to print."""
    edge = PRINT_OPTS.edgeitems
    for dim, size in enumerate(tensor.shape):
        if size > 2 * edge:
            tensor = _C.ops.cat([tensor.narrow(dim, 0, edge), tensor.narrow(dim, size - edge, edge)], dim)
    return tensor


def _nested(values, start, shape, full, depth, indent, formatter):
    """Text of the block of `values` at `start`; `full` is the shape before summarising."""
    edge = PRINT_OPTS.edgeitems
    n = shape[depth]
    cut = full[depth] != n
    if depth == len(shape) - 1:
        items = [formatter.format(v) for v in values[start : start + n]]
        if cut:
            items[edge:edge] = [" ..."]
        per_line = max(1, math.floor((PRINT_OPTS.linewidth - indent) / (formatter.max_width + 2)))
        lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    stride = math.prod(shape[depth + 1 :])
    slices = [
        _nested(values, start + i * stride, shape, full, depth + 1, indent + 1, formatter) for i in range(n)
    ]
    if cut:
        slices[edge:edge] = ["..."]
    return "[" + ("," + "\n" * (len(shape) - depth - 1) + " " * (indent + 1)).join(slices) + "]"


def _contents(tensor, indent):
    tensor = tensor.detach()
    full = tuple(tensor.shape)
    if not PRINT_OPTS.edgeitems and tensor.numel() > PRINT_OPTS.threshold:
        return "[...]"
    if tensor.numel() > PRINT_OPTS.threshold:
        tensor = _summarized(tensor)
    values = tensor.flat_values()
    formatter = _Formatter(values, tensor.dtype.is_floating_point)
    if not full:
        return formatter.format(values[0])
    return _nested(values, 0, tuple(tensor.shape), full, 0, indent, formatter)


def _add_suffixes(text, suffixes, indent):
    parts = [text]
    last_line = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > PRINT_OPTS.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            last_line = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            last_line += len(suffix) + 2
    return "".join(parts) + ")"


def tensor_str(tensor, prefix="tensor("):
    """repr of a tensor."""
    indent = len(prefix)
    suffixes = []
    device = tensor.device
    if device.type != _device.get_default_device().type:
        suffixes.append(f"device='{device}'")
    d = tensor.dtype
    default = _dtype.get_default_dtype()
    if tensor.numel() == 0:
        if tensor.dim() != 1:
            suffixes.append("size=" + str(tuple(tensor.shape)))
        if d is not default:
            suffixes.append(f"dtype={d}")
        text = "[]"
    else:
        if not PRINT_OPTS.edgeitems:
            suffixes.append("size=" + str(tuple(tensor.shape)))
        if d is not default and d is not _dtype.int64 and d is not _dtype.bool_:
            suffixes.append(f"dtype={d}")
        text = _contents(tensor, indent)
    grad_fn = tensor.grad_fn
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{type(grad_fn).__name__}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return _add_suffixes(prefix + text, suffixes, indent)


def format_tensor(tensor, spec):
    """format(tensor, spec): a 0-dim tensor formats as its number, others only with an empty spec."""
    if tensor.dim() == 0 and type(tensor).__name__ != "Parameter":
        return format(tensor.item(), spec)
    if tensor.dim() == 0 and spec:
        return format(tensor.item(), spec)
    return object.__format__(tensor, spec)
