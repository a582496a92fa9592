/**
 * The WebGPU backend. `run` records; nothing blocks; order is kept.
 *
 * Each call becomes a step. A step that the device can take at once (a kernel, or a host step whose inputs already lie on the
 * host) runs immediately: kernels go into the open command encoder. A host step that needs a value from the device has to wait
 * for it, so it and everything after it wait in `pending`, which `drain` works off in order as the device answers.
 */
import { allocateHost, type DType, type HostData, type HostTensor, itemSize } from '../../formats/dtype';
import { writeElements } from '../../formats/host-elements';
import { type Attrs, type OpRecord, type TensorSpec, TorchError } from '../../ops/record';
import { copyPlan } from '../../ops/wgsl/copy';
import {
  type AdapterFacts,
  type Dispatch,
  isContiguous,
  type KernelPlan,
  numel,
  uniformWords,
} from '../../ops/wgsl/kernel';
import { familyOf, type KernelFamily, planFor } from '../../ops/wgsl/plan';
import type { Backend, Constant, DeviceBuffer, Operand, View } from '../backend';
import { WebGpuBuffer } from './buffer';
import { CommandQueue } from './command-queue';
import { copyHost, deviceBytes, fromDevice, hasDeviceForm, toDevice } from './layout';
import { type Block, formatBytes, MemoryPool } from './memory';
import { PipelineCache } from './pipelines';
import { gatherWindow, scatterWindow } from './strided-host';

interface OpStep {
  readonly kind: 'op';
  readonly record: OpRecord;
  readonly inputs: readonly Operand[];
  readonly attrs: Attrs;
  readonly specs: readonly TensorSpec[];
  readonly outputs: readonly WebGpuBuffer[];
  readonly plan: KernelPlan | null;
}
interface CopyStep {
  readonly kind: 'copy';
  readonly destination: View;
  readonly source: Operand;
  /** The destination is a fresh contiguous buffer. */
  readonly fresh: boolean;
  readonly plan: KernelPlan | null;
}
interface ReadStep {
  readonly kind: 'read';
  readonly buffer: WebGpuBuffer;
  readonly resolve: (data: HostData) => void;
  readonly reject: (error: unknown) => void;
}
type Step = OpStep | CopyStep | ReadStep;

export interface WebGpuOptions {
  /** Bytes of live tensors (as PyTorch counts them) above which allocation raises out of memory. Default 1 GiB. */
  readonly memoryLimit?: number;
  /** False: every op is a host step. For tests. */
  readonly kernels?: boolean;
}

export interface WebGpuStats {
  /** Kernel dispatches recorded. */
  readonly dispatches: number;
  /** Op calls served by the reference. */
  readonly hostSteps: number;
  /** Op calls by op name. */
  readonly byOp: ReadonlyMap<string, { readonly kernel: number; readonly host: number }>;
}

/** One GiB: an integrated GPU shares its memory with the browser, and a lost device costs the learner the session. */
const defaultMemoryLimit = 2 ** 30;
/** Back-pressure: dispatches submitted and unfinished, steps waiting for the device, bytes held only by waiting steps. */
const congestedDispatches = 4096;
const congestedSteps = 2048;
const congestedBytes = 2 ** 28;
/** Elements up to which the host copies faster than a dispatch and an upload would. */
const smallCopy = 4096;
/** Calls between two reads whose faults are remembered. */
const faultWords = 1024;

export class WebGpuBackend implements Backend {
  readonly name = 'webgpu';
  bytesInUse = 0;
  /** What the learner should know: ops that failed their self-test, errors that the device reported. */
  readonly notices: string[] = [];
  /** How the last `run` was planned: by kernels, or as a host step. */
  lastServedBy: 'webgpu' | 'host' = 'webgpu';
  /** What kernels may rely on beyond WGSL's promises; the self-test sets it. */
  adapter: AdapterFacts = { exactUnpack: false };
  /** Kernel families that the reference has to serve because they failed their self-test. */
  readonly distrusted = new Set<KernelFamily>();

