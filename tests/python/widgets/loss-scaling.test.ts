/** The microscope: counts, scales and skipped steps are those of real PyTorch with the same scripts, and the stored run is what the scripts give. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TrainingRun, train } from '@/app/components/widgets/loss-scaling-microscope/measurement';
import { type Sample, sampleOf } from '@/app/components/widgets/loss-scaling-microscope/sample';
import { NodeSession } from '@/engine/session/node';

const read = (path: string) => JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8'));

interface Golden {
  readonly printed: readonly string[];
  readonly histogram?: readonly (readonly [number, number])[];
}
const goldens: Readonly<Record<string, Golden>> = read('loss_scaling.json');
const stored: Sample = read('../../../app/components/widgets/loss-scaling-microscope/sample.json');

const session = new NodeSession();
let sample: Sample;
beforeAll(async () => {
  await session.start();
  sample = await sampleOf(session);
});

test('the stored run is what the scripts give today', () => {
  expect(sample, 'make it again: npx tsx scripts/widget-samples.ts').toEqual(stored);
});

describe('gradients', () => {
  test('at every scale as many vanish, become subnormal and overflow as in PyTorch, rounded once and in a real backward', () => {
    const { scales, total } = sample.measurement;
    expect(total).toBe(1300);
    const printed = scales.map((at) =>
      [at.exponent, at.zero, at.subnormal, at.inf, at.backwardZero, at.backwardNonfinite].join(' '),
    );
    expect(printed).toEqual(goldens.measure!.printed);
  });

  test('the float32 gradients have PyTorch’s histogram by exponent', () => {
    expect(sample.measurement.histogram).toEqual(goldens.measure!.histogram);
  });
});

/**
 * Relative bound of a loss. float32: sums of 16 products are added in another order. float16: such a sum may then round to the other
 * neighbour, one ulp (2^-10 of the value) away, and the updates after it follow.
 */
const BOUND = { float32: 1e-6, unscaled: 2 ** -10, scaled: 2 ** -10 } as const;

/** Scales and skipped steps exactly; losses within BOUND. */
function expectPyTorchs(run: TrainingRun, golden: Golden) {
  expect(run.steps.map((step) => `${step.scale} ${Number(step.taken)}`)).toEqual(
    golden.printed.map((line) => {
      const [, , scale, taken] = line.split(' ').map(Number);
      return `${scale} ${taken}`;
    }),
  );
  for (const [i, line] of golden.printed.entries()) {
    const loss = Number(line.split(' ')[1]);
    expect(Math.abs(run.steps[i]!.loss - loss), `loss of step ${i}`).toBeLessThan(BOUND[run.kind] * loss);
  }
}

describe('training', () => {
  for (const kind of ['float32', 'unscaled', 'scaled'] as const) {
    test(`${kind}: PyTorch’s losses, scales and skipped steps`, () => {
      expectPyTorchs(sample.runs.find((run) => run.kind === kind)!, goldens[kind]!);
    });
  }

  test('from 2^34, where everything overflows, steps are skipped until the scale fits, as in PyTorch', async () => {
    const { run } = await train(session, 'scaled', 34);
    expectPyTorchs(run!, goldens['scaled from 2^34']!);
    expect(run!.steps.slice(0, 4).map((step) => step.taken)).toEqual([false, false, false, false]);
  });

  test('without scaling the loss ends above float32’s; with it, nearer to float32’s than to that', () => {
    const last = (kind: string) => sample.runs.find((run) => run.kind === kind)!.steps.at(-1)!.loss;
    expect(last('unscaled')).toBeGreaterThan(1.5 * last('float32'));
    expect(last('scaled')).toBeLessThan((last('unscaled') + last('float32')) / 2);
  });
});
