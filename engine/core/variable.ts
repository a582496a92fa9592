/** What Python does to a single tensor's autograd state: `.grad`, `.data`, detach_, hooks, retain_grad. Texts are PyTorch's. */
import { type DType, isFloating, scalarTypeName } from '../formats/dtype';
import { TorchError } from '../ops/record';
import type { Engine } from './engine';
import { pool } from './lifetime';
import { sameShape, sizesText } from './shape';
import type { Tensor } from './tensor';

const cppNames: Readonly<Record<DType, string>> = {
  float16: 'c10::Half',
  bfloat16: 'c10::BFloat16',
  float32: 'float',
  float64: 'double',
  int64: 'int64_t',
  int32: 'int',
  int16: 'int16_t',
  int8: 'int8_t',
  uint8: 'uint8_t',
  bool: 'bool',
};

/** t.grad = g. Errors: another device, shape or dtype. */
export function assignGrad(t: Tensor, grad: Tensor | null): void {
  if (grad !== null) {
    if (grad === t) throw new TorchError('RuntimeError', "can't assign Variable as its own grad");
    if (grad.device !== t.device) {
      throw new TorchError(
        'RuntimeError',
        `attempting to assign a gradient with device type '${grad.device}' to a tensor with device type '${t.device}'. Please ensure that the gradient and the tensor are on the same device`,
      );
    }
    if (grad.dtype !== t.dtype) {
      throw new TorchError(
        'RuntimeError',
        `attempting to assign a gradient with dtype '${cppNames[grad.dtype]}' to a tensor with grad_dtype '${scalarTypeName[t.dtype]}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they match.`,
      );
    }
    if (!sameShape(grad.shape, t.shape)) {
      throw new TorchError(
        'RuntimeError',
        `attempting to assign a gradient of size '${sizesText(grad.shape)}' to a tensor of size '${sizesText(t.shape)}'. Please ensure that the gradient and the tensor are the same size`,
      );
    }
  }
  t.setGrad(grad);
}

/** requires_grad_(). Errors: integer dtypes; a non-leaf set to false; an inference tensor. */
export function setRequiresGrad(engine: Engine, t: Tensor, requires: boolean): void {
  if (requires && !isFloating(t.dtype)) {
    throw new TorchError('RuntimeError', 'only Tensors of floating point dtype can require gradients');
  }
  if (!t.isLeaf) {
    if (requires) return;
    throw new TorchError(
      'RuntimeError',
      "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
    );
  }
  if (requires && t.inference && !engine.inferenceMode) {
    throw new TorchError(
      'RuntimeError',
      'Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.',
    );
  }
  t.requiresGradFlag = requires;
}

/** t.data: the same memory, no history, and a version counter of its own, so writes through it escape autograd's checks. */
export function dataOf(t: Tensor): Tensor {
  const data = t.alias();
  data.version = { n: 0 };
  data.inference = t.inference;
  return data;
}

/** t.data = source: memory, dtype and shape of `source`; history, hooks and version stay. */
export function setData(t: Tensor, source: Tensor): void {
  if (t.requiresGrad && !isFloating(source.dtype)) {
    throw new TorchError(
      'RuntimeError',
      'data set to a tensor that requires gradients must be floating point or complex dtype',
    );
  }
  t.setLayout(source);
  // The accumulator has noted dtype and shape for the gradient: the next graph gets a new one.
  t.accumulator = null;
}

/** Drops the history in place. Errors: a view. */
export function detachInPlace(t: Tensor): void {
  if (t.viewInfo !== null) {
    throw new TorchError(
      'RuntimeError',
      "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
    );
  }
  t.setGradFn(null, 0);
  t.requiresGradFlag = false;
}

export function retainGrad(t: Tensor): void {
  if (!t.requiresGrad) throw new TorchError('RuntimeError', "can't retain_grad on Tensor that has requires_grad=False");
  const { gradFn } = t;
  if (gradFn === null) return; // a leaf keeps its gradient anyway
  t.retainsGrad = true;
  gradFn.retained ??= [];
  gradFn.retained[t.outputNr] = t;
}

/** A hook on the gradient, called in order of registration before the gradient goes on. */
export function addHook(t: Tensor, id: number): void {
  if (!t.requiresGrad) {
    throw new TorchError('RuntimeError', "cannot register a hook on a tensor that doesn't require gradient");
  }
  const { gradFn } = t;
  if (gradFn === null) {
    t.hooks ??= [];
    t.hooks.push(id);
  } else {
    gradFn.preHooks ??= [];
    gradFn.preHooks.push({ nr: t.outputNr, id });
  }
}

export function addPostAccumulateHook(t: Tensor, id: number): void {
  if (!t.requiresGrad) {
    throw new TorchError('RuntimeError', "cannot register a hook on a tensor that doesn't require gradient");
  }
  if (!t.isLeaf)
    throw new TorchError('RuntimeError', 'post accumulate grad hooks cannot be registered on non-leaf tensors');
  t.postAccumulateHooks ??= [];
  t.postAccumulateHooks.push(id);
}

/** Removes a hook of either kind. No error if it is gone. */
export function removeHook(t: Tensor, id: number): void {
  for (const list of [t.hooks, t.postAccumulateHooks]) {
    const at = list?.indexOf(id) ?? -1;
    if (at >= 0) {
      list?.splice(at, 1);
      pool.releaseCallback(id);
    }
  }
  const { gradFn } = t;
  const at = gradFn?.preHooks?.findIndex((h) => h.id === id) ?? -1;
  if (at >= 0) {
    gradFn?.preHooks?.splice(at, 1);
    pool.releaseCallback(id);
  }
}
