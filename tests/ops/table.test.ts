/** Claims about every op in the table: its samples run in every dtype, and its gradient is the derivative of its reference. */
import { describe, expect, test } from 'vitest';
import { BackwardRun } from '@/engine/core/autograd';
import { fromValues } from '@/engine/core/creation';
import { NumberOperand, type Tensor } from '@/engine/core/tensor';
import { allocateHost, type DType, type HostTensor, isFloating } from '@/engine/formats/dtype';
import { readElements, writeElements } from '@/engine/formats/host-elements';
import '@/engine/ops';
import { type Attrs, type OpRecord, opTable, type Sample } from '@/engine/ops/record';
import { createBridge } from '@/engine/session/bridge';

const records = [...opTable.values()];

function hostInputs(sample: Sample, dtype: DType): HostTensor[] {
  return sample.inputs.map((input) => {
    const own = input.dtype ?? dtype;
    return { dtype: own, shape: input.shape, data: writeElements(own, input.values) };
  });
}

const count = (shape: readonly number[]): number => shape.reduce((n, size) => n * size, 1);

describe.each(records)('$name', (record) => {
  test('says what it does and where its tolerance comes from', () => {
    expect(record.doc.length).toBeGreaterThan(10);
    expect(record.samples.length).toBeGreaterThan(0);
    for (const { ulp, source } of [record.tolerance.half, record.tolerance.float32]) {
      expect(ulp).toBeGreaterThanOrEqual(0);
      expect(source).not.toBe('');
    }
  });

  test.each(['float16', 'bfloat16', 'float32'] as const)(
    'its samples run in %s and give what infer promises',
    (dtype) => {
      for (const sample of record.samples) {
        const inputs = hostInputs(sample, dtype);
        const before = inputs.map((input) => input.data.slice());
        const attrs = sample.attrs ?? {};
        const specs = record.infer(inputs, attrs);
        const outputs = record.reference(inputs, attrs, specs);
        expect(outputs.length).toBe(specs.length);
        specs.forEach((spec, i) => {
          expect(outputs[i].constructor).toBe(allocateHost(spec.dtype, 0).constructor);
          expect(outputs[i].length).toBe(count(spec.shape));
          // Fresh memory: a result that shares an input's would change with it.
          for (const input of inputs)
            expect(outputs[i].buffer === input.data.buffer && input.data.length > 0).toBe(false);
        });
        inputs.forEach((input, i) => {
          expect(input.data, 'inputs stay as they are').toEqual(before[i]);
        });
      }
    },
  );
});

// ---- gradients against central differences in float64

/** Ops whose gradient isn't the limit of differences: a convention where outputs move in steps (checked by goldens), or an error. */
const conventions: Record<string, string> = {
  floor: 'steps; gradient 0',
  ceil: 'steps; gradient 0',
  trunc: 'steps; gradient 0',
  round: 'steps; gradient 0',
  sign: 'steps; gradient 0',
  sgn: 'steps; gradient 0',
  trunc_divide: 'steps; gradient 0',
  _cumprod_double_backward: 'raises: no third derivative',
};

/** Repeatable numbers in (0.2, 0.9): inside every function's domain and away from kinks. Neighbours differ, so that no extremum ties. */
function inside(n: number, seed: number): number[] {
  let state = seed >>> 0;
  return Array.from({ length: n }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 0.2 + 0.7 * ((state / 2 ** 32 + i * 0.61803) % 1);
  });
}

interface Call {
  readonly inputs: readonly { readonly values: number[]; readonly shape: readonly number[]; readonly dtype: DType }[];
  readonly attrs: Attrs;
}

/** The sample with its floating inputs replaced by float64 numbers inside; null where an output isn't float64. */
function smoothCall(record: OpRecord, sample: Sample, shift: number): Call | null {
  const attrs = { ...sample.attrs };
  if ('dtype' in attrs) attrs.dtype = null; // stay in float64
  const inputs = sample.inputs.map((input, i) => {
    const dtype = input.dtype !== undefined && !isFloating(input.dtype) ? input.dtype : 'float64';
    const values =
      dtype === 'float64' ? inside(count(input.shape), 17 * i + 5).map((x) => x + shift) : [...input.values];
    return { values, shape: input.shape, dtype: dtype as DType };
  });
  const specs = record.infer(inputs, attrs);
  return isFloating(specs[0].dtype) && inputs.some((x) => x.dtype === 'float64' && x.values.length > 0)
    ? { inputs, attrs }
    : null;
}

