'use client';
import { useId, useState } from 'react';
import { exponentOf } from '@/engine/formats/float-format';
import styles from './NumberLine.module.css';
import { Power } from './Power';
import { bitsAt, type Rounded } from './rounding';
import type { Explorer } from './useExplorer';

interface View {
  readonly name: string;
  /** Octaves: the line goes from 2^low to 2^high. */
  readonly low: number;
  readonly high: number;
  /** Ticks at powers of ten. */
  readonly tens: readonly number[];
}

const VIEWS: readonly View[] = [
  { name: 'Range of float32', low: -152, high: 130, tens: [-45, -30, -15, 0, 15, 30] },
  { name: 'Range of float16', low: -27, high: 19, tens: [-8, -6, -4, -2, 0, 2, 4] },
];

/** Left of the line stands zero, right of it infinity: a logarithm reaches neither. In percent of the plot's width. */
const MARGIN = 7;

const percentOf = (octave: number, { low, high }: View) =>
  MARGIN + ((100 - 2 * MARGIN) * (Math.max(low, Math.min(high, octave)) - low)) / (high - low);

/** Where |x| stands: zero and infinity in the margins, NaN nowhere. */
function positionOf(x: number, view: View): number | undefined {
  if (Number.isNaN(x)) return undefined;
  if (x === 0) return MARGIN / 2;
  if (!Number.isFinite(x)) return 100 - MARGIN / 2;
  return percentOf(Math.log2(Math.abs(x)), view);
}

/** All magnitudes on a logarithmic line, a lane for each format: how far it reaches, and how densely its values lie. */
export function NumberLine({ explorer }: { readonly explorer: Explorer }) {
  const [viewIndex, setView] = useState(0);
  const view = VIEWS[viewIndex];
  const name = useId();
  const { given } = explorer;
  const at = positionOf(given, view);
  const octave = given === 0 || !Number.isFinite(given) ? undefined : exponentOf(given);
  return (
    <section className={styles.numberLine} aria-label="Number line">
      <div className={styles.head}>
        <p className={styles.caption}>
          Every magnitude, on a logarithmic scale. A lane is as high as its format has significant bits there, and
          slopes where it has only subnormals left.
        </p>
        <fieldset className={styles.views}>
          <legend className="visually-hidden">Part of the line</legend>
          {VIEWS.map((other, index) => (
            <label key={other.name}>
              <input type="radio" name={name} checked={index === viewIndex} onChange={() => setView(index)} />
              <span>{other.name}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <div className={styles.lanes}>
        <div className={styles.columnHead} aria-hidden="true">
          {octave === undefined ? (
            'values in an octave'
          ) : (
            <>
              values from <Power of={octave} /> to <Power of={octave + 1} />
            </>
          )}
        </div>
        {explorer.all.map((rounded) => (
          <Lane
            key={rounded.format.name}
            rounded={rounded}
            view={view}
            given={at}
            octave={octave}
            selected={rounded.format.name === explorer.format}
          />
        ))}
        <div className={styles.axis} aria-hidden="true">
          <span style={{ left: `${MARGIN / 2}%` }}>0</span>
          {view.tens.map((k) => (
            <span key={k} style={{ left: `${percentOf(k * Math.log2(10), view)}%` }} data-ten={k}>
              {k === 0 ? '1' : `1e${k}`}
            </span>
          ))}
          <span style={{ left: `${100 - MARGIN / 2}%` }}>inf</span>
        </div>
        <Magnitude explorer={explorer} view={view} />
      </div>
    </section>
  );
}

/** Drags the number through the octaves; its digits stay. */
function Magnitude({ explorer, view }: { readonly explorer: Explorer; readonly view: View }) {
  const { given, show } = explorer;
  const id = useId();
  const ordinary = given !== 0 && Number.isFinite(given);
  const octave = ordinary ? exponentOf(given) : given === 0 ? view.low : view.high;
  return (
    <>
      <label htmlFor={id} className={styles.magnitudeLabel}>
        Drag the magnitude
      </label>
      <div className={styles.magnitude}>
        <input
          id={id}
          type="range"
          aria-label="Magnitude, as a power of two"
          aria-valuetext={ordinary ? `2 to the ${octave}` : String(given)}
          min={view.low}
          max={view.high - 1}
          step={1}
          value={Math.max(view.low, Math.min(view.high - 1, octave))}
          onChange={(event) => {
            const to = Number(event.target.value);
            // Multiplying by a power of two keeps every digit; in two steps, since 2^278 times a small number is fine but 2^1100 is not.
            const half = Math.trunc((to - octave) / 2);
            show(ordinary ? given * 2 ** half * 2 ** (to - octave - half) : 2 ** to, 'magnitude');
          }}
          onBlur={explorer.endGesture}
          onPointerUp={explorer.endGesture}
        />
      </div>
    </>
  );
}

function Lane({
  rounded,
  view,
  given,
  octave,
  selected,
}: {
  readonly rounded: Rounded;
  readonly view: View;
  readonly given: number | undefined;
  readonly octave: number | undefined;
  readonly selected: boolean;
}) {
  const { format, value, event } = rounded;
  const stored = positionOf(value, view);
  const bits = octave === undefined ? undefined : bitsAt(octave, format);
  return (
    <div className={styles.lane} data-selected={selected} data-lane={format.name}>
      <span className={styles.laneName}>
        {format.name}
        <span className={styles.precision}>{format.significandBits + 1} bits</span>
      </span>
      <div className={styles.plot} aria-hidden="true">
        <svg aria-hidden="true" viewBox="0 0 100 24" preserveAspectRatio="none" className={styles.shape}>
          <Steps rounded={rounded} view={view} part="subnormal" />
          <Steps rounded={rounded} view={view} part="normal" />
        </svg>
        {given === undefined ? null : <span className={styles.cursor} style={{ left: `${given}%` }} />}
        {stored === undefined ? null : (
          <span className={styles.dot} data-event={event} style={{ left: `${stored}%` }} />
        )}
      </div>
      <span className={styles.count} data-count>
        {bits === undefined ? '' : bits === 0 ? '0' : (2 ** (bits - 1)).toLocaleString('en')}
        <span className="visually-hidden"> values in this octave</span>
      </span>
    </div>
  );
}

/** One rectangle an octave, as high as the bits that are left there; equal neighbours are one. */
function Steps({
  rounded,
  view,
  part,
}: {
  readonly rounded: Rounded;
  readonly view: View;
  readonly part: 'normal' | 'subnormal';
}) {
  const { format } = rounded;
  const [from, to] =
    part === 'normal'
      ? [format.minExponent, format.maxExponent + 1]
      : [format.minExponent - format.significandBits, format.minExponent];
  const points: string[] = [`${percentOf(from, view)},24`];
  for (let k = from; k < to; k++) {
    const height = 24 - bitsAt(k, format);
    points.push(`${percentOf(k, view)},${height}`, `${percentOf(k + 1, view)},${height}`);
  }
  points.push(`${percentOf(to, view)},24`);
  return <polygon points={points.join(' ')} className={styles[part]} />;
}
