def policy():
    return {
        "power": "float32",
        "mean": "float32",
        "normalize": "float16",
        "scores": "float16",
        "exp": "float16",
        "sum": "float16",
        "loss": "float32",
    }
