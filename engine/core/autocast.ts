/**
 * Autocast: which dtype an op's inputs are cast to before it runs. The policies are PyTorch's (aten/src/ATen/autocast_mode.h); each
 * op record names its own for "cpu" and "cuda".
 */
import { type DType, isFloating } from '../formats/dtype';
import { type Attrs, type OpRecord, TorchError } from '../ops/record';
import { pool } from './lifetime';
import { type Device, type Input, Tensor } from './tensor';

/** aten/src/ATen/autocast_mode.cpp, binary_cross_entropy_banned. */
const bannedText =
  'torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n' +
  'Many models use a sigmoid layer right before the binary cross entropy layer.\n' +
  'In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n' +
  'or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n' +
  'safe to autocast.';

interface DeviceState {
  enabled: boolean;
  dtype: DType;
}

/** What autocast did to one call, for the trace. */
export interface Decision {
  readonly inputs: readonly Input[];
  readonly attrs: Attrs;
  /** "lower_precision_fp: float32 -> float16", or undefined where nothing was cast. */
  readonly note: string | undefined;
}

/** A floating tensor of the device, and not float64, which autocast never touches. */
const isEligible = (x: Input, device: Device): x is Tensor =>
  x instanceof Tensor && x.device === device && x.dtype !== 'float64' && isFloating(x.dtype);

export class Autocast {
  readonly state: Readonly<Record<Device, DeviceState>> = {
    cpu: { enabled: false, dtype: 'bfloat16' },
    cuda: { enabled: false, dtype: 'float16' },
  };
  cacheEnabled = true;
  private nesting = 0;
  /**
   * Casts of float32 leaves (weights), so that a weight used twice is cast once. Keyed by tensor alone: an in-place edit, or an inner
   * region of another dtype, meets the first cast, as in PyTorch.
   */
  private readonly cache = new Map<Tensor, Tensor>();

  /** `cast` is the differentiable cast, run with autograd on even under no_grad when its result is to be cached. */
  constructor(private readonly cast: (t: Tensor, dtype: DType, forceGrad: boolean) => Tensor) {}

  isActiveFor(device: Device): boolean {
    return this.state[device].enabled;
  }

  incrementNesting(): number {
    return ++this.nesting;
  }

  /** Leaving the outermost region clears the cache. */
  decrementNesting(): number {
    if (--this.nesting === 0) this.clearCache();
    return this.nesting;
  }

  clearCache(): void {
    for (const [source, casted] of this.cache) {
      pool.release(source);
      pool.release(casted);
    }
    this.cache.clear();
  }

  /** Applies `record`'s policy on `device`. */
  apply(record: OpRecord, device: Device, inputs: readonly Input[], attrs: Attrs): Decision | null {
    const policy = record.autocast[device];
    if (policy === 'none') return null;
    if (policy === 'banned') throw new TorchError('RuntimeError', bannedText);
    const lower = this.state[device].dtype;
    if (policy === 'fp32_set_opt_dtype') {
      // The op gets dtype=float32 and casts as it reads; an explicit dtype wins.
      const first = inputs.find((x) => x instanceof Tensor);
      if (first === undefined || !isEligible(first, device) || (attrs.dtype !== undefined && attrs.dtype !== null))
        return null;
      return { inputs, attrs: { ...attrs, dtype: 'float32' }, note: `${policy}: dtype=float32` };
    }
    const target =
      policy === 'lower_precision_fp' ? lower : policy === 'fp32' ? 'float32' : widest(inputs, device, lower);
    return this.castAll(inputs, attrs, device, target, policy);
  }

  private castAll(
    inputs: readonly Input[],
    attrs: Attrs,
    device: Device,
    target: DType,
    policy: string,
  ): Decision | null {
    let result: Input[] | null = null;
    let note = '';
    for (let i = 0; i < inputs.length; i++) {
      const x = inputs[i];
      if (!isEligible(x, device) || x.dtype === target) continue;
      result ??= [...inputs];
      result[i] = this.cachedCast(x, target, device);
      if (note === '') note = `${policy}: ${x.dtype} -> ${target}`;
    }
    return result === null ? null : { inputs: result, attrs, note };
  }

  private cachedCast(x: Tensor, target: DType, device: Device): Tensor {
    const cacheable =
      this.cacheEnabled &&
      target === this.state[device].dtype &&
      x.dtype === 'float32' &&
      x.requiresGradFlag &&
      x.viewInfo === null &&
      x.isLeaf;
    if (!cacheable) return this.cast(x, target, false);
    const known = this.cache.get(x);
    if (known !== undefined) return known;
    const casted = this.cast(x, target, true);
    x.refs++;
    casted.refs++;
    this.cache.set(x, casted);
    return casted;
  }
}

/** The 'promote' policy's dtype: float32 if any input is, else the lower dtype (at::autocast::promote_type). */
function widest(inputs: readonly Input[], device: Device, lower: DType): DType {
  let current: DType = lower;
  for (const x of inputs) {
    if (!isEligible(x, device)) continue;
    if (current === 'float32' || x.dtype === 'float32') current = 'float32';
    else if (x.dtype !== lower)
      throw new TorchError('RuntimeError', 'Unexpected floating ScalarType in at::autocast::prioritize');
  }
  return current;
}
