import { number } from '@/app/components/plot/scale';
import styles from './GradScalerOrder.module.css';
import { errors, type Outcome, strides } from './outcome';
import { normText } from './puzzles';
import { stepOf } from './steps';

interface TraceTableProps {
  readonly outcome: Outcome;
  readonly label: string;
  /** With it, a column says how far the parameters are from the right order's. */
  readonly right?: Outcome;
  /** The call that raised is named; puzzles don't tell. */
  readonly tell?: boolean;
}

/** One row an iteration: the norm that clip returned, how far the parameters moved, the scale after it; at the end the message, if any. */
export function TraceTable({ outcome, label, right, tell = false }: TraceTableProps) {
  const { iterations, raised, order } = outcome;
  const moved = strides(outcome);
  const off = right ? errors(outcome, right) : undefined;
  const at = raised?.position === undefined ? undefined : order[raised.position];
  return (
    <div className={styles.trace}>
      {iterations.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
        <section className={styles.scroll} aria-label={label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">iteration</th>
                <th scope="col">norm</th>
                <th scope="col">moved by</th>
                <th scope="col">scale after</th>
                {off ? <th scope="col">error</th> : null}
              </tr>
            </thead>
            <tbody>
              {iterations.map((it, i) => (
                <tr key={it.bits + String(i)} data-iteration={i + 1}>
                  <th scope="row">{i + 1}</th>
                  <td data-nonfinite={it.norm !== undefined && !Number.isFinite(it.norm)}>{normText(it.norm)}</td>
                  <td>{number(moved[i] ?? Number.NaN)}</td>
                  <td>{it.scale.toLocaleString('en', { useGrouping: false })}</td>
                  {off ? <td>{number(off[i] ?? Number.NaN)}</td> : null}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
      {raised ? (
        <p className={styles.message}>
          <span>
            iteration {raised.iteration}
            {tell && at ? `, ${stepOf(at).name}` : ''}
          </span>
          <samp>
            {raised.type}: {raised.message}
          </samp>
        </p>
      ) : null}
    </div>
  );
}
