/**
 * How an op call becomes a backend run: autocast, type promotion, shape inference, the run itself, the autograd node, the trace event.
 * Tiny ops dominate a learner's program, so the path for "same dtype, no autocast, no grad" allocates little.
 */
import type { Backend, DeviceBuffer, Operand } from '../backends/backend';
import { type DType, isFloating, isHalf, scalarTypeName } from '../formats/dtype';
import { canCast, type PromotionOperand, resultType } from '../formats/promotion';
import { checkScalar } from '../ops/elementwise';
import { type Attrs, type OpRecord, opTable, type TensorSpec, TorchError } from '../ops/record';
import { deviceText } from './dtype-names';
import type { Engine } from './engine';
import { derivativeNotImplemented } from './grad-names';
import { intervene, meetInFloat32 } from './intervention';
import { OpNode } from './op-node';
import { contiguousStrides, hasInternalOverlap, sameShape, sizesText } from './shape';
import { type Device, type Input, NumberOperand, Storage, Tensor } from './tensor';
import { attach, rebaseHistory } from './view-autograd';

/** An op ready to call: the record and what can be known of it once. */
export interface Plan {
  readonly record: OpRecord;
  /** Names of the inputs, for device messages. A `Tensor[]` has one name for all its members. */
  readonly inputNames: readonly string[];
  readonly differentiable: boolean;
}

const plans = new Map<string, Plan>();

/** The plan of a registered op. An unknown name is a mistake of ours, not the learner's. */
export function planOf(name: string): Plan {
  const known = plans.get(name);
  if (known !== undefined) return known;
  const record = opTable.get(name);
  if (record === undefined) throw new TorchError('NotImplementedError', `torch.${name} is not supported here`);
  const inputNames = record.params
    .split(',')
    .map((p) => p.split(':').map((s) => s.trim()))
    .filter(([, kind]) => kind !== undefined && /^(Tensor|Operand)/.test(kind))
    .map(([n]) => n);
  const plan = { record, inputNames, differentiable: record.gradient !== 'not differentiable' };
  plans.set(name, plan);
  return plan;
}

/** What ran: fresh buffers with their specs, and the attrs after autocast. */
interface Ran {
  readonly buffers: DeviceBuffer[];
  readonly specs: readonly TensorSpec[];
  /** What ran it, for the trace. */
  readonly servedBy: 'cpu' | 'webgpu' | 'host';
}

/** Runs an op out of place. */
export function call(engine: Engine, plan: Plan, inputs: readonly Input[], attrs: Attrs): Tensor[] {
  const device = commonDevice(plan, inputs);
  const { tracer } = engine;
  const nth = tracer.on ? tracer.enter() : 0;
  let widened = false;
  if (tracer.on && tracer.intervention !== null) {
    const { at, change } = tracer.intervention;
    if (at === nth) {
      inputs = intervene(engine, change, inputs);
      tracer.intervened = widened = change === 'float32';
    } else if (tracer.intervened) inputs = meetInFloat32(engine, plan, inputs);
  }
  let note: string | undefined;
  if (!widened && !engine.autocastPaused && engine.autocast.isActiveFor(device)) {
    const decision = engine.autocast.apply(plan.record, device, inputs, attrs);
    if (decision !== null) ({ inputs, attrs, note } = decision);
  }
  if (plan.record.refusesGrad !== undefined && engine.gradEnabled) checkRefusedGrad(plan, inputs, attrs);
  const backend = engine.backends[device];
  const { buffers, specs, servedBy } = run(engine, backend, device, plan, inputs, attrs);
  const outputs = new Array<Tensor>(buffers.length);
  for (let i = 0; i < buffers.length; i++) outputs[i] = fresh(engine, backend, buffers[i], specs[i].shape, device);
  if (engine.gradEnabled && plan.differentiable && anyRequiresGrad(inputs)) {
    const node = new OpNode(engine, plan.record, attrs, inputs, null, outputs);
    node.line = tracer.line;
    for (let i = 0; i < outputs.length; i++) {
      if (isFloating(outputs[i].dtype)) outputs[i].setGradFn(node, i);
    }
  } else if (engine.gradEnabled && !engine.autocastPaused && derivativeNotImplemented.has(plan.record.name)) {
    // (Inside a gradient formula such an op is a step function, whose derivative is zero.)
    const floats = inputs.filter((x): x is Tensor => x instanceof Tensor);
    attach(engine, outputs[0], 'NotImplemented', floats, () => {
      throw new TorchError('RuntimeError', `derivative for aten::${plan.record.name} is not implemented`);
    });
  }
  if (tracer.on) tracer.record(plan.record, inputs, outputs, servedBy, note, nth);
  return outputs;
}

