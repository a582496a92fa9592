/**
 * Each GPU proves itself: before it computes anything for a learner, one small call of every kernel family runs on the cases that are
 * known to break on real adapters (subnormals, ties, overflow, infinities, NaN, cancellation), and must give the reference's bits. A
 * family that fails is served by the reference from then on.
 */
import type { DType, HostData, HostTensor } from '../../formats/dtype';
import { isHalf } from '../../formats/dtype';
import { readElements, writeElements } from '../../formats/host-elements';
import { type Attrs, opTable } from '../../ops/record';
import type { KernelFamily } from '../../ops/wgsl/plan';
import { wideMinimum } from '../../ops/wgsl/wide';
import type { View } from '../backend';
import { contiguousStrides, type WebGpuBackend } from './backend';

export interface SelfTestResult {
  readonly family: KernelFamily;
  readonly passed: boolean;
  /** "add bfloat16: index 3: got 0x0, expected 0x1"; empty where it passed. */
  readonly fault: string;
}

interface Case {
  readonly family: KernelFamily;
  readonly op: string;
  readonly inputs: readonly HostTensor[];
  readonly attrs?: Attrs;
  /** Units in the last place that float32 results may be off; 16-bit results never are. */
  readonly ulp?: number;
}

const tensor = (dtype: DType, shape: readonly number[], values: readonly number[]): HostTensor => ({
  dtype,
  shape,
  data: writeElements(dtype, values),
});

// Pairs in which every hard case of an addition or a product occurs: 0, subnormals of each format, ties, the largest numbers, inf, NaN.
const hard = [
  0,
  -0,
  1,
  -1,
  1 + 2 ** -7,
  1 + 2 ** -10,
  2 ** -24,
  -(2 ** -24),
  3 * 2 ** -25,
  2 ** -14,
  2 ** -126,
  2 ** -133,
  2 ** -140,
  -(2 ** -149),
  2 ** -63,
  2 ** -70,
  65504,
  65519,
  65520,
  -65504,
  2 ** 100,
  3.3895313892515355e38,
  3.4028234663852886e38,
  Infinity,
  -Infinity,
  Number.NaN,
  0.1,
  2048,
  2049,
  1e8,
  -1e8,
  16777216,
];
const left = hard.flatMap((x) => hard.map(() => x));
const right = hard.flatMap(() => hard);
const pair = (dtype: DType): HostTensor[] => [tensor(dtype, [left.length], left), tensor(dtype, [right.length], right)];

/** The same pairs, as many as a wide kernel takes. */
const bigPair: HostTensor[] = [left, right].map((values) =>
  tensor(
    'float32',
    [wideMinimum],
    Array.from({ length: wideMinimum }, (_, i) => values[i % values.length]),
  ),
);

/** Numbers between -4 and 4 with full significands, the same on every run. */
const ordinary = (n: number, seed: number): number[] =>
  Array.from({ length: n }, (_, i) => (((Math.imul(i + seed, 2654435761) >>> 8) / 2 ** 24) * 2 - 1) * 4);

const cases: readonly Case[] = [
  { family: 'elementwise', op: 'add', inputs: pair('float32') },
  { family: 'elementwise', op: 'add', inputs: bigPair },
  { family: 'elementwise', op: 'mul', inputs: bigPair },
  { family: 'elementwise', op: 'add', inputs: pair('float16') },
  { family: 'elementwise', op: 'mul', inputs: pair('bfloat16') },
  { family: 'elementwise', op: 'lt', inputs: pair('float32') },
  {
    family: 'product',
    op: 'matmul',
    inputs: [
      tensor('float16', [5, 9], ordinary(45, 1)),
      tensor('float16', [9, 6], [...ordinary(50, 2), 65504, 2 ** -24, Infinity, -1]),
    ],
  },
  {
    family: 'reduction',
    op: 'sum',
    inputs: [tensor('float16', [64, 45], ordinary(2880, 3))],
    attrs: { dim: [1], keepdim: false, dtype: null },
  },
  {
    family: 'softmax',
    op: 'softmax',
    inputs: [tensor('float16', [3, 40], ordinary(120, 5))],
    attrs: { dim: 1, dtype: null },
  },
  {
    family: 'elementwise',
    op: 'exp',
    inputs: [tensor('float32', [64], [...ordinary(60, 6), 88, -100, Infinity, Number.NaN])],
    ulp: 1,
  },
];

