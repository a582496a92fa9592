import { deflateRawSync } from 'node:zlib';
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
  const bomb = deflateRawSync('x'.repeat(MAX_SHARED * 50)).toString('base64url');
  await expect(decodeCode(bomb)).rejects.toThrow('longer than 200,000 bytes');
});

test('no link is made of a script that no link would open', async () => {
  await expect(decodeCode(await encodeCode('é'.repeat(MAX_SHARED / 2)))).resolves.toHaveLength(MAX_SHARED / 2);
  await expect(encodeCode(`${'é'.repeat(MAX_SHARED / 2)}x`)).rejects.toThrow('it has 200,001 bytes');
});