/** A loss's weight, say, must not require grad: PyTorch raises in the forward. */
function checkRefusedGrad({ record, inputNames }: Plan, inputs: readonly Input[], attrs: Attrs): void {
  const present = inputNames.filter((name) => attrs[`has_${name}`] !== false);
  const { name: functionName, inputs: refused } = record.refusesGrad!;
  for (const name of refused) {
    const x = inputs[present.indexOf(name)];
    if (x instanceof Tensor && x.requiresGrad) {
      throw new TorchError(
        'RuntimeError',
        `The function '${functionName}' is not differentiable with respect to argument '${name}'. This input cannot have requires_grad True.`,
      );
    }
  }
}

/** Runs an op and stores its first result in `inputs[0]`, as `add_` does. Autocast leaves in-place ops alone. */
export function callInPlace(engine: Engine, plan: Plan, inputs: readonly Input[], attrs: Attrs): Tensor {
  const target = inputs[0];
  if (!(target instanceof Tensor)) throw new Error(`${plan.record.name}_: the target must be a tensor`);
  const device = commonDevice(plan, inputs);
  if (device !== target.device) throw differentDevices(device, target.device);
  const requires = engine.gradEnabled && anyRequiresGrad(inputs);
  checkInPlace(engine, target, requires);
  const backend = engine.backends[device];
  const { buffers, specs, servedBy } = run(engine, backend, device, plan, inputs, attrs, target);
  const [spec] = specs;
  let buffer = buffers[0];
  if (spec.dtype !== target.dtype) {
    const converted = castBuffer(backend, buffer, spec, target.dtype);
    backend.release(buffer);
    buffer = converted;
  }
  let node: OpNode | null = null;
  if (requires && plan.differentiable && isFloating(target.dtype)) {
    try {
      node = new OpNode(engine, plan.record, attrs, inputs, target, null);
    } catch (error) {
      backend.release(buffer);
      throw error;
    }
  }
  store(target, buffer);
  if (node !== null) {
    node.addOutput(target);
    rebaseHistory(engine, target, node);
    node.saveOutputs([target]);
  }
  const { tracer } = engine;
  if (tracer.on) tracer.record(plan.record, inputs, [target], servedBy, undefined, tracer.enter(), true);
  return target;
}

/**
 * Runs an op that isn't differentiable and stores output i in `targets[i]`: optimizer steps and the scaler's kernels, which write several
 * tensors at once. Autocast leaves such ops alone.
 */
export function callInto(
  engine: Engine,
  plan: Plan,
  inputs: readonly Input[],
  attrs: Attrs,
  targets: readonly Tensor[],
): void {
  const device = commonDevice(plan, inputs);
  for (const target of targets) {
    if (device !== target.device) throw differentDevices(device, target.device);
    checkInPlace(engine, target, engine.gradEnabled && target.requiresGrad);
  }
  const backend = engine.backends[device];
  const { buffers, specs, servedBy } = run(engine, backend, device, plan, inputs, attrs);
  if (buffers.length !== targets.length) {
    throw new Error(`${plan.record.name}: ${buffers.length} outputs for ${targets.length} targets`);
  }
  for (let i = 0; i < targets.length; i++) {
    if (specs[i].dtype !== targets[i].dtype || !sameShape(specs[i].shape, targets[i].shape)) {
      throw new Error(
        `${plan.record.name}: output ${i} is ${specs[i].dtype} ${sizesText(specs[i].shape)}, unlike its target`,
      );
    }
    store(targets[i], buffers[i]);
  }
  const { tracer } = engine;
  if (tracer.on) tracer.record(plan.record, inputs, targets, servedBy, undefined, tracer.enter(), true);
}

/** Puts a fresh contiguous buffer's contents into a tensor and counts the write. */
export function store(target: Tensor, buffer: DeviceBuffer): void {
  const backend = target.storage.backend;
  if (target.coversStorage) target.storage.swap(buffer);
  else {
    const source = {
      buffer,
      dtype: target.dtype,
      shape: target.shape,
      strides: contiguousStrides(target.shape),
      offset: 0,
    };
    backend.copyInto(target, source);
    backend.release(buffer);
  }
  target.version.n++;
}

