'use client';
import { useId, useState } from 'react';
import { superscript } from '@/app/components/plot/scale';
import { BackendNotice } from '@/app/components/runner/BackendNotice';
import { warmUp } from '@/app/components/runner/session';
import { formats, fromBits, roundToFormat, toBits } from '@/engine/formats/float-format';
import { Histogram } from './Histogram';
import styles from './Microscope.module.css';
import type { AtScale, Measurement } from './measurement';
import { FIRST_EXPONENT } from './sample';
import { GROWTH_INTERVAL, HIGHEST, MEASURE, trainingScript } from './script';
import { Training } from './Training';
import { type Microscope, useMicroscope } from './useMicroscope';
import { Window } from './Window';
import { countsAt, percent, ZONES } from './zones';

const PRESETS: readonly { readonly name: string; readonly exponent: number }[] = [
  { name: 'No scaling', exponent: 0 },
  { name: '1024', exponent: 10 },
  { name: 'GradScaler’s first', exponent: FIRST_EXPONENT },
  { name: 'Too far', exponent: 32 },
];

/** Gradients of a real network under float16's window: move them by the loss scale, see what is lost, and train from that scale. */
export default function LossScalingMicroscope() {
  const id = useId();
  const [exponent, setExponent] = useState(0);
  const scope = useMicroscope();
  const { measurement } = scope;
  const at = measurement.scales[exponent] ?? measurement.scales[0]!;
  return (
    <section
      className={styles.widget}
      data-widget="loss-scaling-microscope"
      aria-label="Loss-scaling microscope"
      onPointerEnter={warmUp}
      onFocus={warmUp}
    >
      <div className={styles.scale}>
        <label htmlFor={`${id}-scale`}>loss scale S</label>
        <input
          id={`${id}-scale`}
          type="range"
          min={0}
          max={HIGHEST}
          step={1}
          value={exponent}
          aria-valuetext={`2 to the power of ${exponent}, ${(2 ** exponent).toLocaleString('en')}`}
          onChange={(event) => setExponent(Number(event.target.value))}
        />
        <output htmlFor={`${id}-scale`}>
          2{superscript(exponent)} = {(2 ** exponent).toLocaleString('en')}
        </output>
      </div>
      <div className={styles.presets}>
        {PRESETS.map((preset) => (
          <button
            key={preset.name}
            type="button"
            className="button"
            aria-pressed={preset.exponent === exponent}
            onClick={() => setExponent(preset.exponent)}
          >
            {preset.name}
          </button>
        ))}
      </div>
      <Histogram measurement={measurement} at={at} />
      <Shares measurement={measurement} at={at} />
      <p className={styles.told} role="status" data-told>
        {told(measurement, at)}
      </p>
      <Probe exponent={exponent} />
      <Window measurement={measurement} exponent={exponent} />
      <Provenance scope={scope} />
      <div className={styles.bar}>
        <button
          type="button"
          className="button button-primary"
          aria-disabled={scope.busy}
          onClick={() => scope.busy || void scope.measure()}
        >
          Measure it here
        </button>
        <button
          type="button"
          className="button"
          aria-disabled={scope.busy}
          onClick={() => scope.busy || void scope.train(exponent)}
        >
          Train from 2{superscript(exponent)}
        </button>
        {scope.busy ? (
          <button type="button" className="button" onClick={scope.run.stop}>
            Stop
          </button>
        ) : null}
      </div>
      <Notes scope={scope} />
      <h3>Training: {scope.runsLive ? 'run here' : 'the stored run'}</h3>
      <Training runs={scope.runs} />
      <p className={styles.note}>
        Adam, 80 steps. The scale doubles after {GROWTH_INTERVAL} clean steps here, so that you see it grow; PyTorch
        waits for 2000.
      </p>
      <details className={styles.scripts}>
        <summary>The Python that runs</summary>
        <Script label="Gradients at every scale" code={MEASURE} />
        <Script label="Training" code={trainingScript('scaled', exponent)} />
      </details>
    </section>
  );
}

