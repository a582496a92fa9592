/** The difference of two scripts as rows: lines that are equal, removed or added, with the words that changed inside a changed line. */
import { diffArrays, diffWordsWithSpace } from 'diff';

export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

export type Row =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly line: number; readonly pieces: readonly Piece[] }
  /** Equal lines that are left out. */
  | { readonly kind: 'skipped'; readonly line: number; readonly count: number };

/** Equal lines that are shown around a change. */
const CONTEXT = 3;

const lines = (code: string): string[] => code.replace(/\r\n?/g, '\n').trimEnd().split('\n');

/** Rows in the order in which they are read; `line` counts in the text that the row comes from. Equal codes give no row. */
export function rowsOf(before: string, after: string): readonly Row[] {
  const parts = diffArrays(lines(before), lines(after));
  if (parts.every((part) => !part.added && !part.removed)) return [];
  const rows: Row[] = [];
  let left = 1;
  let right = 1;
  for (const [index, part] of parts.entries()) {
    if (part.removed) {
      const next = parts[index + 1];
      const pairs = next?.added ? next.value : [];
      for (const [i, line] of part.value.entries()) rows.push(row('removed', left++, line, pairs[i]));
    } else if (part.added) {
      const previous = parts[index - 1];
      const pairs = previous?.removed ? previous.value : [];
      for (const [i, line] of part.value.entries()) rows.push(row('added', right++, line, pairs[i]));
    } else {
      const { length } = part.value;
      const head = index === 0 ? 0 : CONTEXT;
      const tail = index === parts.length - 1 ? 0 : CONTEXT;
      // One line left out would take the room of the line.
      const skip = length - head - tail > 1 ? length - head - tail : 0;
      for (const [i, line] of part.value.entries()) {
        if (skip > 0 && i >= head && i < head + skip) {
          if (i === head) rows.push({ kind: 'skipped', line: right, count: skip });
        } else rows.push({ kind: 'same', line: right, pieces: [{ text: line, changed: false }] });
        left++;
        right++;
      }
    }
  }
  return rows;
}

function row(kind: 'removed' | 'added', line: number, text: string, other: string | undefined): Row {
  if (other === undefined) return { kind, line, pieces: [{ text, changed: false }] };
  const words = kind === 'removed' ? diffWordsWithSpace(text, other) : diffWordsWithSpace(other, text);
  const mine = words.filter((w) => (kind === 'removed' ? !w.added : !w.removed));
  const kept = mine.filter((w) => !w.removed && !w.added).reduce((sum, w) => sum + w.value.trim().length, 0);
  // Lines with little in common are two lines, not one that changed.
  if (kept * 3 < text.trim().length) return { kind, line, pieces: [{ text, changed: false }] };
  return { kind, line, pieces: mine.map((w) => ({ text: w.value, changed: w.removed || w.added })) };
}
