'use client';
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { EditorHint } from './EditorHint';
import { editorTheme } from './editor-theme';
import { errorMarker, goToLine, markError } from './error-marker';
import styles from './Runner.module.css';
import { loadSurface, signatureHelp } from './signature-help';
import { torchCompletions } from './torch-completions';

export interface EditorProps {
  readonly value: string;
  onChange(value: string): void;
  /** Ctrl/Cmd+Enter. */
  onRun?(): void;
  /** Ctrl/Cmd+Shift+Enter. */
  onSubmit?(): void;
  /** Line to mark, 1-based, and what is wrong there. */
  readonly errorLine?: number;
  readonly errorText?: string;
  readonly label?: string;
  readonly readOnly?: boolean;
  /** Take the focus when first shown. */
  readonly takesFocus?: boolean;
  readonly ref?: React.Ref<EditorHandle>;
}

export interface EditorHandle {
  /** Puts the cursor on a line, 1-based, in sight and with the focus. */
  goToLine(line: number): void;
}

/**
 * A Python editor. Tab moves the focus on, so that nobody is trapped; Ctrl+M (Shift+Alt+M on a Mac) makes Tab indent, and Escape
 * lets the next Tab out again.
 */
export default function Editor({
  value,
  onChange,
  onRun,
  onSubmit,
  errorLine,
  errorText,
  label = 'Code',
  readOnly,
  takesFocus,
  ref,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const callbacks = useRef({ onChange, onRun, onSubmit });
  callbacks.current = { onChange, onRun, onSubmit };
  const initial = useRef({ value, takesFocus });
  const hint = useId();
  const [focused, setFocused] = useState(false);

  // Before the paint: the still code that had the focus is gone by then.
  useLayoutEffect(() => {
    const made = new EditorView({
      parent: host.current!,
      state: EditorState.create({
        doc: initial.current.value,
        extensions: [
          Prec.highest(
            keymap.of([
              { key: 'Mod-Shift-Enter', run: () => call(callbacks.current.onSubmit) },
              { key: 'Mod-Enter', run: () => call(callbacks.current.onRun) },
            ]),
          ),
          lineNumbers(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of('    '),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [torchCompletions] }),
          signatureHelp,
          python(),
          editorTheme,
          errorMarker,
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
          EditorView.contentAttributes.of({
            // Editable content can be focused anyway; said out loud, tools see that the box around it can be scrolled by keyboard.
            tabindex: '0',
            'aria-label': label,
            'aria-multiline': 'true',
            'aria-describedby': hint,
            spellcheck: 'false',
            autocapitalize: 'off',
            autocorrect: 'off',
          }),
          EditorState.readOnly.of(readOnly ?? false),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) callbacks.current.onChange(update.state.doc.toString());
            if (update.focusChanged) setFocused(update.view.hasFocus);
          }),
        ],
      }),
    });
    made.setTabFocusMode(true);
    if (initial.current.takesFocus) made.focus();
    initial.current.takesFocus = false;
    view.current = made;
    // Fails offline, say: then the first completion asks again.
    loadSurface().catch(() => undefined);
    return () => made.destroy();
  }, [label, readOnly, hint]);

  useImperativeHandle(ref, () => ({ goToLine: (line) => view.current && goToLine(view.current, line) }), []);

  // A value from outside (a draft, a reset) goes through the editor's history: Ctrl+Z brings back what it replaced.
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({ effects: markError.of(errorLine ? { line: errorLine, text: errorText ?? '' } : null) });
  }, [errorLine, errorText]);

  return (
    <>
      <div ref={host} className={styles.editor} />
      <EditorHint id={hint} shown={focused} />
    </>
  );
}

function call(callback: (() => void) | undefined): boolean {
  callback?.();
  return callback !== undefined;
}
