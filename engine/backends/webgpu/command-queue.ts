/**
 * The device queue: consecutive dispatches go into one encoder and pass, their uniforms into one arena that is written once a
 * submit. Reads copy to pooled staging buffers and map them.
 */
import type { Block } from './memory';

/** One kernel call, ready for the device. */
export interface DeviceDispatch {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  /** Storage blocks in binding order (binding 0 is the uniform arena). */
  readonly blocks: readonly Block[];
  readonly uniforms: Uint32Array;
  readonly workgroups: readonly [number, number, number];
}

/** Every dispatch's uniforms fit one slot: minUniformBufferOffsetAlignment is at most 256. */
export const uniformSlotBytes = 256;
const slots = 1024;
/** A submit costs about 0.1 ms and starts the device working: often enough to overlap, rarely enough to be cheap. */
const dispatchesPerSubmit = 256;
const keptBindGroups = 4096;

export class CommandQueue {
  private encoder: GPUCommandEncoder | null = null;
  private pass: GPUComputePassEncoder | null = null;
  private readonly arena: GPUBuffer;
  private readonly uniforms = new Uint32Array((slots * uniformSlotBytes) / 4);
  private slot = 0;
  private readonly bindGroups = new Map<string, GPUBindGroup>();
  private readonly staging = new Map<number, GPUBuffer[]>();
  private layoutIds = new WeakMap<GPUBindGroupLayout, number>();
  private layoutCount = 0;
  /** The batch that commands recorded now will belong to. */
  batch = 1;
  /** Dispatches executed since the queue was made. */
  dispatches = 0;
  /** Dispatches submitted and not known to be done. */
  inFlight = 0;

  constructor(
    private readonly device: GPUDevice,
    /** After each submit: nothing unsubmitted refers to any buffer. */
    private readonly onSubmit: () => void,
  ) {
    // UNIFORM | COPY_DST
    this.arena = device.createBuffer({ size: slots * uniformSlotBytes, usage: 0x40 | 0x08 });
  }

  dispatch(d: DeviceDispatch): void {
    if (this.slot === slots) this.submit();
    const pass = this.openPass();
    const words = uniformSlotBytes / 4;
    if (d.uniforms.length > words) throw new Error(`webgpu: ${d.uniforms.length} uniform words, ${words} fit`);
    this.uniforms.set(d.uniforms, this.slot * words);
    pass.setPipeline(d.pipeline);
    pass.setBindGroup(0, this.bindGroup(d), [this.slot * uniformSlotBytes]);
    pass.dispatchWorkgroups(...d.workgroups);
    for (const block of d.blocks) block.batch = this.batch;
    this.slot++;
    this.dispatches++;
    if (this.slot >= dispatchesPerSubmit) this.submit();
  }

  /** Writes words to a block, after everything recorded before that uses it. */
  write(block: Block, words: Uint32Array<ArrayBuffer>): void {
    if (block.batch === this.batch) this.submit();
    this.device.queue.writeBuffer(block.buffer, 0, words);
  }

  /** Copies out the first `bytes` of each block, after everything recorded before. */
  async read(blocks: readonly Block[], bytes: readonly number[]): Promise<ArrayBuffer[]> {
    const encoder = this.openEncoder();
    const stages = blocks.map((block, i) => {
      const stage = this.takeStage(bytes[i]!);
      encoder.copyBufferToBuffer(block.buffer, 0, stage, 0, bytes[i]!);
      block.batch = this.batch;
      return stage;
    });
    this.submit();
    // All maps are requested before any is awaited: one round trip.
    await Promise.all(stages.map((stage, i) => stage.mapAsync(1, 0, bytes[i]!)));
    return stages.map((stage, i) => {
      const copy = stage.getMappedRange(0, bytes[i]!).slice(0);
      stage.unmap();
      this.giveStage(stage);
      return copy;
    });
  }

  submit(): void {
    if (!this.encoder) return;
    this.pass?.end();
    if (this.slot > 0)
      this.device.queue.writeBuffer(this.arena, 0, this.uniforms, 0, (this.slot * uniformSlotBytes) / 4);
    this.device.queue.submit([this.encoder.finish()]);
    const submitted = this.slot;
    this.inFlight += submitted;
    const done = () => {
      this.inFlight -= submitted;
    };
    if (submitted > 0) this.device.queue.onSubmittedWorkDone().then(done, done);
    this.encoder = null;
    this.pass = null;
    this.slot = 0;
    this.batch++;
    this.onSubmit();
  }

  async finish(): Promise<void> {
    this.submit();
    await this.device.queue.onSubmittedWorkDone();
  }

  forget(block: Block): void {
    for (const key of this.bindGroups.keys()) if (key.includes(`,${block.id},`)) this.bindGroups.delete(key);
  }

  destroy(): void {
    this.encoder = null;
    this.pass = null;
    this.bindGroups.clear();
    this.arena.destroy();
    for (const list of this.staging.values()) for (const stage of list) stage.destroy();
    this.staging.clear();
  }

  private bindGroup(d: DeviceDispatch): GPUBindGroup {
    let layoutId = this.layoutIds.get(d.layout);
    if (layoutId === undefined) {
      layoutId = this.layoutCount++;
      this.layoutIds.set(d.layout, layoutId);
    }
    let key = `${layoutId}:,`;
    for (const block of d.blocks) key += `${block.id},`;
    const cached = this.bindGroups.get(key);
    if (cached) return cached;
    if (this.bindGroups.size >= keptBindGroups) this.bindGroups.clear();
    const group = this.device.createBindGroup({
      layout: d.layout,
      entries: [
        { binding: 0, resource: { buffer: this.arena, size: uniformSlotBytes } },
        ...d.blocks.map((block, i) => ({ binding: i + 1, resource: { buffer: block.buffer } })),
      ],
    });
    this.bindGroups.set(key, group);
    return group;
  }

  private openEncoder(): GPUCommandEncoder {
    this.pass?.end();
    this.pass = null;
    this.encoder ??= this.device.createCommandEncoder();
    return this.encoder;
  }

  private openPass(): GPUComputePassEncoder {
    this.encoder ??= this.device.createCommandEncoder();
    this.pass ??= this.encoder.beginComputePass();
    return this.pass;
  }

  private takeStage(bytes: number): GPUBuffer {
    const size = Math.max(256, 2 ** Math.ceil(Math.log2(bytes)));
    // MAP_READ | COPY_DST
    return this.staging.get(size)?.pop() ?? this.device.createBuffer({ size, usage: 0x01 | 0x08 });
  }

  private giveStage(stage: GPUBuffer): void {
    const list = this.staging.get(stage.size) ?? [];
    if (list.length >= 4 || stage.size > 2 ** 26) stage.destroy();
    else this.staging.set(stage.size, [...list, stage]);
  }
}
