/** Operators on every pair of dtypes and ranks, from Python, against the lines that PyTorch prints for the same script. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeSession } from '@/engine/session/node';
import { recordGolden } from '../golden/results';
import { startSession } from './golden-python';

let session: NodeSession;
beforeAll(async () => {
  session = await startSession();
});
afterAll(() => session.close());

/** What differs on purpose, by the expression, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  '2049 // byte': 'PyTorch wraps 2049 to a byte without a word; here it raises',
  '2049 % byte': 'PyTorch wraps 2049 to a byte without a word; here it raises',
  '2 ** long1': '2**2049 wraps to 0 in PyTorch; int64 beyond 2**53 raises here',
  'float.pow_(0.1)': 'float32 pow: 1 ulp in one element (vendor library)',
};

it('operators, conversions and in-place methods print what PyTorch prints, values and errors', async () => {
  const folder = new URL('../golden/', import.meta.url);
  const script = readFileSync(new URL('generate/operators.py', folder), 'utf8');
  const expected = gunzipSync(readFileSync(new URL('data/operators.txt.gz', folder)))
    .toString()
    .trimEnd()
    .split('\n');
  let stdout = '';
  const result = await session.run(script, {
    timeLimit: 0,
    outputLimit: 0,
    onOutput: (text, stream) => {
      if (stream === 'stdout') stdout += text;
    },
  });
  expect(result.error?.traceback).toBe(undefined);
  const actual = stdout.trimEnd().split('\n');
  const label = (line: string): string => line.split(' | ')[0];
  expect(actual.map(label)).toEqual(expected.map(label));
  const differing = expected.filter((line, i) => line !== actual[i]);
  const unexplained = expected.flatMap((line, i) =>
    line === actual[i] || exceptions[label(line)] ? [] : [`got      ${actual[i]}\nexpected ${line}`],
  );
  recordGolden('operators', [
    {
      file: 'operators.txt',
      entries: expected.length,
      passed: expected.length - differing.length,
      compared: 'exact line: dtype, shape, nine digits of every element, or error type and text',
      exceptions: Object.entries(exceptions).map(([expression, reason]) => `${expression}: ${reason}`),
    },
  ]);
  expect(unexplained.slice(0, 10)).toEqual([]);
});
