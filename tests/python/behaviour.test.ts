/**
 * Scripts that walk through one part of torch each: protocols, printing, texts of errors and warnings. `NAME.out` is what PyTorch 2.13 on
 * CPython printed (CPU); ours is to print the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeSession } from '@/engine/session/node';

const folder = new URL('./behaviour/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .map((name) => name.slice(0, -3));

describe('torch prints what PyTorch prints', () => {
  const session = new NodeSession();
  beforeAll(async () => {
    await session.start();
  });

  it.each(names)('%s', async (name) => {
    let stdout = '';
    const result = await session.run(readFileSync(new URL(`${name}.py`, folder), 'utf8'), {
      filename: `${name}.py`,
      timeLimit: 0,
      onOutput: (text, stream) => {
        if (stream === 'stdout') stdout += text;
      },
    });
    expect(result.error?.traceback ?? '').toBe('');
    expect(stdout).toBe(readFileSync(new URL(`${name}.out`, folder), 'utf8'));
  });
});
