'use client';
import { useEffect, useId, useRef, useState } from 'react';
import { DataTable, type Table } from './DataTable';
import styles from './plot.module.css';
import { linear, logarithmic, powersOfTen, type Scale, type Tick, ticks } from './scale';

export interface Axis {
  readonly label: string;
  readonly domain: readonly [number, number];
  readonly kind?: 'linear' | 'log';
  /** Default: round numbers, or powers of ten. */
  readonly ticks?: readonly Tick[];
}

/** What marks draw with. Pixels; the area is width by height, its origin at the top left. */
export interface Area {
  readonly x: Scale;
  readonly y: Scale;
  readonly width: number;
  readonly height: number;
  /** The fill of what is lost: `url(#…)` of a hatching. */
  readonly hatch: string;
}

export interface PlotProps {
  /** What is plotted against what. */
  readonly title: string;
  /** What a reader would see in it, in a sentence or two: the text alternative. */
  readonly description: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Of the whole picture, in pixels; default 220. */
  readonly height?: number;
  readonly legend?: readonly LegendEntry[];
  /** The numbers, folded away below. */
  readonly table?: Table;
  readonly children: (area: Area) => React.ReactNode;
}

export type Tone = 'ink' | 'soft' | 'sign' | 'exponent' | 'significand';

export interface LegendEntry {
  readonly label: string;
  readonly tone: Tone;
  readonly mark: 'line' | 'dashed' | 'dots' | 'bar' | 'hatched' | 'cross';
}

/** Width before the box has been measured: on the server, and at first paint. */
const FIRST_WIDTH = 640;
const MARGIN = { top: 24, right: 12, bottom: 40, left: 60 };

/** A picture with two axes. Its text keeps its size at every width: it is laid out for the width that it gets. */
export function Plot({ title, description, x, y, height = 220, legend, table, children }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(240, Math.round(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const id = useId();
  const left = width < 480 ? MARGIN.left - 8 : MARGIN.left;
  const inner = { width: width - left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const xs = scaleOf(x, [0, inner.width]);
  const ys = scaleOf(y, [inner.height, 0]);
  const xTicks = x.ticks ?? ticksOf(x, Math.max(3, Math.floor(inner.width / 80)));
  const yTicks = y.ticks ?? ticksOf(y, Math.max(2, Math.floor(inner.height / 30)));
  return (
    <div className={styles.plot}>
      <p className={styles.title}>{title}</p>
      {legend ? <Legend entries={legend} /> : null}
      <div ref={box} className={styles.box}>
        <svg
          className={styles.svg}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-labelledby={`${id}-title ${id}-description`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-description`}>{description}</desc>
          <Hatch id={`${id}-hatch`} />
          <g transform={`translate(${left} ${MARGIN.top})`}>
            <text className={styles.label} x={-left + 2} y={-12}>
              {y.label}
            </text>
            {yTicks.map((tick) => (
              <g key={tick.at} transform={`translate(0 ${ys(tick.at)})`}>
                <line className={styles.grid} x2={inner.width} />
                <text className={styles.tick} x={-8} dy="0.32em" textAnchor="end">
                  {tick.text}
                </text>
              </g>
            ))}
            {children({ x: xs, y: ys, ...inner, hatch: `url(#${id}-hatch)` })}
            <line className={styles.axis} y1={inner.height} y2={inner.height} x2={inner.width} />
            {xTicks.map((tick) => (
              <g key={tick.at} transform={`translate(${xs(tick.at)} ${inner.height})`}>
                <line className={styles.axis} y2={4} />
                <text className={styles.tick} y={17} textAnchor="middle">
                  {tick.text}
                </text>
              </g>
            ))}
            <text className={styles.label} x={inner.width} y={inner.height + 34} textAnchor="end">
              {x.label}
            </text>
          </g>
        </svg>
      </div>
      {table ? <DataTable {...table} /> : null}
    </div>
  );
}

function scaleOf(axis: Axis, range: readonly [number, number]): Scale {
  return axis.kind === 'log' ? logarithmic(axis.domain, range) : linear(axis.domain, range);
}

const ticksOf = (axis: Axis, count: number) =>
  axis.kind === 'log' ? powersOfTen(axis.domain, count) : ticks(axis.domain, count);

/** Hatching for what is lost: shape as well as colour. */
function Hatch({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" className={styles.hatchGround} />
        <line className={styles.hatchLine} y2="6" />
      </pattern>
    </defs>
  );
}

function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  const id = useId();
  return (
    <ul className={styles.legend}>
      {entries.map(({ label, tone, mark }) => (
        <li key={label} data-tone={tone}>
          <svg viewBox="0 0 24 12" width="24" height="12" aria-hidden="true">
            {mark === 'bar' ? <rect className={styles.fill} y="1" width="24" height="10" /> : null}
            {mark === 'hatched' ? (
              <>
                <Hatch id={`${id}-hatch`} />
                <rect className={styles.hatched} y="1" width="24" height="10" fill={`url(#${id}-hatch)`} />
              </>
            ) : null}
            {mark === 'line' || mark === 'dashed' ? (
              <line className={styles.stroke} y1="6" y2="6" x2="24" data-dashed={mark === 'dashed'} />
            ) : null}
            {mark === 'dots' ? <circle className={styles.fill} cx="12" cy="6" r="3.5" /> : null}
            {mark === 'cross' ? <path className={styles.stroke} d="M8 2 L16 10 M16 2 L8 10" /> : null}
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
