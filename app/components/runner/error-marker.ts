/** Marks the line that a traceback points at, until the learner changes something. */
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

export interface ErrorMark {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** Sets the mark, or removes it with null. */
export const markError = StateEffect.define<ErrorMark | null>();

export const errorMarker = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(markError)) continue;
      const mark = effect.value;
      if (!mark || mark.line > transaction.state.doc.lines) return Decoration.none;
      const { from } = transaction.state.doc.line(mark.line);
      const line = Decoration.line({
        class: 'cm-error-line',
        attributes: { title: mark.text, 'data-error-line': String(mark.line) },
      });
      return Decoration.set([line.range(from)]);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});
