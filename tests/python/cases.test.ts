/**
 * Scripts about what people who train in mixed precision really got stuck on (tests/cases/README.md): our torch prints exactly what
 * PyTorch 2.13 printed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { NodeSession } from '@/engine/session/node';

const folder = new URL('../cases/data/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .map((name) => name.slice(0, -3));

describe('real cases print what PyTorch prints', () => {
  const session = new NodeSession();
  beforeAll(async () => {
    await session.start();
  });

  it.each(names)('%s', async (name) => {
    let stdout = '';
    const result = await session.run(readFileSync(new URL(`${name}.py`, folder), 'utf8'), {
      filename: `${name}.py`,
      onOutput: (text, stream) => {
        if (stream === 'stdout') stdout += text;
      },
    });
    expect(result.error?.traceback ?? '').toBe('');
    expect(stdout).toBe(readFileSync(new URL(`${name}.out`, folder), 'utf8'));
  });
});
