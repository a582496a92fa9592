import { afterAll, expect, test } from 'vitest';
import type { HostTensor } from '@/engine/formats/dtype';
import { bitsOf, compareBits } from './compare';
import { type GoldenFloat, type GoldenTensor, goldenFloat, goldenJson, goldenTensor } from './load';
import { type GoldenResult, recordGolden } from './results';
import { runOp } from './run-op';

interface Trajectory {
  readonly opt: 'SGD' | 'Adam' | 'AdamW';
  readonly kwargs: Record<string, GoldenFloat | boolean | readonly GoldenFloat[]>;
  readonly dtype: GoldenTensor['t'];
  readonly p0: GoldenTensor;
  readonly grads: readonly GoldenTensor[];
  readonly steps: readonly string[];
  /** Adam in float32: torch.sqrt goes through a vendor library that is not correctly rounded; this trajectory is. */
  readonly steps_correctly_rounded_sqrt?: readonly string[];
}

const results: GoldenResult[] = [];
afterAll(() => recordGolden('optimizer-steps', results));

function parameters(kwargs: Trajectory['kwargs']): Record<string, number | boolean | readonly number[]> {
  return Object.fromEntries(
    Object.entries(kwargs).map(([name, value]) => [
      name,
      typeof value === 'boolean'
        ? value
        : Array.isArray(value)
          ? value.map(goldenFloat)
          : goldenFloat(value as GoldenFloat),
    ]),
  );
}

const zerosLike = (x: HostTensor): HostTensor => ({ ...x, data: x.data.slice().fill(0) });

/** Bits of the parameter after each step, by the op under test. */
function run({ opt, kwargs, p0, grads }: Trajectory): Uint32Array[] {
  const given = parameters(kwargs);
  const number = (name: string, otherwise: number): number => (given[name] as number | undefined) ?? otherwise;
  const maximize = given.maximize === true;
  let param = goldenTensor(p0);
  const trajectory: Uint32Array[] = [];
  let buffer: HostTensor | undefined;
  let [m, v, largest] = [zerosLike(param), zerosLike(param), zerosLike(param)];
  grads.forEach((golden, index) => {
    const grad = goldenTensor(golden);
    if (opt === 'SGD') {
      [param, buffer] = runOp('_sgd_step', [param, grad, ...(buffer ? [buffer] : [])], {
        has_momentum_buffer: buffer !== undefined,
        lr: number('lr', 1e-3),
        momentum: number('momentum', 0),
        dampening: number('dampening', 0),
        weight_decay: number('weight_decay', 0),
        nesterov: given.nesterov === true,
        maximize,
      });
    } else {
      const t = index + 1;
      const [beta1, beta2] = (given.betas as number[] | undefined) ?? [0.9, 0.999];
      const lr = number('lr', 1e-3);
      const amsgrad = given.amsgrad === true;
      [param, m, v, largest] = runOp('_adam_step', [param, grad, m, v, ...(amsgrad ? [largest] : [])], {
        has_max_exp_avg_sq: amsgrad,
        lr,
        beta1,
        beta2,
        eps: number('eps', 1e-8),
        weight_decay: number('weight_decay', opt === 'AdamW' ? 1e-2 : 0),
        step_size: lr / (1 - beta1 ** t),
        bias_correction2_sqrt: Math.sqrt(1 - beta2 ** t),
        decoupled: opt === 'AdamW',
        maximize,
      });
    }
    trajectory.push(Uint32Array.from(bitsOf(param)));
  });
  return trajectory;
}

const trajectories = goldenJson<readonly Trajectory[]>('optim/given_grads.json');

for (const trajectory of trajectories) {
  const { opt, kwargs, dtype } = trajectory;
  const name = `${opt}(${Object.entries(parameters(kwargs))
    .map(([k, v]) => `${k}=${v}`)
    .join(', ')}) in ${dtype}`;
  test(`20 steps of ${name} give PyTorch's bits`, () => {
    const expected = trajectory.steps_correctly_rounded_sqrt ?? trajectory.steps;
    const actual = run(trajectory);
    let entries = 0;
    let failures = 0;
    const examples: string[] = [];
    actual.forEach((bits, i) => {
      const wanted = expected[i].split(' ').map((hex) => Number.parseInt(hex, 16));
      const comparison = compareBits(bits, wanted, goldenTensor(trajectory.p0).dtype);
      entries += comparison.count;
      failures += comparison.failures.length;
      if (examples.length < 3) examples.push(...comparison.examples.map((text) => `step ${i + 1}, ${text}`));
    });
    results.push({
      file: `optim/given_grads.json: ${name}`,
      entries,
      passed: entries - failures,
      compared: trajectory.steps_correctly_rounded_sqrt ? 'exact bits, with a correctly rounded sqrt' : 'exact bits',
    });
    expect(examples).toEqual([]);
  });
}
