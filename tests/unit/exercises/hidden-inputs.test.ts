/** The exercises' own reckoning of right answers, on inputs that were worked out by hand. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  badInputs,
  faults,
  finite,
  guilty,
  hidden,
  pipelineCases,
} from '../../../exercises/find-first-nonfinite/pipelines';
import { examples, growthCases, overflowCases, trainingCases } from '../../../exercises/gradscaler-order/cases';
import { train } from '../../../exercises/gradscaler-order/training';
import { callText } from '../../../exercises/kit/compare';

test('the guilty stages of the fixed pipelines', () => {
  expect(faults.map(guilty)).toEqual(['power', 'exp', 'inverse', 'log', 'root', 'sum']);
  expect(hidden.map(guilty)).toEqual(['power', 'inverse']);
  expect(badInputs.map(guilty)).toEqual(['input', 'input', 'input']);
  expect(finite.map(guilty)).toEqual([null, null, null, null, null]);
});

test('a pipeline whose answer hangs on a last bit is not used', () => {
  // exp(11.09) is 65512.7: just below or above 65520, depending on the library
  expect(guilty({ dtype: 'float16', x: [11.09], stages: [['exp', 'torch.exp(x)']] })).toBeUndefined();
});

test('random pipelines have faults in the first stage, in later ones, and none', () => {
  const found = fc.sample(pipelineCases, { seed: 1, numRuns: 300 }).map((c) => {
    const name = guilty(c);
    return name === null ? 'none' : name === c.stages[0]?.[0] ? 'first' : 'later';
  });
  for (const kind of ['none', 'first', 'later']) expect(found.filter((f) => f === kind).length).toBeGreaterThan(20);
});

test('one micro-batch: x = 2, y = 1, weight 1, bias 0, lr 0.5', () => {
  // error 1, gradient 2 * 1 * (2, 1) = (4, 2), norm sqrt(20)
  expect(train(examples.single)).toEqual([
    { norm: Math.sqrt(20), skipped: false, clipped: false, parameters: [-1, -1], slack: [0, 0], scale: 1024 },
  ]);
});

test('two micro-batches: the mean of their gradients', () => {
  // (2, 1): gradient (4, 2). (1, 3): error -2, gradient (-4, -4). Mean (0, -1): the bias moves by 0.5
  expect(train(examples.several)?.[0]).toMatchObject({ norm: 1, parameters: [1, 0.5] });
});

test('clipped: the update has length lr times max_norm', () => {
  const [state] = train(examples.clipped) ?? [];
  // (2, -2): error 4, gradient (16, 8). (1, 3): (-4, -4). Mean (6, 2)
  expect(state?.norm).toBeCloseTo(Math.sqrt(40), 14);
  const [weight, bias] = state?.parameters ?? [];
  expect(Math.hypot((weight as number) - 1, bias as number)).toBeCloseTo(0.5 * 0.5, 14);
});

test('an overflow skips the step and halves the scale, and the next step is taken', () => {
  // error 8 on x = 2 alone: 2 * 8 * 2 / 2 = 16, times 65536 beyond 65520
  const states = train(examples.overflow);
  expect(states?.map((s) => [s.skipped, s.scale])).toEqual([
    [true, 32768],
    [false, 32768],
  ]);
  expect(states?.[0]?.parameters).toEqual([1, 0]);
});

test('growth counts calls', () => {
  expect(train(examples.growth)?.map((s) => s.scale)).toEqual([1024, 2048, 2048, 4096]);
});

test('the inputs of 2049 and 257 tell float16 from float32 and bfloat16', () => {
  // 2049 rounds to 2048: no error. 257 is exact: error 1, gradient 2 * 257 / 2 and 2 / 2
  expect(train(examples.float16)?.[0]).toMatchObject({ parameters: [1 - 257 / 1024, -1 / 1024] });
});

test('every drawn training case is exact, and none is trivial', () => {
  const drawn = [
    ...fc.sample(trainingCases({ microBatches: [1, 2, 4], calls: [1, 2] }), { seed: 1, numRuns: 40 }),
    ...fc.sample(trainingCases({ microBatches: [1, 2], calls: [1], maxNorm: [0.25, 1] }), { seed: 1, numRuns: 40 }),
    ...fc.sample(overflowCases, { seed: 1, numRuns: 40 }),
    ...fc.sample(growthCases, { seed: 1, numRuns: 20 }),
  ];
  for (const c of drawn) expect(train(c)).not.toBeNull();
  expect(new Set(drawn.map((c) => JSON.stringify(c))).size).toBeGreaterThan(100);
});

test('a call shows itself as its exercise says', () => {
  expect(callText({ function: 'f', arguments: [], shown: 'f(model)' })).toBe('f(model)');
});
