/** Runs in Chromium: the op table and PyTorch's goldens on the WebGPU backend, with what was really dispatched. */
import { createWebGpuBackend, type WebGpuBackend } from '@/engine/backends/webgpu';
import { type DType, type HostTensor, isHalf } from '@/engine/formats/dtype';
import '@/engine/ops';
import { type OpRecord, opTable, type TensorSpec, TorchError } from '@/engine/ops/record';
import { byReference, firstDifference, inputForms, onDevice, tensor } from '../unit/webgpu/calls';

export interface Outcome {
  readonly name: string;
  /** Empty where every bit is right. */
  readonly difference: string;
  /** Kernel dispatches that the call took. */
  readonly kernels: number;
  /** The record names a kernel. */
  readonly claimed: boolean;
}

export interface GpuReport {
  readonly adapter: string;
  readonly notices: readonly string[];
  readonly selfTest: readonly { readonly family: string; readonly fault: string }[];
  readonly opTable: readonly Outcome[];
  readonly goldens: readonly Outcome[];
  /** Dispatches over the whole run. */
  readonly dispatches: number;
}

async function runOpTable(backend: WebGpuBackend): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const record of opTable.values())
    for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
      let difference = '';
      let kernels = 0;
      let calls = 0;
      for (const [index, sample] of record.samples.entries()) {
        const inputs = sample.inputs.map(
          (input): HostTensor => tensor(input.dtype ?? dtype, input.shape, input.values),
        );
        const attrs = sample.attrs ?? {};
        let outputs: readonly TensorSpec[];
        let expected: ReturnType<typeof byReference>;
        try {
          outputs = record.infer(inputs, attrs);
          expected = byReference(record, inputs, attrs, outputs);
        } catch (error) {
          if (error instanceof TorchError) continue; // not defined for this dtype
          throw error;
        }
        calls++;
        for (const form of inputForms(inputs)) {
          const got = await onDevice(backend, record, form, attrs, outputs);
          kernels += got.kernels;
          got.results.forEach((result, k) => {
            const ulp = isHalf(outputs[k].dtype)
              ? record.tolerance.half.ulp
              : Math.max(record.tolerance.float32.ulp, 1);
            const found = firstDifference(outputs[k].dtype, result, expected[k], ulp);
            if (found && !difference) difference = `sample ${index}, output ${k}: ${found}`;
          });
        }
      }
      if (calls > 0)
        outcomes.push({ name: `${record.name} ${dtype}`, difference, kernels, claimed: record.wgsl !== 'host' });
    }
  return outcomes;
}

async function goldenBits(name: string): Promise<Uint16Array> {
  for (const suffix of ['.d16.gz', '.u16.gz']) {
    const response = await fetch(`files/${name}${suffix}`);
    if (!response.ok) continue;
    const stream = response.body!.pipeThrough(new DecompressionStream('gzip'));
    const values = new Uint16Array(await new Response(stream).arrayBuffer());
    if (suffix === '.d16.gz') for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
    return values;
  }
  throw new Error(`no golden ${name}`);
}

const binaryOps = ['add', 'sub', 'mul', 'div', 'maximum'];
/** The table index is the input's pattern. gelu's variants and softplus have attrs of their own and are covered in Node. */
const unaryOps = [
  'exp',
  'log',
  'sqrt',
  'tanh',
  'sigmoid',
  'relu',
  'abs',
  'neg',
  'reciprocal',
  'silu',
  'expm1',
  'log1p',
];

async function runGoldens(backend: WebGpuBackend): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const call = async (name: string, record: OpRecord, dtype: DType, inputs: Uint16Array[], want: Uint16Array) => {
    const tensors = inputs.map((data): HostTensor => ({ dtype, shape: [data.length], data }));
    const { results, kernels } = await onDevice(backend, record, tensors, {}, record.infer(tensors, {}));
    outcomes.push({
      name,
      difference: firstDifference(dtype, results[0], want),
      kernels,
      claimed: record.wgsl !== 'host',
    });
  };
  for (const [short, dtype] of [
    ['f16', 'float16'],
    ['bf16', 'bfloat16'],
  ] as const) {
    const [a, b] = [await goldenBits(`binary/${short}_a`), await goldenBits(`binary/${short}_b`)];
    for (const op of binaryOps)
      await call(`golden ${short}_${op}`, opTable.get(op)!, dtype, [a, b], await goldenBits(`binary/${short}_${op}`));
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    for (const op of unaryOps)
      await call(`golden ${short}_${op}`, opTable.get(op)!, dtype, [all], await goldenBits(`unary/${short}_${op}`));
  }
  return outcomes;
}

export async function runGpuTests(): Promise<GpuReport> {
  const backend = await createWebGpuBackend(navigator.gpu);
  const selfTest = await backend.prove();
  const goldens = await runGoldens(backend);
  const table = await runOpTable(backend);
  const report = {
    adapter: backend.info.adapter,
    notices: backend.notices,
    selfTest,
    opTable: table,
    goldens,
    dispatches: backend.stats.dispatches,
  };
  backend.destroy();
  return report;
}

Object.assign(globalThis, { runGpuTests });
