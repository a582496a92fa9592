/** Every <Num> of every text is run again: its prose, the reference and PyTorch's recorded value say the same. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate, faultsOf, mdxFiles, unusedFacts, witnessesOf } from '../../app/content/witness/verify';
import { readFacts } from '../../app/content/witness/witness';
import { NodeSession } from '../../engine/session/node';

const session = new NodeSession();
beforeAll(() => session.start());
afterAll(() => session.close());

for (const file of mdxFiles()) {
  const witnesses = await witnessesOf(file);
  const facts = readFacts(file);
  if (witnesses.length === 0 && !facts) continue;
  describe(file, () => {
    for (const witness of witnesses) {
      test(`line ${witness.line}: "${witness.shown}" is ${witness.expr}`, async () => {
        expect(faultsOf(file, witness, await evaluate(session, witness), facts)).toEqual([]);
      });
    }
    test('no recorded fact is unused', () => {
      expect(unusedFacts(file, witnesses)).toEqual([]);
    });
  });
}

test('a wrong digit fails with file, line, expression, what the page says and what the reference gives', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'witness-'));
  const file = join(dir, 'lesson.mdx');
  writeFileSync(file, '---\ntitle: x\n---\n\nThe largest is <Num expr="torch.finfo(torch.float16).max">65505</Num>.\n');
  const [witness] = await witnessesOf(file);
  const reference = await evaluate(session, witness);
  const facts = { torch: '2.13.0', facts: { 'torch.finfo(torch.float16).max': reference } };
  expect(faultsOf(file, witness, reference, facts)).toEqual([
    `${file}:5: <Num expr="torch.finfo(torch.float16).max">: the page says "65505"; on the reference backend, got 65504.0`,
  ]);
});

test('a value that PyTorch does not give fails', async () => {
  const witness = { expr: 'torch.tensor(0.1, dtype=torch.float16)', setup: '', shown: '0.09998', line: 1 };
  const reference = await evaluate(session, witness);
  const other = { kind: 'tensor', dtype: 'float16', shape: [], device: 'cpu', bits: '2e67' } as const;
  expect(faultsOf('x.mdx', witness, reference, { torch: '2.13.0', facts: { [witness.expr]: other } })).toEqual([
    `x.mdx:1: <Num expr="${witness.expr}">: element 0: the reference gives 0.0999755859375, PyTorch 0.10003662109375`,
  ]);
  expect(faultsOf('x.mdx', witness, reference, undefined)).toEqual([
    expect.stringContaining('no PyTorch value is recorded'),
  ]);
});

test('an expression that raises fails with Python’s own message', async () => {
  const witness = { expr: 'torch.tensor(1).nosuch', setup: '' };
  await expect(evaluate(session, witness)).rejects.toThrow(/^AttributeError: /);
});

test('statements before the expression are run', async () => {
  const value = await evaluate(session, { setup: 'x = torch.tensor([20.0, 19.0]); y = x.softmax(0)', expr: 'y[0]' });
  expect(value).toMatchObject({ kind: 'tensor', dtype: 'float32' });
});
