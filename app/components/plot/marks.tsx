/** What can be drawn in a plot: lines, points, bars, bands, rules. Numbers that are not finite leave a gap. */
import type { Area, Tone } from './Plot';
import styles from './plot.module.css';

export type Point = readonly [x: number, y: number];

const r = (pixels: number) => Math.round(pixels * 10) / 10;

interface LineProps {
  readonly area: Area;
  readonly points: readonly Point[];
  readonly tone: Tone;
  readonly dashed?: boolean;
  /** A staircase: each value holds until the next. */
  readonly step?: boolean;
}

/** A line through points, broken where a number is missing. */
export function Line({ area, points, tone, dashed = false, step = false }: LineProps) {
  let d = '';
  let open = false;
  let lastY = 0;
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      open = false;
      continue;
    }
    const [px, py] = [r(area.x(x)), r(area.y(y))];
    if (!open) d += `M${px} ${py}`;
    else d += step ? `L${px} ${lastY}L${px} ${py}` : `L${px} ${py}`;
    lastY = py;
    open = true;
  }
  return <path className={styles.line} data-tone={tone} data-dashed={dashed} d={d} />;
}

interface DotsProps {
  readonly area: Area;
  readonly points: readonly Point[];
  readonly tone: Tone;
  /** Crosses mark what went wrong. */
  readonly shape?: 'dot' | 'cross';
}

/** A mark on each point. */
export function Dots({ area, points, tone, shape = 'dot' }: DotsProps) {
  const seen = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  return (
    <g data-tone={tone}>
      {seen.map(([x, y]) =>
        shape === 'dot' ? (
          <circle key={`${x} ${y}`} className={styles.fill} cx={r(area.x(x))} cy={r(area.y(y))} r={3.5} />
        ) : (
          <path
            key={`${x} ${y}`}
            className={styles.stroke}
            transform={`translate(${r(area.x(x))} ${r(area.y(y))})`}
            d="M-4 -4L4 4M4 -4L-4 4"
          />
        ),
      )}
    </g>
  );
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly tone: Tone;
  readonly hatched?: boolean;
}

/** Bars of a histogram, from the bottom; what is not 0 shows at least one pixel. */
export function Bars({ area, bars }: { readonly area: Area; readonly bars: readonly Bar[] }) {
  return (
    <g>
      {bars.map(({ from, to, value, tone, hatched }) => {
        const left = area.x(from);
        const width = Math.max(1, area.x(to) - left - 1);
        const top = value > 0 ? Math.min(area.y(value), area.height - 1) : area.height;
        return (
          <rect
            key={from}
            className={hatched ? styles.hatched : styles.fill}
            fill={hatched ? area.hatch : undefined}
            data-tone={tone}
            x={r(left)}
            y={r(top)}
            width={r(width)}
            height={r(area.height - top)}
          />
        );
      })}
    </g>
  );
}

interface BandProps {
  readonly area: Area;
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly label?: string;
}

/** A range of x, tinted, with its name at the top. */
export function Band({ area, from, to, tone, label }: BandProps) {
  const left = Math.max(0, area.x(from));
  const right = Math.min(area.width, area.x(to));
  return (
    <g data-tone={tone}>
      <rect className={styles.band} x={r(left)} width={r(Math.max(0, right - left))} height={area.height} />
      {label ? (
        <text className={styles.bandLabel} x={r((left + right) / 2)} y={12} textAnchor="middle">
          {label}
        </text>
      ) : null}
    </g>
  );
}

interface RuleProps {
  readonly area: Area;
  readonly tone: Tone;
  readonly label?: string;
  /** One of the two. */
  readonly x?: number;
  readonly y?: number;
}

/** A line across the whole area at one value. */
export function Rule({ area, tone, label, x, y }: RuleProps) {
  const vertical = x !== undefined;
  const at = r(vertical ? area.x(x) : area.y(y ?? 0));
  return (
    <g data-tone={tone}>
      {vertical ? (
        <line className={styles.rule} x1={at} x2={at} y2={area.height} />
      ) : (
        <line className={styles.rule} y1={at} y2={at} x2={area.width} />
      )}
      {label ? (
        <text
          className={styles.ruleLabel}
          x={vertical ? at + 4 : area.width}
          y={vertical ? 12 : at - 5}
          textAnchor={vertical ? 'start' : 'end'}
        >
          {label}
        </text>
      ) : null}
    </g>
  );
}
