import { expect, test } from 'vitest';
import { parseWorkerMessage } from '@/engine/session/messages';

const outcome = { status: 'done', exitCode: 0, milliseconds: 1, kernels: 0 };

test('messages of the right form pass', () => {
  expect(parseWorkerMessage({ kind: 'output', id: 1, text: 'a', stream: 'stdout' })).toEqual({
    kind: 'output',
    id: 1,
    text: 'a',
    stream: 'stdout',
  });
  expect(parseWorkerMessage({ kind: 'outcome', id: 1, outcome })).toMatchObject({ kind: 'outcome', outcome });
});

test('fields that nobody asked for are dropped', () => {
  const message = parseWorkerMessage({ kind: 'up', html: '<script>', __proto__: { polluted: true } });
  expect(message).toEqual({ kind: 'up' });
});

test.each([
  null,
  'up',
  [],
  {},
  { kind: 'unknown' },
  { kind: 'output', id: 'x', text: 'a', stream: 'stdout' },
  { kind: 'output', id: 1, text: { length: 1 }, stream: 'stdout' },
  { kind: 'output', id: 1, text: 'a', stream: 'dialog' },
  { kind: 'outcome', id: 1, outcome: { ...outcome, status: 'passed' } },
  { kind: 'outcome', id: 1, outcome: { ...outcome, exitCode: Number.NaN } },
  { kind: 'ready', backend: { name: 'quantum' } },
  { kind: 'snapshot', heap: 'not a buffer' },
])('a forged message is dropped: %j', (message) => {
  expect(parseWorkerMessage(message)).toBeUndefined();
});

test('a forged value is dropped and the rest of the outcome stays', () => {
  const value = { kind: 'tensor', dtype: 'float16', shape: 'everything', device: 'cpu', bits: '' };
  const message = parseWorkerMessage({ kind: 'outcome', id: 1, outcome: { ...outcome, value } });
  expect(message).toMatchObject({ kind: 'outcome', outcome: { status: 'done', value: undefined } });
});

test('a value nested beyond any reason does not overflow the stack', () => {
  let value: unknown = { kind: 'none' };
  for (let i = 0; i < 50_000; i++) value = { kind: 'list', items: [value] };
  const message = parseWorkerMessage({ kind: 'outcome', id: 1, outcome: { ...outcome, value } });
  expect(message).toMatchObject({ outcome: { value: undefined } });
});