  private readonly memory: MemoryPool;
  private readonly queue: CommandQueue;
  private readonly pipelines: PipelineCache;
  private readonly tables = new Map<string, Block>();
  private readonly memoryLimit: number;
  private readonly useKernels: boolean;
  private readonly counts = new Map<string, { kernel: number; host: number }>();
  private hostSteps = 0;
  private pending: Step[] = [];
  private heldBytes = 0;
  private draining: Promise<void> | null = null;
  private failure: unknown = null;
  private faults: Block | null = null;
  private expectedFaults: { readonly index: number; readonly error: (word: number) => Error }[] = [];
  private nextFault = 0;
  private lost: string | null = null;

  constructor(
    readonly device: GPUDevice,
    options: WebGpuOptions = {},
  ) {
    this.memoryLimit = options.memoryLimit ?? defaultMemoryLimit;
    this.useKernels = options.kernels ?? true;
    this.memory = new MemoryPool(device, (block) => this.queue.forget(block));
    this.queue = new CommandQueue(device, () => this.memory.trim());
    this.pipelines = new PipelineCache(device);
    device.lost.then((info) => {
      this.lost ??= info.message || info.reason || 'no reason given';
      for (const step of this.pending) if (step.kind === 'read') step.reject(this.lostError());
      this.pending = [];
    });
    device.onuncapturederror = (event) => {
      this.notices.push(`The GPU reported an error: ${event.error.message}`);
      this.failure ??= new TorchError('RuntimeError', `WebGPU error: ${event.error.message}`);
    };
  }

  get stats(): WebGpuStats {
    return { dispatches: this.queue.dispatches, hostSteps: this.hostSteps, byOp: this.counts };
  }

  get congested(): boolean {
    return (
      this.queue.inFlight > congestedDispatches ||
      this.pending.length > congestedSteps ||
      this.heldBytes > congestedBytes ||
      this.memory.allocatedBytes > 2 * this.memoryLimit
    );
  }

  allocate(dtype: DType, length: number): DeviceBuffer {
    const buffer = this.create(dtype, length);
    if (!hasDeviceForm(dtype) || length === 0) buffer.host = allocateHost(dtype, length);
    else buffer.onDevice = true; // uninitialised, as torch.empty
    return buffer;
  }

  upload(dtype: DType, data: HostData): DeviceBuffer {
    const buffer = this.create(dtype, data.length);
    buffer.host = copyHost(dtype, data);
    return buffer;
  }

  read(buffer: DeviceBuffer): HostData | Promise<HostData> {
    this.checkLost();
    const b = buffer as WebGpuBuffer;
    if (this.idle && this.failure === null && b.host) return copyHost(b.dtype, b.host);
    return new Promise((resolve, reject) => this.enqueue({ kind: 'read', buffer: b, resolve, reject }));
  }

  release(buffer: DeviceBuffer): void {
    const b = buffer as WebGpuBuffer;
    if (b.released) return;
    b.released = true;
    this.bytesInUse -= b.bytes;
    if (b.references > 1) this.heldBytes += b.bytes;
    this.unreference(b);
  }

  run(record: OpRecord, inputs: readonly Operand[], attrs: Attrs, specs: readonly TensorSpec[]): DeviceBuffer[] {
    this.checkLost();
    const outputs = specs.map((spec) => this.create(spec.dtype, numel(spec.shape)));
    const plan = this.plan(record, inputs, attrs, specs);
    this.lastServedBy = plan ? 'webgpu' : 'host';
    try {
      this.enqueue({ kind: 'op', record, inputs, attrs, specs, outputs, plan });
    } catch (error) {
      for (const output of outputs) this.release(output);
      throw error;
    }
    return outputs;
  }

  contiguous(view: View): DeviceBuffer {
    this.checkLost();
    const buffer = this.create(view.dtype, numel(view.shape));
    const destination: View = {
      buffer,
      dtype: view.dtype,
      shape: view.shape,
      strides: contiguousStrides(view.shape),
      offset: 0,
    };
    this.enqueue({
      kind: 'copy',
      destination,
      source: view,
      fresh: true,
      plan: this.planCopy(destination, view, true),
    });
    return buffer;
  }