/** What float16 makes of the scaled gradients, in shares. */
function Shares({ measurement, at }: { readonly measurement: Measurement; readonly at: AtScale }) {
  const counts = countsAt(measurement, at);
  return (
    <dl className={styles.shares}>
      {ZONES.map(({ zone, name, tone }) => (
        <div key={zone} data-tone={tone} data-zone={zone} data-count={counts[zone]}>
          <dt>{name}</dt>
          <dd>{percent(counts[zone], measurement.total)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The rounded histogram and the real backward, told apart: the backward rounds at every layer, and spreads an infinity. */
function told({ total }: Measurement, at: AtScale): string {
  const { zero, inf, backwardZero, backwardNonfinite } = at;
  if (backwardNonfinite > inf)
    return `A real float16 backward at this scale: ${backwardNonfinite} of ${total} gradients are nonfinite, where rounding alone would lose ${inf}. The overflow happens early in the backward, and everything behind it inherits it.`;
  if (backwardNonfinite > 0)
    return `A real float16 backward at this scale: ${backwardNonfinite} of ${total} gradients are nonfinite. One is enough: the scaler skips the step.`;
  if (backwardZero > 0)
    return `A real float16 backward at this scale: ${backwardZero} of ${total} gradients are 0. (Rounding the float32 gradients once gives ${zero}; a backward rounds at every layer.) Nothing warns you.`;
  return `A real float16 backward at this scale loses nothing: no gradient is 0, none is infinite.`;
}

/** The lesson's own gradient, 1e-8, at this scale. */
function Probe({ exponent }: { readonly exponent: number }) {
  const bits = toBits(roundToFormat(1e-8 * 2 ** exponent, formats.float16), formats.float16);
  const value = fromBits(bits, formats.float16);
  const back = value / 2 ** exponent;
  return (
    <p className={styles.probe} data-probe={bits.toString(16).padStart(4, '0')}>
      A gradient of 1e-8 is stored as <strong>{short(value)}</strong>{' '}
      <code>0x{bits.toString(16).padStart(4, '0')}</code>
      {value === 0 ? ', and gone.' : Number.isFinite(value) ? `; divided by S again, ${short(back)}.` : '.'}
    </p>
  );
}

const short = (x: number): string =>
  x === 0 ? '0' : Number.isFinite(x) ? Number(x.toPrecision(5)).toExponential() : 'inf';

/** Where the numbers in view come from. */
function Provenance({ scope }: { readonly scope: Microscope }) {
  const { source, agrees, run } = scope;
  const where =
    run.backend?.name === 'webgpu'
      ? `${source.kernels.toLocaleString('en')} GPU kernels on WebGPU`
      : 'the reference engine';
  return (
    <p
      className={styles.note}
      data-live={source.live}
      data-kernels={source.live ? source.kernels : undefined}
      data-agrees={agrees}
    >
      {source.live
        ? `Measured here: ${(source.milliseconds / 1000).toFixed(1)} s, ${where}. ${agrees ? 'Every count equals the stored run’s.' : 'Some counts differ from the stored run’s.'}`
        : 'The stored run is shown: the same scripts on the reference engine, checked against PyTorch 2.13. Measure it here to see your own.'}
    </p>
  );
}

function Notes({ scope }: { readonly scope: Microscope }) {
  const { run, busy, doing, fraction } = scope;
  const loading = run.state === 'loading';
  const value = loading ? run.progress?.fraction : fraction;
  return (
    <>
      {busy ? (
        <label className={styles.progress}>
          <span>{loading ? (run.progress?.label ?? 'Waiting for the other run') : doing}</span>
          <progress value={value} max={value === undefined ? undefined : 1} />
        </label>
      ) : null}
      {run.backend?.name === 'cpu' ? <BackendNotice backend={run.backend} /> : null}
      {run.reason || run.error || run.state === 'error' ? (
        <p className={styles.failed} role="alert">
          {run.reason ??
            (run.error
              ? `${run.error.type}: ${run.error.message}`
              : 'The run failed. Try again; if it fails again, reload the page.')}
        </p>
      ) : null}
    </>
  );
}

function Script({ label, code }: { readonly label: string; readonly code: string }) {
  return (
    <section aria-label={label}>
      <p>{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </section>
  );
}
