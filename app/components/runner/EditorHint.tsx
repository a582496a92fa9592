import styles from './Runner.module.css';

/**
 * How a keyboard leaves the editor. Its room is always kept, before there is an editor and while it is hidden: a row that came or went would
 * move Run from under the pointer in mid-click.
 */
export function EditorHint({ id, shown }: { readonly id?: string; readonly shown: boolean }) {
  return (
    <p id={id} className={styles.hint} data-shown={shown}>
      Tab moves on; <kbd>Ctrl+M</kbd> makes it indent, <kbd>Esc</kbd> then Tab leaves. <kbd>Ctrl+Enter</kbd> runs.
    </p>
  );
}
