/**
 * A small classifier, trained in pure 16 bits through the whole core (dispatch, autograd, in-place updates) with "cuda" served by WebGPU and,
 * beside it, by the reference: after every step all weights have the same bits, and the forward and backward ran as kernels.
 */
import { expect, test } from 'vitest';
import { type Bridge, createBridge } from '@/engine/session/bridge';
import { randomWords } from './calls';
import { testBackend } from './dawn';

const backend = await testBackend();
const [rows, features, hidden, classes] = [24, 12, 16, 5];
const uniform = (n: number, seed: number, scale: number) =>
  Array.from(randomWords(n, seed), (w) => ((w >>> 8) / 2 ** 24 - 0.5) * scale);

async function train(b: Bridge, dtype: 'float16' | 'bfloat16', steps: number): Promise<string[]> {
  const leaf = (shape: number[], seed: number, scale: number) => {
    const t = b.from_values(
      uniform(
        shape.reduce((x, y) => x * y, 1),
        seed,
        scale,
      ),
      dtype,
      'cuda',
      ...shape,
    );
    b.set_requires_grad(t, true);
    return t;
  };
  const x = b.from_values(uniform(rows * features, 1, 4), dtype, 'cuda', rows, features);
  const target = b.from_values(
    Array.from({ length: rows }, (_, i) => (i * i) % classes),
    'int64',
    'cuda',
    rows,
  );
  const weights = [
    leaf([hidden, features], 2, 1),
    leaf([hidden], 3, 1),
    leaf([classes, hidden], 4, 1),
    leaf([classes], 5, 1),
  ];
  const seen: string[] = [];
  for (let step = 0; step < steps; step++) {
    const h = b.op('relu', b.op('linear', x, weights[0], weights[1]) as number) as number;
    const logits = b.op('linear', h, weights[2], weights[3]) as number;
    const loss = b.op('nll_loss', b.op('log_softmax', logits, 1, null), target, 0, 1, -100) as number;
    const run = b.backward_start(4, 1, loss, 0, -1);
    for (let code = b.backward_step(run); code !== 0; code = b.backward_resume(run)) await b.backward_wait(run);
    b.backward_end(run);
    const before = b.set_grad_enabled(false);
    for (const w of weights) {
      b.op_('sub', w, w, b.grad(w), 0, -3, 0.5);
      b.set_grad(w, 0);
    }
    b.set_grad_enabled(before);
    seen.push(
      (await b.bits(loss)) as string,
      ...(await Promise.all(weights.map((w) => b.bits(w) as string | Promise<string>))),
    );
  }
  return seen;
}

test.each(['float16', 'bfloat16'] as const)(
  "%s: every weight has the reference's bits after every step",
  async (dtype) => {
    const steps = 6;
    const onGpu = await train(createBridge({ cuda: backend }), dtype, steps);
    const onReference = await train(createBridge(), dtype, steps);
    expect(onGpu).toEqual(onReference);
    expect(new Set(onGpu).size).toBe(5 * steps); // it learns: nothing stays as it was
    for (const op of [
      'linear',
      'relu',
      'log_softmax',
      'nll_loss',
      'nll_loss_backward',
      '_log_softmax_backward_data',
      'threshold_backward',
      'matmul',
      'sum',
      'sub',
    ]) {
      const counts = backend.stats.byOp.get(op);
      expect(counts && { op, host: counts.host, ran: counts.kernel > 0 }).toEqual({ op, host: 0, ran: true });
    }
    expect(backend.notices).toEqual([]);
  },
  120_000,
);
