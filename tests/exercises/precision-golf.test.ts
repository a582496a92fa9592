/** The frontier that learners are measured against: every policy is run on the engine. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeSession } from '@/engine/session/node';
import type { PyValue } from '@/engine/session/session';
import { BATCHES, BLOCK, exactLoss, OPS, TARGET } from '@/exercises/precision-golf/data';
import { batchValues, PAR } from '@/exercises/precision-golf/exercise';
import { FRONTIER } from '@/exercises/precision-golf/frontier';

const ALL = `
import itertools
import torch
${BLOCK}
NAMES = {"h": torch.float16, "b": torch.bfloat16, "f": torch.float32}

def largest_errors(batches, exact):
    found = {}
    for letters in itertools.product("hbf", repeat=${OPS.length}):
        policy = dict(zip(${JSON.stringify(OPS)}, (NAMES[c] for c in letters)))
        losses = [block(x, keys, policy).tolist() for x, keys in batches]
        off = [abs(v - e) for row, right in zip(losses, exact) for v, e in zip(row, right)]
        found["".join(letters)] = max(off) if all(o == o for o in off) else float("inf")
    return found
`;

let session: NodeSession;
beforeAll(async () => {
  session = new NodeSession();
  await session.start();
});
afterAll(() => session.close());

test('no policy has a smaller error at its price than the frontier says, and the frontier’s have it', async () => {
  await session.run(ALL);
  const exact: PyValue = {
    kind: 'list',
    items: BATCHES.map((b) => ({
      kind: 'list',
      items: exactLoss(b).map((value) => ({ kind: 'number', type: 'float', value })),
    })),
  };
  const result = await session.evaluate(
    'largest_errors(batches, exact)',
    { batches: batchValues, exact },
    { timeLimit: 0 },
  );
  expect(result.error).toBeUndefined();
  const entries = result.value?.kind === 'dict' ? result.value.entries : [];
  expect(entries).toHaveLength(3 ** OPS.length);
  const errors = new Map(entries.map(([name, v]) => [name, v.kind === 'number' ? Number(v.value) : Number.NaN]));
  for (const { wide, error, policy } of FRONTIER) {
    const rivals = [...errors].filter(([name]) => [...name].filter((c) => c === 'f').length === wide);
    const best = Math.min(...rivals.map(([, e]) => e));
    // float32's own functions may differ by a unit in the last place: 2^-24 of losses below 8
    expect(Math.abs(best - error)).toBeLessThan(1e-6);
    expect(Math.abs((errors.get(policy) as number) - error)).toBeLessThan(1e-6);
  }
  // The par hangs on no last bit: nobody is within a tenth of the target.
  expect(PAR).toBe(3);
  expect(
    [...errors].filter(([name, e]) => name.replace(/[^f]/g, '').length <= PAR && Math.abs(e / TARGET - 1) < 0.1),
  ).toEqual([]);
});
