/**
 * Every gradient formula against central differences in float64 (torch.autograd.gradcheck's method), at generic points with the shapes and
 * attributes of the record's samples. Weights make the scalar sum of outputs sensitive to each element on its own.
 */
import { describe, expect, test } from 'vitest';
import { CpuBackend } from '@/engine/backends/cpu/cpu-backend';
import { BackwardRun } from '@/engine/core/autograd';
import { fromValues } from '@/engine/core/creation';
import { Engine } from '@/engine/core/engine';
import type { Tensor } from '@/engine/core/tensor';
import { type DType, isFloating } from '@/engine/formats/dtype';
import '@/engine/ops';
import { type OpRecord, opTable, type Sample } from '@/engine/ops/record';

/** The step h of (f(x + h) - f(x - h)) / 2h: its own error is about h^2, rounding's about 2^-52 / h. */
const step = 1e-6;
const allowed = 1e-5;
/** Elements tried of each input. */
const most = 12;

/** Numbers in [0, 1), always the same (the linear congruential generator of ANSI C). */
function* generic(): Generator<number, never> {
  for (let state = 12345; ; ) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

/** Inside every op's domain: (0.15, 0.85), and (1.2, 1.9) for acosh. */
const lowest = (record: OpRecord): number => (record.name === 'acosh' ? 1.2 : 0.15);
const weights = (n: number): number[] => Array.from({ length: n }, (_, i) => 0.5 + ((i * 7) % 5) * 0.3);
const floatInput = (dtype: DType | undefined): boolean => dtype === undefined || isFloating(dtype);

/** Disagreements: "input 0, element 3: formula 0.5, differences 0.7". */
function disagreements(record: OpRecord, sample: Sample, random: Generator<number, never>): string[] {
  const engine = new Engine({ cpu: new CpuBackend(), cuda: new CpuBackend() });
  const values = sample.inputs.map((x) =>
    floatInput(x.dtype) ? x.values.map(() => lowest(record) + 0.7 * random.next().value) : [...x.values],
  );
  const make = (): Tensor[] =>
    sample.inputs.map((x, i) =>
      fromValues(engine, values[i], floatInput(x.dtype) ? 'float64' : (x.dtype as DType), 'cpu', x.shape),
    );
  const run = (inputs: readonly Tensor[]): Tensor[] =>
    engine.op(record.name, inputs, sample.attrs ?? {}).filter((y) => y.dtype === 'float64');
  const loss = (): number =>
    run(make()).reduce((total, y) => {
      const v = engine.readNow(y);
      return weights(v.length).reduce((sum, w, i) => sum + w * v[i], total);
    }, 0);

  const inputs = make();
  // Where PyTorch refuses a gradient (the weight of a loss), only the first input has one.
  const wanted = inputs.map((x, i) => x.dtype === 'float64' && (i === 0 || record.refusesGrad === undefined));
  inputs.forEach((x, i) => {
    x.requiresGradFlag = wanted[i];
  });
  const outputs = run(inputs).filter((y) => y.requiresGrad);
  if (outputs.length === 0) return [];
  const backward = new BackwardRun(engine, {
    outputs,
    grads: outputs.map((y) => fromValues(engine, weights(y.elementCount), 'float64', 'cpu', y.shape)),
    inputs: inputs.filter((_, i) => wanted[i]),
    retainGraph: false,
    createGraph: false,
    accumulate: false,
    allowUnused: true,
  });
  backward.resume();
  const results = [...backward.results];

  const wrong: string[] = [];
  inputs.forEach((_, i) => {
    if (!wanted[i]) return;
    const gradient = results.shift() ?? null;
    const formula = gradient === null ? new Float64Array(values[i].length) : engine.readNow(gradient);
    for (let j = 0; j < Math.min(values[i].length, most); j++) {
      const at = values[i][j];
      values[i][j] = at + step;
      const above = loss();
      values[i][j] = at - step;
      const below = loss();
      values[i][j] = at;
      const differences = (above - below) / (2 * step);
      if (Number.isNaN(differences) && Number.isNaN(formula[j])) continue; // the deviation of one element
      if (Math.abs(differences - formula[j]) <= allowed * Math.max(1, Math.abs(differences))) continue;
      wrong.push(`input ${i}, element ${j}: formula ${formula[j]}, differences ${differences}`);
    }
  });
  return wrong;
}

/** A cast to fewer bits is a staircase: its gradient is defined, but not as the limit of differences. */
const staircases = new Set(['_to_copy']);
/** Its gradient would be cumprod's third derivative, which raises: gradients.test.ts has that. */
const ended = new Set(['_cumprod_double_backward']);

describe('gradients agree with central differences', () => {
  for (const record of opTable.values()) {
    if (record.gradient === 'not differentiable' || staircases.has(record.name) || ended.has(record.name)) continue;
    test(record.name, () => {
      const random = generic();
      for (const sample of record.samples) expect(disagreements(record, sample, random)).toEqual([]);
    });
  }
});
