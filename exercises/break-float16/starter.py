import torch


def break_softmax():
    return [100.0, 99.0]


def break_normalize():
    return [1000.0, 1.0]


def break_mean():
    return [65504.0, 65504.0, 65504.0, 65504.0]


def softmax(x):
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


def normalize(x):
    return x / torch.sqrt((x * x).mean(dim=-1, keepdim=True))


def mean(x):
    return x.sum(dim=-1) / x.shape[-1]


for function, values in ((softmax, break_softmax()), (normalize, break_normalize()), (mean, break_mean())):
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.tensor(values, dtype=dtype, device="cuda")
        print(f"{function.__name__:10}", dtype, function(x).tolist())
