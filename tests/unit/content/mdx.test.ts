import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { compileMdx, evaluateMdx } from '@/app/content/mdx';

const FENCE = '```';

async function compile(body: string) {
  const dir = mkdtempSync(join(tmpdir(), 'mdx-'));
  try {
    const file = join(dir, 'lesson.mdx');
    writeFileSync(file, `---\ntitle: T\n---\n${body}`);
    return await compileMdx(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Shows what the real Cell would get. */
function Cell({ code, expected, children }: { code: string; expected?: string; children: ReactNode }) {
  return createElement('section', { 'data-code': code, 'data-expected': expected }, children);
}

const render = (code: string) => renderToStaticMarkup(createElement(evaluateMdx(code), { components: { Cell } }));

const cell = (id: string, python = 'print(1 + 1)', output = '2') =>
  `<Cell id="${id}">\n${FENCE}python\n${python}\n${FENCE}\n\n${FENCE}output\n${output}\n${FENCE}\n</Cell>\n`;

test('a cell has its fences as code and expected output, with the line of its tag', async () => {
  const { cells } = await compile(`\nText.\n\n${cell('two', 'x = 1\nprint(x + 1)')}`);
  expect(cells).toEqual([{ id: 'two', code: 'x = 1\nprint(x + 1)', expected: '2\n', line: 7 }]);
});

test('the component gets code and expected; only the Python fence is rendered, highlighted', async () => {
  const html = render((await compile(cell('two'))).code);
  expect(html).toContain('data-code="print(1 + 1)"');
  expect(html).toContain('data-expected="2\n"');
  expect(html.match(/<pre/g)).toHaveLength(1);
  expect(html).toContain('var(--shiki-token-function)');
});

test('a cell without id, with a used id, or without Python is refused with file and line', async () => {
  await expect(compile(`<Cell>\n${FENCE}python\n1\n${FENCE}\n</Cell>`)).rejects.toThrow(
    /lesson\.mdx:4: <Cell> needs an id/,
  );
  await expect(compile(cell('a') + cell('a'))).rejects.toThrow(/"a", which an earlier cell has too/);
  await expect(compile('<Cell id="a">\nText\n</Cell>')).rejects.toThrow(/must hold exactly one ```python fence, has 0/);
});

test('an import is refused, unless it stands in a fence', async () => {
  await expect(compile('\nimport x from "y"\n')).rejects.toThrow(/no imports and no logic/);
  await expect(compile(`\n${FENCE}python\nimport torch\n${FENCE}\n`)).resolves.toBeDefined();
});

test('maths becomes MathML, a wrong formula is an error', async () => {
  expect(render((await compile('\n$2^{-24}$\n')).code)).toContain('<math');
  await expect(compile('\n$\\frac{1}$\n')).rejects.toThrow(/lesson\.mdx/);
});

test('second-level headings are listed with the ids that they have on the page', async () => {
  const { headings, code } = await compile('\n## Loss scaling\n\n### Not this\n\n## `inf` minus `inf`\n');
  expect(headings).toEqual([
    { id: 'loss-scaling', text: 'Loss scaling' },
    { id: 'inf-minus-inf', text: 'inf minus inf' },
  ]);
  expect(render(code)).toContain('<h2 id="inf-minus-inf">');
});

test('a table scrolls by itself and can be reached with the keyboard', async () => {
  expect(render((await compile('\n| a | b |\n|---|---|\n| 1 | 2 |\n')).code)).toMatch(
    /<div class="table" role="group" aria-label="Table" tabindex="0">\s*<table>/,
  );
});
