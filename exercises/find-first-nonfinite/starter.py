import torch

# A loudness meter in float16: the root mean square of each frame, squashed into [0, 1).
STAGES = [
    ("gain", lambda x: x * 8),
    ("power", lambda x: x * x),
    ("mean", lambda x: x.mean(dim=-1, keepdim=True)),
    ("rms", torch.sqrt),
    ("level", lambda x: x / (x + 16)),
]


def pipeline(x):
    for _, stage in STAGES:
        x = stage(x)
    return x


def first_nonfinite(stages, x):
    """Name of the first stage whose output holds an inf or NaN although its input did not.

    stages: list of (name, function), applied one after the other. "input" if x itself is not finite; None if everything is.
    """
    for name, stage in stages:
        x = stage(x)
    return name if torch.isnan(x).any() else None


def repaired(x):
    """What pipeline(x) should give: shape [..., 1], float16. x: frames, shape [..., n], float16."""
    return pipeline(x)


frame = torch.tensor([100.0, 0.5, -2.0, 1.0] + [0.25] * 12, dtype=torch.float16, device="cuda")
print("pipeline       ", pipeline(frame))
print("first nonfinite", first_nonfinite(STAGES, frame))
print("repaired       ", repaired(frame))
