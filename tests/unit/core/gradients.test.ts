/**
 * Every differentiable op's gradient runs on every sample of its record: it reads only what `saves` lists, stays on its device, gives
 * gradients of its inputs' shape and dtype for every choice of inputs that require grad, and can be differentiated again.
 */
import { describe, expect, test } from 'vitest';
import { CpuBackend } from '@/engine/backends/cpu/cpu-backend';
import { BackwardRun } from '@/engine/core/autograd';
import { fromValues } from '@/engine/core/creation';
import { planOf } from '@/engine/core/dispatch';
import { Engine } from '@/engine/core/engine';
import type { Tensor } from '@/engine/core/tensor';
import { type DType, isFloating } from '@/engine/formats/dtype';
import '@/engine/ops';
import { type OpRecord, opTable, type Sample } from '@/engine/ops/record';

const finished = (
  engine: Engine,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  createGraph: boolean,
): (Tensor | null)[] => {
  const run = new BackwardRun(engine, {
    outputs,
    grads: outputs.map((y) => engine.full(y.shape, 1, y.dtype, y.device)),
    inputs,
    retainGraph: createGraph,
    createGraph,
    accumulate: false,
    allowUnused: true,
  });
  expect(run.resume()).toBe(null);
  return [...run.results];
};

/** Formulas that end: how often the op can be differentiated before it says that it can't. */
const ends: Readonly<Record<string, number>> = { _cumprod_backward: 1, _cumprod_double_backward: 0 };
const END = 'third derivatives of cumprod are not supported here';

function check(record: OpRecord, sample: Sample, dtype: DType, which: (i: number) => boolean): void {
  const engine = new Engine({ cpu: new CpuBackend(), cuda: new CpuBackend() });
  const inputs = sample.inputs.map((x) => fromValues(engine, x.values, x.dtype ?? dtype, 'cuda', x.shape));
  const names = planOf(record.name).inputNames.filter((name) => sample.attrs?.[`has_${name}`] !== false);
  const refused = (i: number): boolean => record.refusesGrad?.inputs.includes(names[i]) ?? false;
  const leaves = inputs.filter((x, i) => isFloating(x.dtype) && which(i) && !refused(i));
  if (leaves.length === 0) return;
  for (const x of leaves) x.requiresGradFlag = true;
  const outputs = engine.op(record.name, inputs, sample.attrs ?? {}).filter((y) => y.requiresGrad);
  if (outputs.length === 0) return;
  if (ends[record.name] === 0) {
    expect(() => finished(engine, outputs, leaves, true)).toThrow(END);
    return;
  }
  const grads = finished(engine, outputs, leaves, true);
  grads.forEach((g, i) => {
    if (g === null) return;
    expect({ shape: g.shape, dtype: g.dtype, device: g.device }).toEqual({
      shape: leaves[i].shape,
      dtype: leaves[i].dtype,
      device: 'cuda',
    });
  });
  const again = grads.filter((g): g is Tensor => g?.requiresGrad === true);
  if (again.length > 0 && ends[record.name] === 1) {
    expect(() => finished(engine, again, leaves, false)).toThrow(END);
    return;
  }
  if (again.length > 0) finished(engine, again, leaves, false);
  expect(engine.backends.cpu.bytesInUse).toBe(0);
}

const differentiable = [...opTable.values()].filter((r) => r.gradient !== 'not differentiable');

describe('every gradient formula', () => {
  for (const record of differentiable) {
    test(record.name, () => {
      for (const dtype of ['float32', 'float16'] as const) {
        for (const sample of record.samples) {
          const n = sample.inputs.length;
          check(record, sample, dtype, () => true);
          for (let only = 0; only < n; only++) if (n > 1) check(record, sample, dtype, (i) => i === only);
        }
      }
    });
  }
});
