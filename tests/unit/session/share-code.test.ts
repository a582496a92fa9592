import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCode, encodeCode, MAX_SHARED } from '@/app/lab/share-code';

test('any script comes back from its link as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2000 }), async (code) => {
      const text = await encodeCode(code);
      expect(text).toMatch(/^[A-Za-z0-9_-]*$/);
      expect(await decodeCode(text)).toBe(code);
    }),
    { numRuns: 50 },
  );
});

test('a damaged link is an error for people', async () => {
  await expect(decodeCode('%%%')).rejects.toThrow('the link is damaged');
  await expect(decodeCode((await encodeCode('print(1)')).slice(0, 5))).rejects.toThrow('the link is damaged');
});

test('a small link does not unpack to a huge script', async () => {
  const bomb = await encodeCode('x'.repeat(MAX_SHARED * 50));
  await expect(decodeCode(bomb)).rejects.toThrow('longer than 200,000 bytes');
});
