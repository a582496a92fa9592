/**
 * A runnable piece of Python. This is the still version: code, and what it prints. (The session's own replaces it.)
 */
export interface RunnerProps {
  /** Stable and unique on its page; drafts are kept under it. */
  readonly id: string;
  readonly code: string;
  /** Exactly what Python prints for the untouched code. */
  readonly expected?: string;
  readonly title?: string;
  /** The same code highlighted, shown until the editor takes its place. */
  readonly children?: React.ReactNode;
}

export function Runner({ id, code, expected, title, children }: RunnerProps) {
  return (
    <section data-runner={id} data-state="idle" aria-label={title ?? 'Code'}>
      {children ?? (
        <pre>
          <code>{code}</code>
        </pre>
      )}
      {expected === undefined ? null : (
        <section aria-label="Output">
          <pre>{expected}</pre>
        </section>
      )}
    </section>
  );
}
