import { afterEach, expect, test, vi } from 'vitest';
import { OutputBatch } from '@/engine/session/output-batch';

afterEach(() => vi.restoreAllMocks());

/** A batch under a clock that the test moves. */
function batchAt(clock: { now: number }) {
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now);
  const sent: [string, string][] = [];
  return { sent, batch: new OutputBatch((text, stream) => sent.push([text, stream])) };
}

test('a first print is sent at once', () => {
  const { sent, batch } = batchAt({ now: 1000 });
  batch.write('a\n', 'stdout');
  expect(sent).toEqual([['a\n', 'stdout']]);
});

test('ten thousand prints within one frame become a handful of messages, and nothing is lost', () => {
  const { sent, batch } = batchAt({ now: 1000 });
  for (let i = 0; i < 10_000; i++) batch.write(`${i}\n`, 'stdout');
  batch.flush();
  expect(sent.length).toBeLessThan(12);
  expect(sent.map(([text]) => text).join('')).toBe(Array.from({ length: 10_000 }, (_, i) => `${i}\n`).join(''));
});

test('stdout and stderr keep their order', () => {
  const { sent, batch } = batchAt({ now: 1000 });
  for (let i = 0; i < 20; i++) {
    batch.write('o', 'stdout');
    batch.write('e', 'stderr');
  }
  batch.flush();
  expect(sent.map(([text]) => text).join('')).toBe('oe'.repeat(20));
});
