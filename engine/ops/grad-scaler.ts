/** The two kernels of gradient scaling: torch._amp_foreach_non_finite_check_and_unscale_ for one gradient, and torch._amp_update_scale_. */
import { readElements, writeElements } from '../formats/host-elements';
import { exactFloat32, exactHalf, mapElements, noAutocast } from './elementwise';
import { defineOp, TorchError } from './record';

const tolerance = { half: exactHalf, float32: exactFloat32 };

export const checkAndUnscale = defineOp({
  name: '_amp_non_finite_check_and_unscale',
  doc: 'Gives (grad * inv_scale, found_inf): the product rounded to the dtype of grad, and 1 if an element of grad, before the product, is inf or NaN (else found_inf as it was). inv_scale 1 leaves grad as it is.',
  params: 'grad: Tensor, found_inf: Tensor, inv_scale: Tensor',
  promotion: 'same',
  infer: ([grad, foundInf, invScale]) => {
    if (foundInf.shape.length > 0 && foundInf.shape.some((size) => size !== 1)) {
      throw new TorchError('RuntimeError', 'found_inf must be a 1-element tensor.');
    }
    if (invScale.shape.some((size) => size !== 1)) {
      throw new TorchError('RuntimeError', 'inv_scale must be a 1-element tensor.');
    }
    if (foundInf.dtype !== 'float32') throw new TorchError('RuntimeError', 'found_inf must be a float tensor.');
    if (invScale.dtype !== 'float32') throw new TorchError('RuntimeError', 'inv_scale must be a float tensor.');
    return [grad, foundInf];
  },
  reference: ([grad, foundInf, invScale], _, [out]) => {
    const elements = readElements(grad);
    const inverse = readElements(invScale)[0];
    let found = readElements(foundInf)[0];
    for (let i = 0; i < elements.length && found !== 1; i++) if (!Number.isFinite(elements[i])) found = 1;
    // The whole gradient is multiplied even when it holds inf: scale 0 (inverse inf) turns finite gradients into inf unnoticed.
    const unscaled = inverse === 1 ? grad.data.slice() : mapElements([grad], out, (g) => g * inverse);
    return [unscaled, writeElements('float32', [found])];
  },
  wgsl: { kind: 'kernel', kernel: 'unscale' },
  gradient: 'not differentiable',
  autocast: noAutocast,
  tolerance,
  samples: [
    {
      inputs: [
        { shape: [3], values: [65536, -131072, 1] },
        { shape: [], values: [0], dtype: 'float32' },
        { shape: [], values: [2 ** -16], dtype: 'float32' },
      ],
    },
    {
      inputs: [
        { shape: [2, 2], values: [1, Infinity, Number.NaN, -1] },
        { shape: [], values: [0], dtype: 'float32' },
        { shape: [], values: [0.5], dtype: 'float32' },
      ],
    },
  ],
});

export const updateScale = defineOp({
  name: '_amp_update_scale',
  doc: 'Gives (scale, growth_tracker) after a step: with an inf found, scale * backoff_factor and 0; else, once growth_interval clean steps have passed in a row, scale * growth_factor (if finite) and 0; else the scale as it is and tracker + 1.',
  params:
    'scale: Tensor, growth_tracker: Tensor, found_inf: Tensor, growth_factor: float, backoff_factor: float, growth_interval: int',
  promotion: 'same',
  infer: ([scale, tracker, foundInf]) => {
    if (tracker.dtype !== 'int32') throw new TorchError('RuntimeError', 'growth_tracker must be an int tensor.');
    if (scale.dtype !== 'float32') throw new TorchError('RuntimeError', 'current_scale must be a float tensor.');
    if (foundInf.dtype !== 'float32') throw new TorchError('RuntimeError', 'found_inf must be a float tensor.');
    return [scale, tracker];
  },
  reference: ([scaleTensor, trackerTensor, foundInf], attrs) => {
    // Products are formed in double precision and rounded to float32 once. Backoff has no floor: the scale may reach 0.
    let scale = readElements(scaleTensor)[0];
    let tracker = readElements(trackerTensor)[0];
    if (readElements(foundInf)[0] !== 0) {
      scale = Math.fround(scale * (attrs.backoff_factor as number));
      tracker = 0;
    } else if (++tracker === (attrs.growth_interval as number)) {
      const grown = Math.fround(scale * (attrs.growth_factor as number));
      if (Number.isFinite(grown)) scale = grown;
      tracker = 0;
    }
    return [writeElements('float32', [scale]), Int32Array.of(tracker)];
  },
  wgsl: 'host',
  gradient: 'not differentiable',
  autocast: noAutocast,
  tolerance,
  samples: [0, 1].map((found) => ({
    inputs: [
      { shape: [], values: [65536], dtype: 'float32' as const },
      { shape: [], values: [1], dtype: 'int32' as const },
      { shape: [], values: [found], dtype: 'float32' as const },
    ],
    attrs: { growth_factor: 2, backoff_factor: 0.5, growth_interval: 2 },
  })),
});
