/**
 * One optimizer step on one parameter as a single op: SGD, and Adam or AdamW. The arithmetic is, rounding by rounding, that of
 * PyTorch's single-tensor loops (torch/optim/sgd.py, adam.py), which run a dozen tensor ops; results are equal to the bit.
 *
 * Hyperparameters are doubles until they meet a tensor. For 16-bit parameters every tensor op rounds: `eps` = 1e-8 becomes 0 in
 * float16, and an element whose gradient has always been 0 turns into NaN (0 / 0), in PyTorch as here.
 */
import type { DType, HostTensor } from '../formats/dtype';
import { readElements, writeElements } from '../formats/host-elements';
import { addcdivFormula, addcmulFormula, addScaled, lerpFormula } from './arithmetic';
import { checkScalar, exactFloat32, exactHalf, noAutocast, rounder } from './elementwise';
import { type Attrs, defineOp, type OpRecord, type TensorSpec, TorchError } from './record';

/** The tensor operations of an update, one element at a time; each rounds to the dtype, as a tensor op stores its result. */
function operations(dtype: DType) {
  const round = rounder(dtype);
  const opmath = dtype === 'float64' ? (x: number) => x : Math.fround;
  return {
    /** a.add(b, alpha=alpha) */
    add(alpha: number): (a: number, b: number) => number {
      checkScalar(alpha, dtype);
      const formula = addScaled(dtype, alpha);
      return (a, b) => round(formula(a, b));
    },
    /** a.mul(number): the number is read in float32 */
    mul(factor: number): (a: number) => number {
      const scale = opmath(factor);
      return (a) => round(a * scale);
    },
    /** a / number */
    div(divisor: number): (a: number) => number {
      const by = opmath(divisor);
      return (a) => round(a / by);
    },
    /** a + number: the number is rounded to the dtype */
    addNumber(value: number): (a: number) => number {
      const other = round(value);
      return (a) => round(a + other);
    },
    lerp(weight: number): (a: number, b: number) => number {
      const formula = lerpFormula(dtype, opmath);
      const w = opmath(weight);
      return (a, b) => round(formula(a, b, w));
    },
    addcmul(value: number): (a: number, b: number, c: number) => number {
      const formula = addcmulFormula(dtype, value);
      return (a, b, c) => round(formula(a, b, c));
    },
    addcdiv(value: number): (a: number, b: number, c: number) => number {
      const formula = addcdivFormula(dtype, value);
      return (a, b, c) => round(formula(a, b, c));
    },
    sqrt: (a: number): number => round(Math.sqrt(a)),
  };
}

function sameAsParameter(name: string, inputs: readonly TensorSpec[]): void {
  const [param] = inputs;
  for (const input of inputs) {
    if (input.dtype !== param.dtype) {
      throw new TorchError(
        'RuntimeError',
        `${name}: the parameter is ${param.dtype}, but its gradient or state is ${input.dtype}. Optimizer state has the parameter's dtype.`,
      );
    }
    if (input.shape.length !== param.shape.length || input.shape.some((size, i) => size !== param.shape[i])) {
      throw new TorchError(
        'RuntimeError',
        `${name}: the parameter has shape [${param.shape.join(', ')}], but its gradient or state [${input.shape.join(', ')}].`,
      );
    }
  }
}

const fresh = (host: HostTensor): Float64Array => Float64Array.from(readElements(host));
const common: Pick<OpRecord, 'promotion' | 'gradient' | 'autocast' | 'tolerance'> = {
  promotion: 'same',
  gradient: 'not differentiable',
  autocast: noAutocast,
  tolerance: { half: exactHalf, float32: { ...exactFloat32, source: 'a fixed sequence of IEEE 754 operations' } },
};

