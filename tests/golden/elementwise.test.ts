import { afterAll, expect, test } from 'vitest';
import type { DType, HostTensor } from '@/engine/formats/dtype';
import { bitsOf, compareBits } from './compare';
import { type Argument, Dispatch, Handle, int } from './dispatch-op';
import { type GoldenTensor, goldenDtype, goldenJson, goldenTensor } from './load';
import { type GoldenResult, recordGolden } from './results';

type GoldenArgument = number | string | null | { readonly f: '-inf' };

interface Case {
  readonly dtype: 'f16' | 'bf16' | 'f32';
  readonly op: string;
  readonly args: readonly GoldenArgument[];
  readonly expression: string;
  readonly ulp: number;
  readonly out: GoldenTensor;
  readonly grads?: Record<string, GoldenTensor>;
}

interface IntegerCase {
  readonly dtype: DType;
  readonly op: string;
  readonly args: readonly (number | string | null)[];
  readonly expression: string;
  readonly out: GoldenTensor;
}

const golden = goldenJson<{
  readonly inputs: Record<'f16' | 'bf16' | 'f32', Record<string, GoldenTensor>>;
  readonly cases: readonly Case[];
  readonly integer: {
    readonly i: number[];
    readonly j: number[];
    readonly m: boolean[];
    readonly cases: readonly IntegerCase[];
  };
}>('elementwise.json');

const results: GoldenResult[] = [];
afterAll(() => recordGolden('elementwise', results));

/**
 * Exact where ulp is 0. float32 results that pass through library functions may differ by `ulp` units of the result, or, where terms
 * near 1 cancel (1 - tanh^2, 1 + erf), of the operand `scale` that the small difference is multiplied with.
 */
function compare(actual: ArrayLike<number>, expected: HostTensor, ulp: number, scale: HostTensor) {
  const comparison = compareBits(actual, bitsOf(expected), expected.dtype, ulp);
  if (ulp === 0) return comparison;
  const got = new Float32Array(Uint32Array.from(actual).buffer);
  const real = comparison.failures.filter(
    (i) => !(Math.abs(got[i] - expected.data[i]) <= ulp * 2 ** -23 * Math.abs(scale.data[i])),
  );
  return {
    ...comparison,
    failures: real,
    examples: real.map((i) => `index ${i}: got ${got[i]}, expected ${expected.data[i]}`),
  };
}

function load(t: Dispatch, x: GoldenTensor): Handle {
  const host = goldenTensor(x);
  if (x.v) return t.tensor(x.v.map(Number), host.dtype, x.s);
  const digits = host.dtype === 'float32' ? 8 : 4;
  const hex = Array.from(bitsOf(host), (bits) => bits.toString(16).padStart(digits, '0')).join(' ');
  return new Handle(t.b.from_bits(hex, host.dtype, 'cpu', ...x.s));
}

function numberArgument(op: string, x: GoldenArgument, position: number): Argument {
  if (x === null || typeof x === 'string') return x;
  if (typeof x === 'object') return -Infinity;
  const isInt = Number.isInteger(x) && op !== 'round';
  return isInt && position > 0 ? int(x) : x;
}

/** Differences from PyTorch that remain, each with its reason. */
const exceptions: Record<string, string> = {};

for (const entry of golden.cases) {
  const { op, dtype, expression, ulp } = entry;
  const allowed = dtype === 'f32' ? ulp : 0;
  test(`${expression} and its gradient on ${goldenDtype(dtype)}`, () => {
    const t = new Dispatch();
    const inputs = new Map<string, Handle>();
    const args = entry.args.map((arg, i) => {
      const tensor = typeof arg === 'string' ? golden.inputs[dtype][arg] : undefined;
      if (!tensor) return numberArgument(op, arg, i);
      const handle = load(t, tensor);
      inputs.set(arg as string, handle);
      if (entry.grads?.[arg as string]) t.b.set_requires_grad(handle.h, true);
      return handle;
    });
    const out = t.op(op, ...args);
    const expected = goldenTensor(entry.out);
    const actual = t.host(out);
    expect({ dtype: actual.dtype, shape: actual.shape }).toEqual({ dtype: expected.dtype, shape: expected.shape });
    const comparisons = [
      { part: 'out', ...compare(actual.bits, expected, allowed, goldenTensor(golden.inputs[dtype].x)) },
    ];
    if (entry.grads) {
      const run = t.b.backward_start(4, 1, out.h, load(t, golden.inputs[dtype].g).h, -1);
      expect(t.b.backward_step(run)).toBe(0);
      t.b.backward_end(run);
      for (const [name, grad] of Object.entries(entry.grads)) {
        const mine = t.host(new Handle(t.b.grad(inputs.get(name)!.h)));
        comparisons.push({
          part: `gradient of ${name}`,
          ...compare(mine.bits, goldenTensor(grad), allowed * 2, goldenTensor(golden.inputs[dtype].g)),
        });
      }
    }
    const count = comparisons.reduce((n, c) => n + c.count, 0);
    const failed = comparisons.reduce((n, c) => n + c.failures.length, 0);
    const key = `${dtype} ${expression}`;
    results.push({
      file: `elementwise.json: ${key}`,
      entries: count,
      passed: count - failed,
      compared:
        allowed === 0 ? 'exact bits, NaN as a class' : `${allowed} ulp, gradients ${allowed * 2} (vendor library)`,
      ...(exceptions[key] && { exceptions: [exceptions[key]] }),
    });
    const examples = comparisons.flatMap((c) => c.examples.map((text) => `${c.part}, ${text}`));
    if (!exceptions[key]) expect(failed, examples.slice(0, 6).join('; ')).toBe(0);
  });
}

for (const entry of golden.integer.cases) {
  test(`${entry.expression} on ${entry.dtype}`, () => {
    const t = new Dispatch();
    const { i, j, m } = golden.integer;
    const args = entry.args.map((arg): Argument => {
      if (arg === 'i')
        return t.tensor(
          i.map((x) => wrapped(x, entry.dtype)),
          entry.dtype,
        );
      if (arg === 'j') return t.tensor(j, entry.dtype);
      if (arg === 'm') return t.tensor(m.map(Number), 'bool');
      if (typeof arg === 'number') return Number.isInteger(arg) && entry.op !== 'round' ? int(arg) : arg;
      return arg;
    });
    const actual = t.host(t.op(entry.op, ...args));
    const names: Record<string, DType> = { u8: 'uint8', i8: 'int8' };
    expect(actual.dtype).toBe(names[entry.out.t] ?? goldenDtype(entry.out.t));
    const expected = entry.out.v ? entry.out.v.map(Number) : Array.from(bitsOf(goldenTensor(entry.out)));
    const allowed = entry.out.v ? 0 : 1;
    const comparison = compareBits(actual.bits, expected, actual.dtype, allowed);
    results.push({
      file: `elementwise.json: ${entry.dtype} ${entry.expression}`,
      entries: comparison.count,
      passed: comparison.count - comparison.failures.length,
      compared: allowed ? '1 ulp' : 'exact',
    });
    expect(comparison.examples).toEqual([]);
  });
}

function wrapped(x: number, dtype: DType): number {
  return dtype === 'uint8' ? x & 0xff : x;
}