/** The errors of writing in place to a tensor that autograd watches (torch/csrc/autograd/VariableTypeUtils.h, check_inplace). */
export function checkInPlace(engine: Engine, target: Tensor, requires: boolean): void {
  if (target.inference && !engine.inferenceMode) {
    throw new TorchError(
      'RuntimeError',
      'Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.',
    );
  }
  const { writeProtection } = target.storage;
  if (writeProtection !== null) throw new TorchError('NotImplementedError', writeProtection);
  if (!target.contiguous && hasInternalOverlap(target.shape, target.strides)) {
    throw new TorchError(
      'RuntimeError',
      'unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.',
    );
  }
  if (!requires) return;
  const view = target.viewInfo;
  if (view !== null) {
    if (view.creation === 'no_grad') {
      throw new TorchError(
        'RuntimeError',
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).",
      );
    }
    if (view.creation === 'multi_output') {
      const { gradFn } = target;
      const written =
        gradFn === null
          ? 'A view was created in no_grad mode and is being modified inplace with grad mode enabled.'
          : `Output ${view.outputNr} of ${gradFn.name.replace(/Backward\d+$/, '')} is a view and is being modified inplace.`;
      throw new TorchError(
        'RuntimeError',
        `${written} This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.`,
      );
    }
    if (target.requiresGrad && view.base.isLeaf) {
      throw new TorchError(
        'RuntimeError',
        'a view of a leaf Variable that requires grad is being used in an in-place operation.',
      );
    }
  }
  if (target.requiresGradFlag && target.isLeaf) {
    throw new TorchError('RuntimeError', 'a leaf Variable that requires grad is being used in an in-place operation.');
  }
}

export function fresh(
  engine: Engine,
  backend: Backend,
  buffer: DeviceBuffer,
  shape: readonly number[],
  device: Device,
): Tensor {
  const t = new Tensor(new Storage(backend, buffer), buffer.dtype, shape, contiguousStrides(shape), 0, device, {
    n: 0,
  });
  if (engine.inferenceMode) t.inference = true;
  return t;
}

export function anyRequiresGrad(inputs: readonly Input[]): boolean {
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    if (x instanceof Tensor && x.requiresGrad) return true;
  }
  return false;
}

const differentDevices = (a: Device, b: Device): TorchError =>
  new TorchError(
    'RuntimeError',
    `Expected all tensors to be on the same device, but found at least two devices, ${deviceText(a)} and ${deviceText(b)}!`,
  );

/** The device that the op runs on. Elementwise ops (those that promote) let a 0-dim cpu tensor meet cuda tensors, like a number. */
function commonDevice(plan: Plan, inputs: readonly Input[]): Device {
  let device: Device | null = null;
  let mixed = false;
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    if (!(x instanceof Tensor) || x.device === device) continue;
    if (device === null) device = x.device;
    else mixed = true;
  }
  if (!mixed) return device ?? 'cpu';
  if (plan.record.promotion !== 'same') {
    for (const x of inputs) {
      if (x instanceof Tensor && x.device === 'cpu' && x.shape.length > 0) {
        throw differentDevices('cuda', 'cpu');
      }
    }
    return 'cuda';
  }
  const first = inputs.find((y) => y instanceof Tensor) as Tensor;
  const at = inputs.findIndex((y) => y instanceof Tensor && y.device !== first.device);
  const odd = inputs[at] as Tensor;
  const name = plan.inputNames[Math.min(at, plan.inputNames.length - 1)];
  throw new TorchError(
    'RuntimeError',
    `Expected all tensors to be on the same device, but got ${name} is on ${deviceText(odd.device)}, different from other tensors on ${deviceText(first.device)} (when checking argument in method wrapper_CUDA_${plan.record.name})`,
  );
}

/** Promotion, inference and the run. Nothing here is seen by autograd: the node keeps the inputs as the caller gave them. */
function run(
  engine: Engine,
  backend: Backend,
  device: Device,
  plan: Plan,
  inputs: readonly Input[],
  attrs: Attrs,
  target?: Tensor,
): Ran {
  const { record } = plan;
  record.validate?.(inputs, attrs);
  const n = inputs.length;
  const operands = new Array<Operand>(n);
  const specs = new Array<TensorSpec>(n);
  let temporaries: DeviceBuffer[] | null = null;
  if (record.promotion === 'same') {
    const first = inputs.find((x) => x instanceof Tensor);
    for (let i = 0; i < n; i++) {
      const x = inputs[i];
      if (x instanceof Tensor) {
        operands[i] = x;
        specs[i] = x;
      } else {
        if (record.scalarOperand === 'checked' && first !== undefined) checkScalar(x.value, first.dtype);
        const promoted = resultTypeOfNumber(x, first?.dtype, engine.defaultDtype);
        const dtype = record.scalarOperand === 'float32' && isHalf(promoted) ? 'float32' : promoted;
        operands[i] = { constant: x.value, dtype };
        specs[i] = { dtype, shape: x.shape };
      }
    }
  } else {
    const common = commonDtype(engine, record, inputs);
    for (let i = 0; i < n; i++) {
      const x = inputs[i];
      if (record.promotes !== undefined && !record.promotes.includes(i)) {
        if (!(x instanceof Tensor)) throw new Error(`${record.name}: input ${i} must be a tensor`);
        operands[i] = x.device === device ? x : readScalar(engine, x);
        specs[i] = x;
        continue;
      }
      // A one-element operand on the right may keep float32's precision beside 16-bit tensors.
      const wide = i > 0 && record.scalarOperand === 'float32' && isHalf(common) && x.shape.every((size) => size === 1);
      if (x instanceof Tensor) {
        const dtype = wide && x.dtype !== common ? 'float32' : common;
        if (x.dtype === dtype && x.device === device) operands[i] = x;
        else if (x.device !== device) operands[i] = { ...readScalar(engine, x), dtype };
        else {
          const buffer = castView(backend, x, dtype);
          (temporaries ??= []).push(buffer);
          operands[i] = { buffer, dtype, shape: x.shape, strides: contiguousStrides(x.shape), offset: 0 };
        }
        specs[i] = x.dtype === common ? x : { dtype: common, shape: x.shape };
      } else {
        if (i > 0 && record.scalarOperand === 'checked') checkScalar(x.value, common);
        operands[i] = { constant: x.value, dtype: wide ? 'float32' : common };
        specs[i] = { dtype: common, shape: x.shape };
      }
    }
  }
  try {
    const outputs = record.infer(specs, attrs);
    if (target !== undefined) checkFits(outputs[0], target);
    const buffers = backend.run(record, operands, attrs, outputs);
    return { buffers, specs: outputs, servedBy: backend.lastServedBy ?? backend.name };
  } finally {
    if (temporaries !== null) for (const buffer of temporaries) backend.release(buffer);
  }
}