function weightedSum(record: OpRecord, call: Call, weights: readonly (readonly number[])[]): number {
  const hosts = call.inputs.map(({ values, shape, dtype }) => ({ dtype, shape, data: writeElements(dtype, values) }));
  const specs = record.infer(hosts, call.attrs);
  const outputs = record.reference(hosts, call.attrs, specs);
  let sum = 0;
  specs.forEach((spec, i) => {
    if (!isFloating(spec.dtype)) return;
    const values = readElements({ ...spec, data: outputs[i] });
    for (let k = 0; k < values.length; k++) sum += values[k] * weights[i][k];
  });
  return sum;
}

/** Positions of the inputs that refuse to require grad. */
function refused(record: OpRecord, attrs: Attrs): number[] {
  const present = record.params
    .split(',')
    .map((part) => part.split(':').map((s) => s.trim()))
    .filter(([name, kind]) => /^(Tensor|Operand)/.test(kind) && attrs[`has_${name}`] !== false)
    .map(([name]) => name);
  return (record.refusesGrad?.inputs ?? []).map((name) => present.indexOf(name));
}

const differentiable = records.filter(
  (record) => record.gradient !== 'not differentiable' && !(record.name in conventions),
);

describe.each(differentiable)('$name', (record) => {
  test('its gradient is the derivative of its reference (central differences in float64)', () => {
    const { engine } = createBridge();
    let checked = 0;
    for (const sample of record.samples) {
      const call = smoothCall(record, sample, record.name === 'acosh' ? 1 : 0);
      if (!call) continue;
      const tensors = call.inputs.map((input) => {
        const { values, shape, dtype } = input;
        const t = fromValues(engine, values, dtype, 'cpu', [...shape]);
        if (dtype === 'float64' && !refused(record, call.attrs).includes(call.inputs.indexOf(input)))
          t.requiresGradFlag = true;
        return t;
      });
      const outputs = engine.op(record.name, tensors, call.attrs);
      const floating = outputs.filter((y) => isFloating(y.dtype) && y.requiresGrad);
      if (floating.length === 0) continue;
      const weights = outputs.map((y, i) => inside(count(y.shape), 91 + i));
      const wanted = tensors.filter((t) => t.requiresGradFlag);
      const run = new BackwardRun(engine, {
        outputs: floating,
        grads: floating.map((y) => fromValues(engine, weights[outputs.indexOf(y)], y.dtype, 'cpu', [...y.shape])),
        inputs: wanted,
        retainGraph: false,
        createGraph: false,
        accumulate: false,
        allowUnused: true,
      });
      expect(run.resume()).toBe(null);
      wanted.forEach((t, w) => {
        const position = tensors.indexOf(t);
        const gradient: Tensor | null = run.results[w];
        const actual = gradient ? engine.readNow(gradient) : null;
        call.inputs[position].values.forEach((x, k) => {
          const h = 1e-6;
          const shifted = (delta: number): Call => ({
            ...call,
            inputs: call.inputs.map((input, i) =>
              i === position ? { ...input, values: input.values.map((v, j) => (j === k ? x + delta : v)) } : input,
            ),
          });
          const difference =
            (weightedSum(record, shifted(h), weights) - weightedSum(record, shifted(-h), weights)) / (2 * h);
          const got = actual ? actual[k] : 0; // None: nothing flows back
          checked++;
          if (Number.isNaN(got) && Number.isNaN(difference)) return; // the variance of one element
          const where = `input ${position}, element ${k}, attrs ${JSON.stringify(call.attrs)}`;
          expect(
            Math.abs(got - difference),
            `${where}: gradient ${got}, difference quotient ${difference}`,
          ).toBeLessThan(1e-6 * (1 + Math.abs(difference)));
        });
      });
    }
    expect(checked, 'no sample could be checked').toBeGreaterThan(0);
  });
});

test('a number as an operand gives the same result as a 0-dim tensor of it (float64)', () => {
  const { engine } = createBridge();
  for (const name of [
    'add',
    'sub',
    'rsub',
    'mul',
    'div',
    'remainder',
    'fmod',
    'floor_divide',
    'pow',
    'copysign',
    'eq',
    'lt',
  ]) {
    const x = fromValues(engine, [0.3, -1.5, 2.5], 'float64', 'cpu', [3]);
    const zero = fromValues(engine, [0.7], 'float64', 'cpu', []);
    const [number] = engine.op(name, [x, new NumberOperand(0.7, 'float')]);
    const [tensor] = engine.op(name, [x, zero]);
    expect(engine.readNow(number), name).toEqual(engine.readNow(tensor));
  }
});
