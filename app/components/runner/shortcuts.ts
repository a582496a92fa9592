/** The keys of the site, once: what the runner listens to and what the list of keys shows. */

export interface Shortcut {
  /** As CodeMirror writes them: "Mod" is Ctrl, on a Mac Cmd. */
  readonly keys: string;
  readonly does: string;
}

/** What the runner itself does, wherever the focus is inside it. */
export const RUNNER_KEYS = {
  run: { keys: 'Mod-Enter', does: 'Run the code' },
  submit: { keys: 'Mod-Shift-Enter', does: 'Submit the exercise' },
  // The keys beside each other; Ctrl+. alone opens the emoji picker of some Linux desktops.
  stop: { keys: 'Mod-Shift-.', does: 'Stop what runs' },
  hint: { keys: 'Mod-Shift-,', does: 'Show the next hint' },
  error: { keys: 'F8', does: 'Go to the line of the error' },
} as const satisfies Record<string, Shortcut>;

export type RunnerKey = keyof typeof RUNNER_KEYS;

/** The list of keys, as the dialog shows it. */
export const KEY_MAP: readonly { readonly title: string; readonly keys: readonly Shortcut[] }[] = [
  { title: 'In a cell or an exercise', keys: Object.values(RUNNER_KEYS) },
  {
    title: 'In the editor',
    keys: [
      { keys: 'Tab', does: 'Go on to the next control (the editor does not keep the keyboard)' },
      { keys: 'Ctrl-m', does: 'Make Tab indent, and back (Shift+Alt+M on a Mac)' },
      { keys: 'Escape Tab', does: 'Leave the editor while Tab indents' },
      { keys: 'Ctrl-Space', does: 'Complete a name of torch' },
      { keys: 'Mod-Shift-Space', does: 'Show and read the parameters of the call around the cursor' },
      { keys: 'Mod-/', does: 'Comment lines out and in' },
      { keys: 'Mod-z', does: 'Undo' },
    ],
  },
  {
    title: 'Anywhere',
    keys: [
      { keys: '?', does: 'Open this list (where you are not typing)' },
      { keys: 'Escape', does: 'Close a dialog or a tip' },
    ],
  },
];

const isMac = (): boolean => /Mac|iP(hone|ad)/.test(navigator.platform);

/** Keys of the number row and its neighbours change their character with Shift: what they are called on the keyboard. */
const CODES: Readonly<Record<string, string>> = { '.': 'Period', ',': 'Comma', Enter: 'Enter', F8: 'F8' };

/** Whether a key press is this shortcut. */
export function pressed(
  event: Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  keys: string,
  mac = isMac(),
): boolean {
  const parts = keys.split('-');
  const mod = parts.includes('Mod');
  return (
    event.code.replace('NumpadEnter', 'Enter') === CODES[parts.at(-1) ?? ''] &&
    (mac ? event.metaKey : event.ctrlKey) === mod &&
    !(mac ? event.ctrlKey : event.metaKey) &&
    event.shiftKey === parts.includes('Shift') &&
    !event.altKey
  );
}

/** The keys of a shortcut as a person reads them: ["Ctrl", "Shift", "Enter"]. */
export function written(keys: string, mac: boolean): readonly string[] {
  return keys
    .split(/[- ]/)
    .map((key) =>
      key === 'Mod' ? (mac ? 'Cmd' : 'Ctrl') : key === 'Escape' ? 'Esc' : key.length === 1 ? key.toUpperCase() : key,
    );
}
