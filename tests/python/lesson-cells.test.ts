/** Every cell of every lesson runs, and prints exactly what the page says it prints: a number in a lesson is never typed in by hand. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lessons } from '../../app/content/lessons';
import { NodeSession } from '../../engine/session/node';

const session = new NodeSession();
beforeAll(() => session.start());
afterAll(() => session.close());

for (const lesson of await lessons()) {
  describe(lesson.slug, () => {
    for (const cell of lesson.mdx.cells) {
      test(`cell "${cell.id}" prints what the lesson shows`, async () => {
        expect(cell.expected, `cell "${cell.id}" (line ${cell.line}) has no output fence`).toBeDefined();
        let stdout = '';
        const onOutput = (text: string, stream: string) => {
          if (stream === 'stdout') stdout += text;
        };
        const result = await session.run(cell.code, { onOutput });
        expect(result.error?.traceback).toBeUndefined();
        expect(stdout).toBe(cell.expected);
      });
    }
  });
}
