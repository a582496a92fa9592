import { expect, test } from 'vitest';
import { rowsOf } from '@/app/components/exercise/code-diff';

const text = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) =>
    row.kind === 'skipped'
      ? `… ${row.count}`
      : `${{ same: ' ', removed: '-', added: '+' }[row.kind]}${row.pieces.map((p) => (p.changed ? `[${p.text}]` : p.text)).join('')}`,
  );

test('equal codes give no row, whatever their line ends', () => {
  expect(rowsOf('a\nb\n', 'a\r\nb')).toEqual([]);
});

test('the words that changed are marked inside a changed line', () => {
  expect(text(rowsOf('e = torch.exp(x)\nreturn e', 'e = torch.exp(shifted)\nreturn e'))).toEqual([
    '-e = torch.exp([x])',
    '+e = torch.exp([shifted])',
    ' return e',
  ]);
});

test('indentation counts as a change', () => {
  expect(text(rowsOf('if a:\n    b\nc', 'if a:\n    b\n    c'))).toEqual([' if a:', '     b', '-c', '+[    ]c']);
});

test('lines with little in common are a removal and an addition', () => {
  expect(text(rowsOf('pass', 'return x / x.sum()'))).toEqual(['-pass', '+return x / x.sum()']);
});

test('long runs of equal lines are left out, but for three beside a change', () => {
  const lines = Array.from({ length: 12 }, (_, i) => `line ${i}`);
  expect(text(rowsOf([...lines, 'x'].join('\n'), [...lines, 'y'].join('\n')))).toEqual([
    '… 9',
    ' line 9',
    ' line 10',
    ' line 11',
    '-x',
    '+y',
  ]);
});

test('one equal line is never left out: its notice would be as long', () => {
  expect(text(rowsOf('a\n1\n2\n3\n4\n5\n6\n7\nb', 'A\n1\n2\n3\n4\n5\n6\n7\nB')).slice(2, 9)).toEqual([
    ' 1',
    ' 2',
    ' 3',
    ' 4',
    ' 5',
    ' 6',
    ' 7',
  ]);
});
