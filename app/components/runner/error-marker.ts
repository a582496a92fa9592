/** Marks the line that a traceback points at, with the error below it, until the learner changes something. */
import { EditorSelection, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

export interface ErrorMark {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** Sets the mark, or removes it with null. */
export const markError = StateEffect.define<ErrorMark | null>();

/** The error in words, under its line. Not part of the code: nothing of it is read, selected or copied with the line. */
class Message extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  override eq(other: Message): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'cm-error-message';
    element.textContent = this.text;
    return element;
  }
}

/** The longest message that is put between lines; the output has all of it. */
const LONGEST = 300;

export const errorMarker = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(markError)) continue;
      const mark = effect.value;
      if (!mark || mark.line > transaction.state.doc.lines) return Decoration.none;
      const { from, to } = transaction.state.doc.line(mark.line);
      const line = Decoration.line({ class: 'cm-error-line', attributes: { 'data-error-line': String(mark.line) } });
      const text = mark.text.length > LONGEST ? `${mark.text.slice(0, LONGEST)}…` : mark.text;
      if (text === '') return Decoration.set([line.range(from)]);
      const message = Decoration.widget({ widget: new Message(text), block: true, side: 1 });
      return Decoration.set([line.range(from), message.range(to)]);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Puts the cursor at the first character of a line, in sight and with the focus. */
export function goToLine(view: EditorView, line: number): void {
  const { from, text } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  const at = from + text.search(/\S|$/);
  view.dispatch({
    selection: EditorSelection.cursor(at),
    effects: EditorView.scrollIntoView(at, { y: 'center' }),
  });
  view.focus();
}
