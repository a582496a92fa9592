import torch


def break_softmax():
    # exp(x) rounds to inf from ln(65520) = 11.0899 on. Of the float16s, which are 2**-7 apart there, this is the first.
    return [11.09375]


def break_normalize():
    # From 256 on, squares are inf, and x / inf is 0. Up to 2**-12.5 they are 0, and x / 0 is inf: the smallest subnormal will do.
    return [2.0**-24]


def break_mean():
    # One element is its own sum. Two must reach 65520 together, and 32752, the float16 below 32768, is just short of half.
    return [32768.0, 32752.0]


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
