/** Compute pipelines by key, made on first use or ahead of it; bind-group layouts by access pattern. */
import type { Binding, Dispatch } from '../../ops/wgsl/kernel';
import { uniformSlotBytes } from './command-queue';

export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

export class PipelineCache {
  private readonly pipelines = new Map<string, Pipeline>();
  private readonly layouts = new Map<string, { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout }>();
  private readonly warming = new Map<string, Promise<void>>();

  constructor(private readonly device: GPUDevice) {}

  get(dispatch: Dispatch): Pipeline {
    const cached = this.pipelines.get(dispatch.key);
    if (cached) return cached;
    const { group, pipeline: layout } = this.layout(dispatch.bindings);
    const module = this.device.createShaderModule({ code: dispatch.source(), label: dispatch.key });
    const pipeline = this.device.createComputePipeline({
      layout,
      compute: { module, entryPoint: 'main' },
      label: dispatch.key,
    });
    const made = { pipeline, layout: group };
    this.pipelines.set(dispatch.key, made);
    return made;
  }

  /** Compiles without blocking; several compile at once. Raises the shader compiler's message. */
  warm(dispatch: Dispatch): Promise<void> {
    if (this.pipelines.has(dispatch.key)) return Promise.resolve();
    let promise = this.warming.get(dispatch.key);
    if (!promise) {
      const { group, pipeline: layout } = this.layout(dispatch.bindings);
      const module = this.device.createShaderModule({ code: dispatch.source(), label: dispatch.key });
      promise = this.device
        .createComputePipelineAsync({ layout, compute: { module, entryPoint: 'main' }, label: dispatch.key })
        .then((pipeline) => {
          if (!this.pipelines.has(dispatch.key)) this.pipelines.set(dispatch.key, { pipeline, layout: group });
        })
        .finally(() => this.warming.delete(dispatch.key));
      this.warming.set(dispatch.key, promise);
    }
    return promise;
  }

  private layout(bindings: readonly Binding[]) {
    const key = bindings.map((b) => b.access[4] ?? 'r').join('');
    const cached = this.layouts.get(key);
    if (cached) return cached;
    const group = this.device.createBindGroupLayout({
      entries: [
        {
          binding: 0,
          visibility: 4, // COMPUTE
          buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: uniformSlotBytes },
        },
        ...bindings.map(
          (b, i): GPUBindGroupLayoutEntry => ({
            binding: i + 1,
            visibility: 4,
            buffer: { type: b.access === 'read' ? 'read-only-storage' : 'storage' },
          }),
        ),
      ],
    });
    const made = { group, pipeline: this.device.createPipelineLayout({ bindGroupLayouts: [group] }) };
    this.layouts.set(key, made);
    return made;
  }
}
