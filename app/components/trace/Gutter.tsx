import type { Lanes } from './rows';
import styles from './trace.module.css';

/** Pixels between lanes, before the first, and the most that are drawn apart. */
const STEP = 11;
const MARGIN = 8;
const MOST = 7;

const x = (lane: number) => MARGIN + Math.min(lane, MOST - 1) * STEP;

export const gutterWidth = (lanes: readonly Lanes[]): number =>
  x(Math.max(0, ...lanes.map((l) => l.width - 1))) + MARGIN;

/** The edges beside one row: what passes, what ends here, what goes on. `y`: height of the row's own dot in pixels. */
export function Gutter(props: {
  readonly lanes: Lanes;
  readonly width: number;
  readonly y: number;
  readonly look: 'bad' | 'first' | 'vanished' | 'input' | 'fold' | 'good';
  readonly isBad: (row: number) => boolean;
}) {
  const { lanes, width, y, look, isBad } = props;
  const own = x(lanes.own);
  return (
    <svg className={styles.gutter} width={width} aria-hidden="true" focusable="false">
      {lanes.through.map(({ lane, from }) => (
        <line key={lane} x1={x(lane)} x2={x(lane)} y1="0" y2="100%" data-bad={isBad(from)} />
      ))}
      {lanes.joins.map(({ lane, from }) => (
        <path
          key={lane}
          d={`M${x(lane)} 0C${x(lane)} ${y * 0.75} ${own} ${y * 0.25} ${own} ${y}`}
          data-bad={isBad(from)}
        />
      ))}
      {lanes.goesOn ? <line x1={own} x2={own} y1={y} y2="100%" data-bad={look === 'bad' || look === 'first'} /> : null}
      <circle cx={own} cy={y} r={look === 'first' ? 6 : look === 'fold' ? 3 : 4} data-look={look} />
    </svg>
  );
}
