"""What an import of something that isn't here says: which module, why, and what to use instead.

The finder stands last in sys.meta_path, so it is asked only for what nobody else has found.
"""

import sys

#: Modules of PyTorch 2.13 that this package hasn't. Text: what the module is for, and what is here instead.
TORCH = {
    "torch._dynamo": "the compiler; torch.compile runs the model as it is",
    "torch._inductor": "the compiler; torch.compile runs the model as it is",
    "torch.accelerator": "use torch.cuda",
    "torch.ao": "quantization",
    "torch.autograd.profiler": "the trace of the exercises shows each op with its dtype; for time use time.perf_counter()",
    "torch.cuda.graphs": "CUDA graphs",
    "torch.cuda.nvtx": "the profiler's ranges",
    "torch.distributed": "there is one process and one GPU",
    "torch.distributions": "use torch.randn, torch.rand, torch.multinomial and torch.bernoulli",
    "torch.export": "there is no compiler",
    "torch.fft": "there are no complex tensors",
    "torch.func": "use torch.autograd.grad, torch.autograd.functional.jacobian or hessian",
    "torch.futures": "there is one thread",
    "torch.fx": "there is no compiler",
    "torch.hub": "nothing is downloaded",
    "torch.jit": "there is no compiler; run the module as it is",
    "torch.library": "define the op as a torch.autograd.Function",
    "torch.masked": "use torch.where and masked_fill",
    "torch.monitor": "",
    "torch.mps": "the GPU is 'cuda' here",
    "torch.multiprocessing": "there is one process",
    "torch.nested": "pad the tensors to one length",
    "torch.nn.attention": "use torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.parallel": "there is one process and one GPU; use the module itself",
    "torch.nn.quantized": "quantization",
    "torch.nn.utils.parametrizations": "",
    "torch.nn.utils.parametrize": "",
    "torch.nn.utils.prune": "multiply the weight with a mask",
    "torch.nn.utils.rnn": "pad with torch.nn.functional.pad and torch.stack",
    "torch.onnx": "there is no export",
    "torch.overrides": "",
    "torch.package": "use torch.save(model.state_dict(), file)",
    "torch.profiler": "the trace of the exercises shows each op with its dtype; for time use time.perf_counter()",
    "torch.quantization": "quantization",
    "torch.sparse": "tensors here are dense",
    "torch.utils._pytree": "",
    "torch.utils.benchmark": "use time.perf_counter()",
    "torch.utils.bottleneck": "",
    "torch.utils.collect_env": "print torch.__version__ and torch.cuda.get_device_name()",
    "torch.utils.cpp_extension": "there is no C++ compiler",
    "torch.utils.data.distributed": "there is one process; use DataLoader(shuffle=True)",
    "torch.utils.dlpack": "use torch.tensor(list)",
    "torch.utils.flop_counter": "",
    "torch.utils.mobile_optimizer": "",
    "torch.utils.tensorboard": "print the numbers",
    "torch.xpu": "the GPU is 'cuda' here",
}

#: Packages that training scripts often import.
PACKAGES = {
    "accelerate": "",
    "apex": "use torch.amp",
    "bitsandbytes": "",
    "datasets": "make tensors, or use torch.utils.data",
    "deepspeed": "",
    "einops": "use reshape, permute and torch.einsum",
    "fairscale": "",
    "flash_attn": "use torch.nn.functional.scaled_dot_product_attention",
    "ignite": "",
    "jax": "",
    "lightning": "write the loop with torch",
    "matplotlib": "print the numbers",
    "ml_dtypes": "use torch.float16, torch.bfloat16 and torch.finfo",
    "numpy": "use torch.tensor(list) and tensor.tolist(), torch.manual_seed and the math module",
    "pandas": "use lists, or torch.tensor(list)",
    "PIL": "",
    "psutil": "",
    "pytorch_lightning": "write the loop with torch",
    "safetensors": "use torch.save and torch.load",
    "scipy": "",
    "seaborn": "print the numbers",
    "sklearn": "make the data with torch.randn",
    "tensorboard": "print the numbers",
    "tensorboardX": "print the numbers",
    "tensorflow": "",
    "timm": "",
    "torch_xla": "",
    "torchaudio": "",
    "torchdata": "use torch.utils.data",
    "torchinfo": "use print(model)",
    "torchmetrics": "compute the metric with torch",
    "torchsummary": "use print(model)",
    "torchtext": "",
    "torchvision": "make the data with torch.randn, and the model of torch.nn layers",
    "tqdm": "loop over the iterable itself",
    "transformer_engine": "",
    "transformers": "",
    "triton": "",
    "wandb": "print the numbers",
}


def _with(reason):
    return f": {reason}" if reason else ""


def explanation(name):
    """The text for a module that isn't here; None for one that we know nothing of."""
    parts = name.split(".")
    if parts[0] == "torch":
        for end in range(len(parts), 1, -1):
            module = ".".join(parts[:end])
            if module in TORCH:
                return f"No module named '{name}'. {module} is not supported here{_with(TORCH[module])}."
        return None
    if parts[0] in PACKAGES:
        return f"No module named '{name}'. Here are torch and Python's standard library only{_with(PACKAGES[parts[0]])}."
    return None


class Finder:
    """Finds nothing; raises ModuleNotFoundError with a reason for what is known."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        text = explanation(name)
        if text is not None:
            raise ModuleNotFoundError(text, name=name)
        return None


def install():
    """Once, when torch is imported."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