export const sgdStep = defineOp({
  name: '_sgd_step',
  doc: 'One step of SGD: g += weight_decay * p; buf = momentum * buf + (1 - dampening) * g (the first step takes g itself); p -= lr * (g + momentum * buf if nesterov else buf). Gives (p, buf), or (p) when momentum is 0.',
  params:
    'param: Tensor, grad: Tensor, momentum_buffer: Tensor?, lr: float, momentum: float, dampening: float, weight_decay: float, nesterov: bool, maximize: bool',
  ...common,
  wgsl: { kind: 'kernel', kernel: 'sgd' },
  infer: (inputs, attrs) => {
    sameAsParameter('_sgd_step', inputs);
    return (attrs.momentum as number) !== 0 ? [inputs[0], inputs[0]] : [inputs[0]];
  },
  reference: ([param, grad, buffer], attrs) => {
    const { dtype } = param;
    const { lr, momentum, dampening, weight_decay: decay } = attrs as Record<string, number>;
    const op = operations(dtype);
    const p = fresh(param);
    const g = fresh(grad);
    const buf = buffer ? fresh(buffer) : null;
    const addDecay = op.add(decay);
    const shrink = op.mul(momentum);
    const blend = op.add(1 - dampening);
    const lookAhead = op.add(momentum);
    const descend = op.add(-lr);
    const buffers = new Float64Array(momentum !== 0 ? p.length : 0);
    for (let i = 0; i < p.length; i++) {
      let step = attrs.maximize ? -g[i] : g[i];
      if (decay !== 0) step = addDecay(step, p[i]);
      if (momentum !== 0) {
        buffers[i] = buf ? blend(shrink(buf[i]), step) : step;
        step = attrs.nesterov ? lookAhead(step, buffers[i]) : buffers[i];
      }
      p[i] = descend(p[i], step);
    }
    const updated = writeElements(dtype, p);
    return momentum !== 0 ? [updated, writeElements(dtype, buffers)] : [updated];
  },
  samples: [
    {
      inputs: [
        { shape: [3], values: [1, -0.5, 0.25] },
        { shape: [3], values: [0.1, 1, -2] },
        { shape: [3], values: [0.01, 0, 1] },
      ],
      attrs: {
        has_momentum_buffer: true,
        lr: 0.1,
        momentum: 0.9,
        dampening: 0,
        weight_decay: 0.01,
        nesterov: true,
        maximize: false,
      },
    },
    {
      inputs: [
        { shape: [2], values: [1, -0.5] },
        { shape: [2], values: [0.1, 1] },
      ],
      attrs: {
        has_momentum_buffer: false,
        lr: 0.1,
        momentum: 0,
        dampening: 0,
        weight_decay: 0,
        nesterov: false,
        maximize: true,
      },
    },
  ],
});

export const adamStep = defineOp({
  name: '_adam_step',
  doc: 'One step of Adam or (decoupled) AdamW: m = lerp(m, g, 1 - beta1); v = beta2 v + (1 - beta2) g^2; p -= step_size * m / (sqrt(v) / bias_correction2_sqrt + eps), with amsgrad from the running maximum of v. step_size = lr / (1 - beta1^t) and bias_correction2_sqrt = sqrt(1 - beta2^t) come from the caller in doubles. Gives (p, m, v) or (p, m, v, vmax).',
  params:
    'param: Tensor, grad: Tensor, exp_avg: Tensor, exp_avg_sq: Tensor, max_exp_avg_sq: Tensor?, lr: float, beta1: float, beta2: float, eps: float, weight_decay: float, step_size: float, bias_correction2_sqrt: float, decoupled: bool, maximize: bool',
  ...common,
  wgsl: { kind: 'kernel', kernel: 'adam' },
  infer: (inputs) => {
    sameAsParameter('_adam_step', inputs);
    return inputs.filter((_, i) => i !== 1);
  },
  reference: ([param, grad, expAvg, expAvgSq, maxExpAvgSq], attrs: Attrs) => {
    const { dtype } = param;
    const numbers = attrs as Record<string, number>;
    const { lr, beta1, beta2, eps, weight_decay: decay } = numbers;
    const op = operations(dtype);
    const p = fresh(param);
    const g = fresh(grad);
    const m = fresh(expAvg);
    const v = fresh(expAvgSq);
    const largest = maxExpAvgSq ? fresh(maxExpAvgSq) : null;
    const decayParameter = op.mul(1 - lr * decay);
    const decayGradient = op.add(attrs.decoupled ? 0 : decay);
    const average = op.lerp(1 - beta1);
    const shrink = op.mul(beta2);
    const addSquare = op.addcmul(1 - beta2);
    const correct = op.div(numbers.bias_correction2_sqrt);
    const addEps = op.addNumber(eps);
    const descend = op.addcdiv(-numbers.step_size);
    for (let i = 0; i < p.length; i++) {
      let gradient = attrs.maximize ? -g[i] : g[i];
      if (decay !== 0) {
        if (attrs.decoupled) p[i] = decayParameter(p[i]);
        else gradient = decayGradient(gradient, p[i]);
      }
      m[i] = average(m[i], gradient);
      v[i] = addSquare(shrink(v[i]), gradient, gradient);
      let second = v[i];
      if (largest) {
        if (!(largest[i] >= second)) largest[i] = Number.isNaN(largest[i]) ? largest[i] : second;
        second = largest[i];
      }
      p[i] = descend(p[i], m[i], addEps(correct(op.sqrt(second))));
    }
    return [p, m, v, ...(largest ? [largest] : [])].map((values) => writeElements(dtype, values));
  },
  samples: [false, true].map((amsgrad) => ({
    inputs: [
      { shape: [3], values: [1, -0.5, 0.25] },
      { shape: [3], values: [0.1, 1, -2] },
      { shape: [3], values: [0.01, 0, 0.5] },
      { shape: [3], values: [0.001, 0, 0.5] },
      ...(amsgrad ? [{ shape: [3], values: [0.002, 0, 0.25] }] : []),
    ],
    attrs: {
      has_max_exp_avg_sq: amsgrad,
      lr: 0.01,
      beta1: 0.9,
      beta2: 0.999,
      eps: 1e-8,
      weight_decay: 0.1,
      step_size: 0.01 / (1 - 0.9 ** 2),
      bias_correction2_sqrt: Math.sqrt(1 - 0.999 ** 2),
      decoupled: amsgrad,
      maximize: false,
    },
  })),
});
