"""torch.return_types: results with named fields, such as those of max, sort and topk."""


class ReturnType(tuple):
    """Base of results such as torch.return_types.max: a tuple whose fields have names."""

    __slots__ = ()
    _fields = ()

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"


def return_type(name, *fields):
    """A ReturnType class with these fields."""
    body = {"__slots__": (), "_fields": fields, "__module__": "torch.return_types"}
    for i, field in enumerate(fields):
        body[field] = property(lambda self, i=i: self[i])
    return type(name, (ReturnType,), body)


max = return_type("max", "values", "indices")
min = return_type("min", "values", "indices")
median = return_type("median", "values", "indices")
mode = return_type("mode", "values", "indices")
kthvalue = return_type("kthvalue", "values", "indices")
sort = return_type("sort", "values", "indices")
topk = return_type("topk", "values", "indices")
cummax = return_type("cummax", "values", "indices")
cummin = return_type("cummin", "values", "indices")
aminmax = return_type("aminmax", "min", "max")

__all__ = ["aminmax", "cummax", "cummin", "kthvalue", "max", "median", "min", "mode", "sort", "topk"]
