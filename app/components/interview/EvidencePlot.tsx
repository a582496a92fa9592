'use client';
import { useEffect, useId, useRef, useState } from 'react';
import type { Block, PlotAxis, Series } from '@/content/interviews/kit/evidence';
import styles from './evidence.module.css';

type PlotBlock = Extract<Block, { kind: 'plot' }>;

const HEIGHT = 220;
const MARGIN = { top: 22, right: 14, bottom: 38, left: 58 };
/** Series in this order of hues; shape tells them apart as well. */
const TONES = ['significand', 'exponent', 'ink', 'soft', 'sign'] as const;

/** A result as a picture, with its numbers folded below. What isn't finite stands hatched at the top edge. */
export function EvidencePlot({ block }: { readonly block: PlotBlock }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(560);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(260, Math.round(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const id = useId();
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const points = block.series.flatMap((s) => s.points);
  const bars = block.series.some((s) => s.style === 'bars');
  const x = scale(
    block.x,
    [...points.map((p) => p[0]), ...block.marks.map((m) => m.x)],
    [0, inner.width],
    Math.max(3, Math.floor(inner.width / 80)),
    bars ? 0.05 : 0,
  );
  const y = scale(block.y, [...points.map((p) => p[1]), ...(bars ? [0] : [])], [inner.height, 0], 4, 0.06);
  const tone = (i: number) => (block.series[i]?.style === 'cross' ? 'sign' : TONES[i % TONES.length]);
  return (
    <figure className={styles.plot}>
      <figcaption className={styles.title}>{block.title}</figcaption>
      {block.series.length > 1 ? (
        <ul className={styles.legend}>
          {block.series.map((s, i) => (
            <li key={s.name} data-tone={tone(i)}>
              <svg viewBox="0 0 24 12" width="24" height="12" aria-hidden="true">
                {s.style === 'cross' ? (
                  <path className={styles.stroke} d="M8 2L16 10M16 2L8 10" />
                ) : s.style === 'bars' ? (
                  <rect className={styles.fill} y="1" width="24" height="10" />
                ) : (
                  <line className={styles.stroke} y1="6" y2="6" x2="24" />
                )}
              </svg>
              {s.name}
            </li>
          ))}
        </ul>
      ) : null}
      <div ref={box}>
        <svg
          className={styles.svg}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          role="img"
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-numbers`}
        >
          <title id={`${id}-title`}>{`${block.title}: ${block.y.label} by ${block.x.label}`}</title>
          <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
            {y.ticks.map((t) => (
              <g key={t.at} transform={`translate(0 ${y.map(t.at)})`}>
                <line className={styles.grid} x2={inner.width} />
                <text className={styles.tick} x={-8} dy="0.32em" textAnchor="end">
                  {t.text}
                </text>
              </g>
            ))}
            {block.marks.map((m) => (
              <g key={m.label} transform={`translate(${x.map(m.x)} 0)`}>
                <line className={styles.rule} y2={inner.height} />
                <text
                  className={styles.tick}
                  x={x.map(m.x) < 60 ? 3 : 0}
                  y={-6}
                  textAnchor={x.map(m.x) < 60 ? 'start' : 'middle'}
                >
                  {m.label}
                </text>
              </g>
            ))}
            {block.series.map((s, i) => (
              <g key={s.name} data-tone={tone(i)}>
                <Marks series={s} x={x.map} y={y.map} height={inner.height} width={inner.width} />
              </g>
            ))}
            <line className={styles.axis} y1={inner.height} y2={inner.height} x2={inner.width} />
            {x.ticks.map((t) => (
              <text key={t.at} className={styles.tick} x={x.map(t.at)} y={inner.height + 16} textAnchor="middle">
                {t.text}
              </text>
            ))}
            <text className={styles.label} x={inner.width} y={inner.height + 33} textAnchor="end">
              {block.x.label}
            </text>
            <text className={styles.label} x={-MARGIN.left + 2} y={-9}>
              {block.y.label}
            </text>
          </g>
        </svg>
      </div>
      <Numbers block={block} id={`${id}-numbers`} />
    </figure>
  );
}

interface MarksProps {
  readonly series: Series;
  readonly x: (v: number) => number;
  readonly y: (v: number) => number;
  readonly width: number;
  readonly height: number;
}

function Marks({ series, x, y, width, height }: MarksProps) {
  const { style, points } = series;
  if (style === 'bars') {
    const wide = Math.max(2, width / Math.max(12, points.length * 2.5));
    return points.map(([a, b]) => (
      <rect key={a} className={styles.fill} x={x(a) - wide / 2} width={wide} y={y(b)} height={height - y(b)} />
    ));
  }
  if (style === 'cross' || style === 'dots') {
    return points.map(([a, b]) => {
      // What isn't finite has no height: it stands at the top edge.
      const at = `translate(${x(a)} ${Number.isFinite(b) ? y(b) : 4})`;
      return style === 'dots' ? (
        <circle key={a} className={styles.fill} r={3} transform={at} />
      ) : (
        <path key={a} className={styles.stroke} d="M-4 -4L4 4M4 -4L-4 4" transform={at} />
      );
    });
  }
  let d = '';
  let open = false;
  let last = 0;
  for (const [a, b] of points) {
    if (!Number.isFinite(b)) {
      open = false;
      continue;
    }
    const [px, py] = [round(x(a)), round(y(b))];
    d += !open ? `M${px} ${py}` : style === 'step' ? `L${px} ${last}L${px} ${py}` : `L${px} ${py}`;
    // A point between two gaps would be no line at all.
    if (!open) d += 'h0.01';
    open = true;
    last = py;
  }
  return <path className={styles.stroke} d={d} strokeLinecap="round" />;
}

const round = (v: number) => Math.round(v * 10) / 10;

/** The numbers of every series, for those who would rather read or can't see the picture. */
function Numbers({ block, id }: { readonly block: PlotBlock; readonly id: string }) {
  const rows = block.series.flatMap((s) => s.points.map(([a, b]) => ({ name: s.name, a, b })));
  return (
    <details className={styles.numbers}>
      <summary id={id}>The numbers</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={`The numbers of ${block.title}`}>
        <table>
          <thead>
            <tr>
              {block.series.length > 1 ? <th scope="col">series</th> : null}
              <th scope="col">{block.x.label}</th>
              <th scope="col">{block.y.label}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, a, b }) => (
              <tr key={`${name} ${a}`}>
                {block.series.length > 1 ? <td>{name}</td> : null}
                <td>{short(a)}</td>
                <td>{short(b)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

interface Scale {
  readonly map: (v: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** From values to pixels. Logarithmic axes tick at powers of two: scales and exponents are what they show. */
function scale(
  axis: PlotAxis,
  values: readonly number[],
  [start, end]: readonly [number, number],
  count: number,
  pad: number,
): Scale {
  const log = axis.scale === 'log';
  const finite = values.filter((v) => Number.isFinite(v) && (!log || v > 0)).map((v) => (log ? Math.log2(v) : v));
  let [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - 1, high + 1];
  const room = (high - low) * pad;
  [low, high] = [low - room, high + room];
  const map = (v: number) => {
    const at = log ? Math.log2(Math.max(v, Number.MIN_VALUE)) : v;
    return start + ((Math.min(Math.max(at, low), high) - low) / (high - low)) * (end - start);
  };
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = log ? Math.max(1, Math.ceil(rough)) : power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) {
    const at = Number((i * step).toPrecision(12));
    ticks.push(log ? { at: 2 ** at, text: `2${superscript(at)}` } : { at, text: short(at) });
  }
  return { map, ticks };
}

const superscript = (n: number): string =>
  String(n).replace(/./g, (c) => (c === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)] ?? c)));

function short(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'not finite' : '−inf';
  const size = Math.abs(x);
  return x !== 0 && (size >= 1e6 || size < 1e-3) ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}
