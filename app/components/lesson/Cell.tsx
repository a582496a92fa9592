import { Runner } from '@/app/components/runner/Runner';

export interface CellProps {
  readonly id: string;
  readonly title?: string;
  /** From the cell's python fence, by app/content/cells.ts. */
  readonly code: string;
  /** From its output fence. */
  readonly expected?: string;
  /** The highlighted fence. */
  readonly children?: React.ReactNode;
}

/** A runnable cell. */
export function Cell({ id, title, code, expected, children }: CellProps) {
  return (
    <div className="wide">
      <Runner id={id} title={title} code={code} expected={expected}>
        {children}
      </Runner>
    </div>
  );
}