  copyInto(destination: View, source: Operand): void {
    this.checkLost();
    if ('buffer' in source && source.buffer === destination.buffer) {
      // Overlapping windows: read everything before anything is written.
      const copy = this.contiguous(source);
      this.copyInto(destination, { ...source, buffer: copy, strides: contiguousStrides(source.shape), offset: 0 });
      this.release(copy);
      return;
    }
    const plan = this.planCopy(destination, source, false);
    this.enqueue({ kind: 'copy', destination, source, fresh: false, plan });
  }

  async finish(): Promise<void> {
    this.checkLost();
    if (this.draining) await this.draining;
    await this.queue.finish();
    if (this.expectedFaults.length > 0) {
      const [words] = await this.queue.read([this.faultBlock()], [4 * faultWords]);
      this.checkFaults(new Uint32Array(words));
    }
    this.checkLost();
    this.raiseFailure();
  }

  /** Compiles the kernels that these calls need, without running them. Calls that no kernel covers are ignored. */
  async warm(
    calls: readonly {
      record: OpRecord;
      inputs: readonly (TensorSpec | Constant)[];
      attrs: Attrs;
      outputs: readonly TensorSpec[];
    }[],
  ): Promise<void> {
    const dispatches: Dispatch[] = [];
    for (const call of calls) {
      const inputs = call.inputs.map((input) =>
        'constant' in input ? input : { ...input, strides: contiguousStrides(input.shape), offset: 0 },
      );
      const plan = this.useKernels ? planFor({ ...call, inputs, adapter: this.adapter }) : null;
      if (plan) dispatches.push(...plan.dispatches);
    }
    await Promise.all(dispatches.map((dispatch) => this.pipelines.warm(dispatch)));
  }

  /** Frees all device memory. */
  destroy(): void {
    this.lost ??= 'the session was closed';
    this.queue.destroy();
    this.memory.destroy();
    this.device.destroy();
  }

  // --- steps

  private get idle(): boolean {
    return this.pending.length === 0 && this.draining === null;
  }

  private enqueue(step: Step): void {
    if (this.idle && !this.mustWait(step)) {
      this.execute(step);
      return;
    }
    const waiting = asOfNow(step);
    for (const buffer of buffersOf(waiting)) buffer.references++;
    this.pending.push(waiting);
    this.draining ??= this.drain();
  }

  private async drain(): Promise<void> {
    // Let the recorder go on before the device is asked for anything: more work fits into one submit.
    await Promise.resolve();
    while (this.pending.length > 0) {
      const steps = this.pending;
      this.pending = [];
      for (let k = 0; k < steps.length; k++) {
        const step = steps[k];
        try {
          if (this.lost) throw this.lostError();
          const missing = this.missingOnHost(step);
          if (missing.length > 0) await this.fetch(missing);
          this.execute(step);
        } catch (error) {
          this.fail(step, error);
        }
        for (const buffer of buffersOf(step)) this.unreference(buffer);
      }
    }
    this.draining = null;
  }

  private mustWait(step: Step): boolean {
    return this.missingOnHost(step).length > 0;
  }

  /** Buffers whose value this step needs on the host and which are only on the device. */
  private missingOnHost(step: Step): WebGpuBuffer[] {
    if (step.kind === 'read') return step.buffer.host ? [] : [step.buffer];
    if (this.runsOnDevice(step)) return [];
    const needed: WebGpuBuffer[] = [];
    for (const operand of step.kind === 'op' ? step.inputs : [step.source]) {
      if ('buffer' in operand) needed.push(operand.buffer as WebGpuBuffer);
    }
    if (step.kind === 'copy' && !step.fresh) needed.push(step.destination.buffer as WebGpuBuffer);
    return needed.filter((buffer) => !buffer.host);
  }

  /** Whether kernels take this step, given where its values lie by now. */
  private runsOnDevice(step: OpStep | CopyStep): boolean {
    if (step.kind === 'op') {
      return step.plan !== null && step.inputs.every((input) => this.canBeOnDevice(input));
    }
    if (step.plan === null || !this.canBeOnDevice(step.source) || !this.canBeOnDevice(step.destination)) return false;
    // A small copy between values that the host holds is quicker there.
    const destination = step.destination.buffer as WebGpuBuffer;
    const sourceOnHost = !('buffer' in step.source) || (step.source.buffer as WebGpuBuffer).host !== null;
    const onHost = sourceOnHost && (step.fresh || destination.host !== null);
    return !(onHost && destination.length < smallCopy);
  }