/** Whether an in-place op's result may go into its target. */
function checkFits(result: TensorSpec, target: Tensor): void {
  if (!sameShape(result.shape, target.shape)) {
    throw new TorchError(
      'RuntimeError',
      `output with shape ${sizesText(target.shape)} doesn't match the broadcast shape ${sizesText(result.shape)}`,
    );
  }
  if (!canCast(result.dtype, target.dtype)) {
    throw new TorchError(
      'RuntimeError',
      `result type ${scalarTypeName[result.dtype]} can't be cast to the desired output type ${scalarTypeName[target.dtype]}`,
    );
  }
}

/** A 0-dim cpu tensor as a constant (the cpu backend answers reads at once). */
function readScalar(engine: Engine, x: Tensor): { constant: number; dtype: DType } {
  return { constant: engine.readNow(x)[0], dtype: x.dtype };
}

function resultTypeOfNumber(x: NumberOperand, tensorDtype: DType | undefined, defaultDtype: DType): DType {
  if (tensorDtype === undefined) return x.kind === 'float' ? defaultDtype : x.dtype;
  const operands: PromotionOperand[] = [
    { dtype: tensorDtype, dim: 1 },
    { dtype: x.dtype, dim: 0, wrapped: true },
  ];
  return resultType(operands, defaultDtype);
}

const category = (d: DType): number => (isFloating(d) ? 2 : d === 'bool' ? 0 : 1);

function commonDtype(engine: Engine, record: OpRecord, inputs: readonly Input[]): DType {
  let common: DType | null = null;
  let simple = true;
  for (let i = 0; i < inputs.length && simple; i++) {
    if (record.promotes !== undefined && !record.promotes.includes(i)) continue;
    const x = inputs[i];
    if (!(x instanceof Tensor)) continue;
    if (common === null) common = x.dtype;
    else if (common !== x.dtype) simple = false;
  }
  if (simple && common !== null) {
    // Numbers don't matter unless their category is higher than the tensors'.
    const rank = category(common);
    for (let i = 0; i < inputs.length && simple; i++) {
      const x = inputs[i];
      if (x instanceof NumberOperand && category(x.dtype) > rank) simple = false;
    }
  }
  if (!simple || common === null) {
    const operands: PromotionOperand[] = [];
    for (let i = 0; i < inputs.length; i++) {
      if (record.promotes !== undefined && !record.promotes.includes(i)) continue;
      const x = inputs[i];
      operands.push({ dtype: x.dtype, dim: x.shape.length, wrapped: x instanceof NumberOperand });
    }
    common = resultType(operands, engine.defaultDtype);
  }
  return record.promotion === 'promote-float' && !isFloating(common) ? engine.defaultDtype : common;
}

/** A contiguous copy of a view in another dtype. */
export function castView(backend: Backend, view: Tensor, dtype: DType): DeviceBuffer {
  const { record } = planOf('_to_copy');
  return backend.run(record, [view], { dtype }, [{ dtype, shape: view.shape }])[0];
}

function castBuffer(backend: Backend, buffer: DeviceBuffer, spec: TensorSpec, dtype: DType): DeviceBuffer {
  const { record } = planOf('_to_copy');
  const view = { buffer, dtype: spec.dtype, shape: spec.shape, strides: contiguousStrides(spec.shape), offset: 0 };
  return backend.run(record, [view], { dtype }, [{ dtype, shape: spec.shape }])[0];
}
