/** The GradScaler lab: every named order does, to the bit and to the letter, what real PyTorch did with the same script. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '@/app/components/widgets/gradscaler-order/explain';
import { KNOWN_ORDERS, type KnownId, known } from '@/app/components/widgets/gradscaler-order/known-orders';
import { type Outcome, runOrder } from '@/app/components/widgets/gradscaler-order/outcome';
import { firstDifference, isAnswer, PUZZLES } from '@/app/components/widgets/gradscaler-order/puzzles';
import { type StepId, scriptOf } from '@/app/components/widgets/gradscaler-order/steps';
import { NodeSession } from '@/engine/session/node';

interface Golden {
  readonly iterations: readonly { readonly scale: number; readonly norm: string | null; readonly bits: string }[];
  readonly raised: { readonly type: string; readonly message: string; readonly line: number } | null;
}

const goldens: Readonly<Record<string, Golden>> = JSON.parse(
  readFileSync(fileURLToPath(new URL('gradscaler_orders.json', import.meta.url)), 'utf8'),
);

const session = new NodeSession();
const outcomes = new Map<string, Outcome>();
const of = (id: KnownId): Outcome => outcomes.get(id)!;

async function outcomeOf(order: readonly StepId[]): Promise<Outcome> {
  const { outcome, result } = await runOrder(session, order);
  if (!outcome) throw new Error(`stopped: ${result.reason}`);
  return outcome;
}

beforeAll(async () => {
  await session.start();
  for (const { id, order } of KNOWN_ORDERS) outcomes.set(id, await outcomeOf(order));
});

describe('an order does what PyTorch does', () => {
  for (const { id, order } of KNOWN_ORDERS) {
    test(`"${id}": scale, norm and every bit of the parameters after each iteration, or the message`, () => {
      const golden = goldens[id]!;
      const { iterations, raised } = of(id);
      expect(iterations.map((it) => ({ scale: it.scale, bits: it.bits }))).toEqual(
        golden.iterations.map(({ scale, bits }) => ({ scale, bits })),
      );
      for (const [i, it] of iterations.entries()) {
        const norm = golden.iterations[i]!.norm;
        expect(it.norm === undefined ? null : it.norm).toBe(
          norm === null ? null : Number(norm.replace('inf', 'Infinity')),
        );
      }
      expect(raised ? { type: raised.type, message: raised.message, position: raised.position } : null).toEqual(
        golden.raised && {
          type: golden.raised.type,
          message: golden.raised.message,
          position: scriptOf(order).positions.get(golden.raised.line),
        },
      );
    });
  }
});

describe('explanations', () => {
  const others = () => [...outcomes.values()];
  const told = async (...order: StepId[]) => explain(await outcomeOf(order), of('right'), others());

  test('clipping without unscale_ has the bits of clip before unscale_', () => {
    const { verdict, twin } = explain(of('no-unscale'), of('right'), others());
    expect(verdict).toBe('silent');
    expect(twin?.id).toBe('clip-before-unscale');
  });

  test('an order of the learner’s own is recognised by its bits', async () => {
    // zero_grad after forward is no fault, so the fault that is left is clip before unscale_.
    const told1 = await told('forward', 'zero_grad', 'backward', 'clip', 'unscale_', 'step', 'update');
    expect(told1.twin?.id).toBe('clip-before-unscale');
    expect((await told('forward', 'zero_grad', 'backward', 'unscale_', 'clip', 'step', 'update')).verdict).toBe('same');
  });

  test.each([
    [['zero_grad', 'forward', 'backward', 'backward', 'step', 'update'], /frees the graph/, 'iteration 1'],
    [['zero_grad', 'backward', 'forward', 'step', 'update'], /loss does not exist/, 'iteration 1'],
    [['zero_grad', 'forward', 'step', 'backward', 'update'], /scale comes into being/, 'iteration 1'],
    [['zero_grad', 'forward', 'backward', 'step'], /One step an update/, 'iteration 2'],
    [['zero_grad', 'forward', 'backward', 'unscale_', 'step', 'update', 'update'], /neither has looked/, 'iteration 1'],
  ] as const)('%s says why it raises', async (order, why, where) => {
    const told1 = await told(...order);
    expect(told1.verdict).toBe('raised');
    expect(told1.headline).toContain(where);
    expect(told1.body.join(' ')).toMatch(why);
  });
});

describe('puzzles', () => {
  for (const { hidden, choices } of PUZZLES) {
    test(`the trace of "${hidden}" has one answer, and each other choice differs from it somewhere that is named`, () => {
      expect(choices).toContain(hidden);
      expect(new Set(choices).size).toBe(choices.length);
      for (const choice of choices) {
        const right = isAnswer(of(hidden), of(choice));
        expect(right, `${choice} for ${hidden}`).toBe(choice === hidden);
        expect(firstDifference(of(hidden), of(choice)) === undefined).toBe(right);
      }
    });
  }

  test('they are about different orders', () => {
    expect(new Set(PUZZLES.map((p) => p.hidden)).size).toBe(PUZZLES.length);
    for (const { hidden } of PUZZLES) expect(known(hidden).order.length).toBeGreaterThan(5);
  });
});