  private canBeOnDevice(operand: Operand): boolean {
    if (!('buffer' in operand)) return true;
    const buffer = operand.buffer as WebGpuBuffer;
    if (!hasDeviceForm(buffer.dtype)) return false;
    if (buffer.onDevice || buffer.dtype !== 'int64' || !buffer.host) return true;
    return toDevice('int64', buffer.host) !== null;
  }

  private execute(step: Step): void {
    if (step.kind === 'read') {
      this.checkLost();
      if (this.failure !== null) {
        const failure = this.failure;
        this.failure = null;
        step.reject(failure);
        return;
      }
      step.resolve(copyHost(step.buffer.dtype, step.buffer.host!));
    } else if (step.kind === 'copy') this.executeCopy(step);
    else if (step.plan !== null && this.runsOnDevice(step)) this.executeKernels(step, step.plan);
    else this.executeOnHost(step);
  }

  private executeKernels(step: OpStep, plan: KernelPlan): void {
    this.count(step.record.name).kernel++;
    this.launch(plan, step.inputs, step.outputs);
  }

  private launch(plan: KernelPlan, inputs: readonly Operand[], outputs: readonly WebGpuBuffer[]): void {
    const faultIndex = plan.faults ? this.expectFault(plan.faults[0]) : 0;
    const temporaries = (plan.temporaries ?? []).map((bytes) => this.memory.take(bytes));
    for (const dispatch of plan.dispatches) {
      const blocks = dispatch.bindings.map(({ from, index }) => {
        if (from === 'input') return this.onDevice((inputs[index] as View).buffer as WebGpuBuffer);
        if (from === 'output') return this.deviceBlock(outputs[index]);
        if (from === 'fault') return this.faultBlock();
        return from === 'temporary' ? temporaries[index] : this.table(plan.tables![index]);
      });
      if (plan.faults) dispatch.uniforms[uniformWords - 1] = faultIndex;
      const { pipeline, layout } = this.pipelines.get(dispatch);
      this.queue.dispatch({
        pipeline,
        layout,
        blocks,
        uniforms: dispatch.uniforms,
        workgroups: typeof dispatch.workgroups === 'number' ? spread(dispatch.workgroups) : dispatch.workgroups,
      });
    }
    for (const output of outputs) {
      output.onDevice = true;
      output.host = null;
    }
    for (const block of temporaries) this.memory.give(block);
  }

  private executeCopy(step: CopyStep): void {
    const destination = step.destination.buffer as WebGpuBuffer;
    if (step.plan !== null && this.runsOnDevice(step)) {
      if (!step.fresh) this.onDevice(destination);
      this.launch(step.plan, [step.source], [destination]);
      return;
    }
    const source =
      'buffer' in step.source
        ? gatherWindow(step.source.dtype, this.hostOf(step.source.buffer as WebGpuBuffer), step.source)
        : writeElements(step.source.dtype, [step.source.constant]);
    if (step.fresh) destination.host = source;
    else {
      const data = copyHost(destination.dtype, this.hostOf(destination));
      scatterWindow(data, step.destination, source);
      destination.host = data;
    }
    destination.onDevice = false;
  }

  private executeOnHost(step: OpStep): void {
    this.hostSteps++;
    this.count(step.record.name).host++;
    const inputs = step.inputs.map((input) => this.hostTensor(input));
    const results = step.record.reference(inputs, step.attrs, step.specs);
    step.outputs.forEach((output, i) => {
      output.host = results[i];
      output.onDevice = false;
    });
  }

  /** An error that no caller is waiting for is raised at the next read; the outputs count as zeros. */
  private fail(step: Step, error: unknown): void {
    if (step.kind === 'read') {
      step.reject(this.lost ? this.lostError() : error);
      return;
    }
    this.failure ??= error;
    const buffers = step.kind === 'op' ? step.outputs : step.fresh ? [step.destination.buffer as WebGpuBuffer] : [];
    for (const buffer of buffers) if (!buffer.onDevice) buffer.host ??= allocateHost(buffer.dtype, buffer.length);
  }

