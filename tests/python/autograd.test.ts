/**
 * Autograd in Python: our torch prints what PyTorch 2.13 printed (`*.out`, made by running the same script), gradients, names and error
 * texts alike.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeSession } from '@/engine/session/node';

const folder = new URL('./autograd/', import.meta.url);

describe('autograd prints what PyTorch prints', () => {
  const session = new NodeSession();
  beforeAll(async () => {
    await session.start();
  });

  it.each(['semantics', 'in-place-and-dtypes'])('%s', async (name) => {
    let stdout = '';
    const result = await session.run(readFileSync(new URL(`${name}.py`, folder), 'utf8'), {
      filename: `${name}.py`,
      onOutput: (text, stream) => {
        if (stream === 'stdout') stdout += text;
      },
    });
    expect(result.error?.traceback ?? '').toBe('');
    expect(stdout.split('\n')).toEqual(readFileSync(new URL(`${name}.out`, folder), 'utf8').split('\n'));
  });
});