/**
 * Every finite float16 pattern as a 256 x 256 matrix, times the identity: gives the matrix back (with -0 as +0) only if loading is exact,
 * for subnormals too.
 */
const allFloat16 = Uint16Array.from({ length: 65536 }, (_, i) => ((i & 0x7c00) === 0x7c00 ? 0 : i));
const identity = Uint16Array.from({ length: 65536 }, (_, i) => (i % 257 === 0 ? 0x3c00 : 0));

async function unpackIsExact(backend: WebGpuBackend): Promise<boolean> {
  const record = opTable.get('matmul');
  if (!record) return false;
  const shape = [256, 256];
  const spec = { dtype: 'float16', shape } as const;
  const views = [allFloat16, identity].map(
    (data): View => ({ ...spec, buffer: backend.upload('float16', data), strides: [256, 1], offset: 0 }),
  );
  try {
    await backend.warm([{ record, inputs: [spec, spec], attrs: {}, outputs: [spec] }]);
    const [out] = backend.run(record, views, {}, [spec]);
    const got = await backend.read(out);
    backend.release(out);
    return got.every((bits, i) => bits === (allFloat16[i] === 0x8000 ? 0 : allFloat16[i]));
  } catch {
    return false;
  } finally {
    for (const view of views) backend.release(view.buffer);
  }
}

/** Runs every case; never rejects. Compilation runs in parallel, results are read in one go. */
export async function selfTest(backend: WebGpuBackend): Promise<SelfTestResult[]> {
  const known = cases.flatMap((c) => {
    const record = opTable.get(c.op);
    return record && record.wgsl !== 'host'
      ? [{ ...c, record, attrs: c.attrs ?? {}, outputs: record.infer(c.inputs, c.attrs ?? {}) }]
      : [];
  });
  // Tried first with the quick way to read float16, which is kept only if it is exact.
  const facts = backend.adapter;
  backend.adapter = { ...facts, exactUnpack: true };
  const unpack = unpackIsExact(backend);
  const faults = new Map<KernelFamily, string>();
  for (const { family } of known) faults.set(family, '');
  const blame = (family: KernelFamily, fault: string) => {
    if (!faults.get(family)) faults.set(family, fault);
  };
  // A kernel that doesn't compile is a fault of its family, not of the backend.
  await Promise.all(
    known.map((c) =>
      backend
        .warm([{ record: c.record, inputs: c.inputs, attrs: c.attrs, outputs: c.outputs }])
        .catch((error) => blame(c.family, `${c.op}: ${error instanceof Error ? error.message : String(error)}`)),
    ),
  );
  const runs = known
    .filter((c) => !faults.get(c.family))
    .map((c) => {
      const views = c.inputs.map(
        (input): View => ({
          buffer: backend.upload(input.dtype, input.data),
          dtype: input.dtype,
          shape: input.shape,
          strides: contiguousStrides(input.shape),
          offset: 0,
        }),
      );
      const [out] = backend.run(c.record, views, c.attrs, c.outputs);
      return { ...c, views, out };
    });
  for (const run of runs) {
    const spec = run.outputs[0];
    const where = `${run.op} ${run.inputs[0].dtype}`;
    try {
      const got = await backend.read(run.out);
      const [want] = run.record.reference(run.inputs, run.attrs, run.outputs);
      const fault = firstFault(spec.dtype, got, want, run.ulp ?? 0);
      if (fault) blame(run.family, `${where}: ${fault}`);
    } catch (error) {
      blame(run.family, `${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
    backend.release(run.out);
    for (const view of run.views) backend.release(view.buffer);
  }
  backend.adapter = { ...facts, exactUnpack: await unpack };
  return [...faults].map(([family, fault]) => ({ family, passed: fault === '', fault }));
}

function firstFault(dtype: DType, got: HostData, want: HostData, ulp: number): string {
  const a = readElements({ dtype, shape: [got.length], data: got });
  const b = readElements({ dtype, shape: [want.length], data: want });
  for (let i = 0; i < b.length; i++) {
    if (Object.is(a[i], b[i]) || (Number.isNaN(a[i]) && Number.isNaN(b[i]))) continue;
    const allowed = isHalf(dtype) ? 0 : ulp * 2 ** -23 * Math.abs(b[i]);
    if (allowed > 0 && Math.abs(a[i] - b[i]) <= allowed) continue;
    return `index ${i}: got ${a[i]}, expected ${b[i]}`;
  }
  return '';
}