  private raiseFailure(): void {
    if (this.failure === null) return;
    const failure = this.failure;
    this.failure = null;
    throw failure;
  }

  // --- values

  private hostTensor(operand: Operand): HostTensor {
    if (!('buffer' in operand)) {
      return { dtype: operand.dtype, shape: [], data: writeElements(operand.dtype, [operand.constant]) };
    }
    const data = this.hostOf(operand.buffer as WebGpuBuffer);
    const whole =
      operand.offset === 0 && numel(operand.shape) === data.length && isContiguous(operand.shape, operand.strides);
    return {
      dtype: operand.dtype,
      shape: operand.shape,
      data: whole ? data : gatherWindow(operand.dtype, data, operand),
    };
  }

  private hostOf(buffer: WebGpuBuffer): HostData {
    if (!buffer.host) throw new Error('webgpu: a host step ran before its input arrived');
    return buffer.host;
  }

  /** Reserves a word in which the next kernels may report a fault; it is looked at with the next read. */
  private expectFault(error: (word: number) => Error): number {
    if (this.expectedFaults.length === faultWords) this.expectedFaults.shift(); // beyond congestion; the newest matter
    const index = this.nextFault++ % faultWords;
    this.expectedFaults.push({ index, error });
    return index;
  }

  private faultBlock(): Block {
    if (!this.faults) {
      this.faults = this.memory.take(4 * faultWords);
      this.queue.write(this.faults, new Uint32Array(faultWords));
    }
    return this.faults;
  }

  private checkFaults(words: Uint32Array): void {
    for (const { index, error } of this.expectedFaults) if (words[index] !== 0) this.failure ??= error(words[index]);
    this.expectedFaults = [];
    if (words.some((word) => word !== 0)) this.queue.write(this.faults!, new Uint32Array(faultWords));
  }

  /** Brings values to the host, in one round trip. */
  private async fetch(buffers: readonly WebGpuBuffer[]): Promise<void> {
    const wanted = [...new Set(buffers)].filter((buffer) => !buffer.host);
    const blocks = wanted.map((buffer) => this.deviceBlock(buffer));
    const bytes = wanted.map((buffer) => deviceBytes(buffer.dtype, buffer.length));
    const checksFaults = this.expectedFaults.length > 0;
    if (checksFaults) {
      blocks.push(this.faultBlock());
      bytes.push(4 * faultWords);
    }
    const copies = await this.queue.read(blocks, bytes).catch((error: unknown) => {
      // mapAsync fails only when the device goes away (https://www.w3.org/TR/webgpu/#dom-gpubuffer-mapasync); this comes before `lost`.
      this.lost ??= error instanceof Error ? error.message : String(error);
      throw this.lostError();
    });
    if (checksFaults) this.checkFaults(new Uint32Array(copies[wanted.length]));
    wanted.forEach((buffer, i) => {
      buffer.host = fromDevice(buffer.dtype, copies[i], buffer.length);
    });
  }

  /** The block that holds the value, uploading it if only the host has it. */
  private onDevice(buffer: WebGpuBuffer): Block {
    const block = this.deviceBlock(buffer);
    if (!buffer.onDevice && buffer.host) {
      const words = toDevice(buffer.dtype, buffer.host);
      if (!words) throw new Error(`webgpu: ${buffer.dtype} value has no device form`);
      this.queue.write(block, words);
      buffer.onDevice = true;
    }
    return block;
  }

  private deviceBlock(buffer: WebGpuBuffer): Block {
    buffer.block ??= this.memory.take(deviceBytes(buffer.dtype, buffer.length));
    return buffer.block;
  }

  private table(table: { key: string; make: () => Uint32Array<ArrayBuffer> }): Block {
    let block = this.tables.get(table.key);
    if (!block) {
      const words = table.make();
      block = this.memory.take(words.byteLength);
      this.queue.write(block, words);
      this.tables.set(table.key, block);
    }
    return block;
  }

