/** The scenarios of the first-nonfinite tracer: what their traces say is what PyTorch 2.13 gives, counterfactuals included. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBfloat16 } from '@/app/components/trace/bfloat16-source';
import { shortVerdict, traceGraph } from '@/app/components/trace/graph';
import { NodeSession } from '@/engine/session/node';
import type { TraceOptions } from '@/engine/session/session';

const folder = 'app/components/widgets/first-nonfinite-tracer/scenarios';
const source = (name: string) => readFileSync(`${folder}/${name}.py`, 'utf8');

const session = new NodeSession();
beforeAll(() => session.start());
afterAll(() => session.close());

async function trace(code: string, intervention?: TraceOptions['intervention']) {
  let printed = '';
  const { trace: events, error } = await session.run(code, {
    trace: { statistics: true, intervention },
    onOutput: (text) => void (printed += text),
  });
  expect(error?.traceback).toBeUndefined();
  return { printed, graph: traceGraph(events ?? []) };
}

const at = (graph: ReturnType<typeof traceGraph>) => graph.firstBad?.nth ?? -1;

test('a squared activation: 6 of 256 values overflow; float32, bfloat16 and a smaller input each repair it', async () => {
  const { printed, graph } = await trace(source('1-squared-activation'));
  expect(printed).toBe('nan\n');
  // From PyTorch 2.13: (h * h).isinf().sum() is 6, its largest finite value 65024; the mean has 5 infs, the output 20 NaN of 32.
  expect(shortVerdict(graph)).toBe('inf in mul, line 10');
  expect(graph.firstBad?.counts).toMatchObject({ numel: 256, inf: 6, nan: 0, zero: 128, max: 65024 });
  const byName = (name: string) => graph.nodes.filter((n) => n.name === name).at(-1)?.counts;
  expect(byName('div')).toMatchObject({ nan: 6, zero: 203 });
  expect(byName('matmul')).toMatchObject({ numel: 32, nan: 20 });

  expect(shortVerdict((await trace(source('1-squared-activation'), { at: at(graph), change: 'float32' })).graph)).toBe(
    'finite throughout',
  );
  expect(shortVerdict((await trace(source('1-squared-activation'), { at: at(graph), change: 1 / 256 })).graph)).toBe(
    'finite throughout',
  );
  const bfloat16 = (await trace(inBfloat16(source('1-squared-activation')).code)).graph;
  expect(shortVerdict(bfloat16)).toBe('finite throughout');
  expect(bfloat16.nodes.find((n) => n.name === 'mul' && n.line === 10)?.counts).toMatchObject({ max: 103936 });
});

test('softmax by hand: exp overflows first; in bfloat16 it does not', async () => {
  const { graph } = await trace(source('2-softmax-by-hand'));
  expect(shortVerdict(graph)).toBe('inf in exp, line 4');
  expect(shortVerdict((await trace(inBfloat16(source('2-softmax-by-hand')).code)).graph)).toBe('finite throughout');
});

test('attention scores under autocast: the product overflows in float16, the softmax in float32 only inherits', async () => {
  const { graph } = await trace(source('3-attention-scores'));
  expect(shortVerdict(graph)).toBe('inf in matmul, line 9');
  // q @ k.T in float16: 18 of 36 values beyond 65504, the others between -62496 and 62656.
  expect(graph.firstBad?.counts).toMatchObject({ numel: 36, inf: 18, min: -62496, max: 62656 });
  expect(graph.nodes.find((n) => n.name === 'softmax')).toMatchObject({ dtype: 'float32' });
  const wide = await trace(source('3-attention-scores'), { at: at(graph), change: 'float32' });
  expect(shortVerdict(wide.graph)).toBe('finite throughout');
  // From PyTorch in float32: the smallest score is -326672.97.
  expect(wide.graph.nodes.find((n) => n.name === 'matmul')?.counts?.min).toBeCloseTo(-326672.96875, 0);
});

test('a vanishing gradient: everything finite, and nothing left of the gradient', async () => {
  const { printed, graph } = await trace(source('4-vanishing-gradient'));
  expect(printed).toBe('[0.0, 0.0]\n');
  expect(graph.firstBad).toBeNull();
  expect(graph.firstVanished).toMatchObject({ phase: 'backward', name: 'matmul', line: 6 });
});

test('not AMP at all: log(0) is -inf in every dtype', async () => {
  const code = source('5-not-amp-at-all');
  const { graph } = await trace(code);
  expect(shortVerdict(graph)).toBe('inf in log, line 4');
  expect(shortVerdict((await trace(code, { at: at(graph), change: 'float32' })).graph)).toBe('inf in log, line 4');
  expect(shortVerdict((await trace(inBfloat16(code).code)).graph)).toBe('inf in log, line 4');
});

test('every scenario has its test', () => {
  expect(readdirSync(folder).sort()).toEqual([
    '1-squared-activation.py',
    '2-softmax-by-hand.py',
    '3-attention-scores.py',
    '4-vanishing-gradient.py',
    '5-not-amp-at-all.py',
  ]);
});
