/** The GAN step's own reckoning, on inputs that were worked out by hand, and its judgement of orders. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceEvent } from '../../../engine/session/session';
import {
  cleanCases,
  clippedCases,
  criticOverflows,
  examples,
  generatorOverflows,
  growthCases,
} from '../../../exercises/gan-one-scaler/cases';
import { judgeOrder } from '../../../exercises/gan-one-scaler/exercise';
import { simulate } from '../../../exercises/gan-one-scaler/gan';

test('one row: critic(x) = x, real 2, fake 1, lr 0.5', () => {
  // Scores 2 and 1: slopes 2(2 - 1) = 2 and 2(1 - 0) = 2. Critic: weight 1 - 0.5 (2*2 + 2*1) = -2, bias -0.5 (2 + 2) = -2.
  // The fake now scores -4: slope 2(-4 - 1) = -10, times -2 is 20 on the fake. Generator: weight 1 - 10, bias -10.
  expect(simulate(examples.plain)).toMatchObject([
    {
      norm: Math.sqrt(800),
      critic: { weight: [-2], bias: -2 },
      generator: { weight: [[-9]], bias: [-10] },
      scale: 64,
      exact: true,
    },
  ]);
});

test('only the critic overflows: it stays, the generator steps, the scale halves', () => {
  // The fake scores 0.75. 2 * 0.75 * 65536 = 98304 overflows; the generator's slope is 2(0.75 - 1) = -0.5, within range.
  const [state] = simulate(examples.criticOverflows);
  expect(state).toMatchObject({ criticSkipped: true, generatorSkipped: false, scale: 32768, exact: true });
  expect(state?.critic).toEqual(examples.criticOverflows.critic);
  // lr 0.25: weight 1 + 0.25 * 0.5 * 0.75, bias 0.25 * 0.5
  expect(state?.generator).toEqual({ weight: [[1.09375]], bias: [0.125] });
});

test('only the generator overflows: it stays, the critic steps, the scale halves', () => {
  const [state] = simulate(examples.generatorOverflows);
  expect(state).toMatchObject({ criticSkipped: false, generatorSkipped: true, scale: 32768, exact: true });
  expect(state?.generator).toEqual(examples.generatorOverflows.generator);
});

test('growth counts calls', () => {
  expect(simulate(examples.growth).map((s) => s.scale)).toEqual([64, 128, 128, 256]);
});

test('every drawn case is exact and does what its name says', () => {
  const draw = (cases: typeof clippedCases) => fc.sample(cases, { seed: 1, numRuns: 20 }).map((c) => simulate(c));
  const skips = (states: ReturnType<typeof simulate>) => states.map((s) => [s.criticSkipped, s.generatorSkipped]);
  for (const states of [...draw(cleanCases(1)), ...draw(cleanCases(2)), ...draw(clippedCases)]) {
    expect(states.every((s) => s.exact)).toBe(true);
    expect(skips(states).flat()).not.toContain(true);
  }
  for (const states of draw(criticOverflows)) expect(skips(states)).toEqual([[true, false]]);
  for (const states of draw(generatorOverflows)) expect(skips(states)).toEqual([[false, true]]);
  for (const states of draw(growthCases)) expect(skips(states).flat()).not.toContain(true);
});

const trace = (...events: readonly string[]): TraceEvent[] =>
  events.map((op, i) => ({
    op,
    line: i + 1,
    inputs: [],
    outputs: [],
    backend: 'cpu',
    phase: op.startsWith('Grad') ? 'scaler' : 'forward',
  }));
const [SCALE, UNSCALE, NORM, STEP, UPDATE] = [
  'GradScaler.scale',
  'GradScaler.unscale_',
  'linalg_vector_norm',
  'GradScaler.step',
  'GradScaler.update',
];

test('the right order is accepted, and each wrong one is told with its line', () => {
  expect(judgeOrder(trace(SCALE, UNSCALE, STEP, SCALE, UNSCALE, NORM, STEP, UPDATE))).toBeNull();
  const early = judgeOrder(trace(SCALE, UNSCALE, STEP, SCALE, NORM, UNSCALE, STEP, UPDATE));
  expect(early?.message).toMatch(/^The norm on line 5 was taken before .* unscaled on line 6/);
  expect(early?.line).toBe(5);
  const twice = judgeOrder(trace(SCALE, UNSCALE, STEP, UPDATE, SCALE, UNSCALE, NORM, STEP, UPDATE));
  expect(twice?.message).toMatch(/^scaler.update ran 2 times, the first on line 4/);
  expect(judgeOrder(trace(SCALE, UNSCALE, STEP, SCALE, UNSCALE, NORM, STEP))?.message).toMatch(/never called/);
  expect(judgeOrder(trace(SCALE, UNSCALE, STEP, SCALE, UNSCALE, NORM, '_sgd_step', UPDATE))).toMatchObject({ line: 7 });
});
