"""What PyTorch has and this package hasn't: errors that name it."""


def tensor_attribute(class_name, name):
    """Text of the AttributeError for a missing attribute of a Tensor."""
    return f"'{class_name}' object has no attribute '{name}'"