  // --- accounting

  private plan(
    record: OpRecord,
    inputs: readonly Operand[],
    attrs: Attrs,
    outputs: readonly TensorSpec[],
  ): KernelPlan | null {
    if (!this.useKernels || record.wgsl === 'host') return null;
    if (this.distrusted.size > 0 && this.distrusted.has(familyOf(record)!)) return null;
    if (outputs.some((spec) => !hasDeviceForm(spec.dtype) || numel(spec.shape) === 0)) return null;
    if (inputs.some((input) => 'buffer' in input && (!hasDeviceForm(input.dtype) || numel(input.shape) === 0)))
      return null;
    return planFor({ record, inputs, attrs, outputs, adapter: this.adapter });
  }

  private planCopy(destination: View, source: Operand, fresh: boolean): KernelPlan | null {
    if (!this.useKernels || this.distrusted.has('copy') || !hasDeviceForm(destination.dtype)) return null;
    return numel(destination.shape) === 0 ? null : copyPlan(destination, source, fresh);
  }

  private create(dtype: DType, length: number): WebGpuBuffer {
    this.checkLost();
    const bytes = length * itemSize[dtype];
    const limits = this.device.limits;
    const largest = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
    if (this.bytesInUse + bytes > this.memoryLimit || (hasDeviceForm(dtype) && deviceBytes(dtype, length) > largest)) {
      const free = Math.max(0, this.memoryLimit - this.bytesInUse);
      throw new TorchError(
        'RuntimeError',
        `CUDA out of memory. Tried to allocate ${formatBytes(bytes)}. GPU 0 has a total capacity of ${formatBytes(this.memoryLimit)} ` +
          `of which ${formatBytes(free)} is free. This process has ${formatBytes(this.bytesInUse)} memory in use. ` +
          `One tensor may have at most ${formatBytes(largest)} on this GPU.`,
      );
    }
    this.bytesInUse += bytes;
    return new WebGpuBuffer(dtype, length, bytes);
  }

  private unreference(buffer: WebGpuBuffer): void {
    buffer.references--;
    if (buffer.references > 0) return;
    if (buffer.released && buffer.block) {
      this.memory.give(buffer.block);
      buffer.block = null;
    }
    buffer.host = null;
  }

  private count(op: string): { kernel: number; host: number } {
    let entry = this.counts.get(op);
    if (!entry) {
      entry = { kernel: 0, host: 0 };
      this.counts.set(op, entry);
    }
    return entry;
  }

  private lostError(): TorchError {
    return new TorchError(
      'RuntimeError',
      `The GPU device was lost (${this.lost}). Everything on device="cuda" is gone; run the script again to start with a new device.`,
    );
  }

  private checkLost(): void {
    if (this.lost) throw this.lostError();
  }
}

/** Every buffer that a waiting step has to keep alive. */
/** The step with plain views: an operand may be a live tensor, whose buffer an in-place op replaces while the step waits. */
function asOfNow(step: Step): Step {
  if (step.kind === 'read') return step;
  if (step.kind === 'op') return { ...step, inputs: step.inputs.map(plainOperand) };
  return { ...step, destination: plainView(step.destination), source: plainOperand(step.source) };
}

const plainView = ({ buffer, dtype, shape, strides, offset }: View): View => ({
  buffer,
  dtype,
  shape,
  strides,
  offset,
});
const plainOperand = (operand: Operand): Operand => ('buffer' in operand ? plainView(operand) : operand);

function buffersOf(step: Step): WebGpuBuffer[] {
  if (step.kind === 'read') return [step.buffer];
  const operands = step.kind === 'op' ? step.inputs : [step.destination, step.source];
  const buffers = operands.flatMap((operand) => ('buffer' in operand ? [operand.buffer as WebGpuBuffer] : []));
  return step.kind === 'op' ? [...buffers, ...step.outputs] : buffers;
}

export function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

/** A grid of at least `count` workgroups: WebGPU allows 65,535 a dimension. */
function spread(count: number): [number, number, number] {
  const x = Math.min(count, 65535);
  return [x, Math.ceil(count / x), 1];
}
