import { Dots, Line, type Point } from '@/app/components/plot/marks';
import { type Axis, type LegendEntry, Plot, type Tone } from '@/app/components/plot/Plot';
import { number, powersOfTwo, superscript } from '@/app/components/plot/scale';
import styles from './Microscope.module.css';
import { type TrainingRun, updatesOf } from './measurement';
import { type Kind, STEPS } from './script';
import { NAMES } from './useMicroscope';

const TONES: Readonly<Record<Kind, Tone>> = { float32: 'soft', unscaled: 'sign', scaled: 'significand' };
const DASHED: Readonly<Record<Kind, boolean>> = { float32: true, unscaled: false, scaled: false };

/** Loss, scale, skipped steps and real updates over the steps of the runs. */
export function Training({ runs }: { readonly runs: readonly TrainingRun[] }) {
  const scaled = runs.find((run) => run.kind === 'scaled');
  const x: Axis = { label: 'step', domain: [0, STEPS - 1] };
  return (
    <div className={styles.plots}>
      <Losses runs={runs} x={x} />
      {scaled ? <Scales run={scaled} x={x} /> : null}
      {scaled ? <Updates run={scaled} x={x} /> : null}
    </div>
  );
}

function Losses({ runs, x }: { readonly runs: readonly TrainingRun[]; readonly x: Axis }) {
  const losses = runs.flatMap((run) => run.steps.map((step) => step.loss)).filter((loss) => loss > 0 && loss < 1e9);
  const low = Math.min(...losses, 1e-6);
  const high = Math.max(...losses, 1e-6);
  const last = runs.map((run) => `${NAMES[run.kind]}: ${number(run.steps.at(-1)?.loss ?? Number.NaN)}`).join('; ');
  return (
    <Plot
      title="Loss"
      description={`Loss on a logarithmic axis, step by step. At the last step: ${last}.`}
      x={x}
      y={{ label: 'loss', kind: 'log', domain: [low / 1.4, high * 1.4] }}
      height={240}
      legend={runs.map(
        ({ kind }): LegendEntry => ({
          label: NAMES[kind],
          tone: TONES[kind],
          mark: DASHED[kind] ? 'dashed' : 'line',
        }),
      )}
      table={{
        summary: 'Every tenth step as a table',
        columns: ['step', ...runs.map((run) => NAMES[run.kind])],
        rows: tenths(runs[0]?.steps.length ?? 0).map((i) => [
          String(i),
          ...runs.map((run) => (run.steps[i] ? run.steps[i].loss.toExponential(3) : '')),
        ]),
      }}
    >
      {(area) =>
        [...runs]
          .sort((a, b) => Number(DASHED[a.kind]) - Number(DASHED[b.kind]))
          .map((run) => (
            <Line
              key={run.kind}
              area={area}
              points={run.steps.map((step, i): Point => [i, step.loss])}
              tone={TONES[run.kind]}
              dashed={DASHED[run.kind]}
            />
          ))
      }
    </Plot>
  );
}

const tenths = (length: number): number[] =>
  Array.from({ length }, (_, i) => i).filter((i) => i % 10 === 0 || i === length - 1);

function Scales({ run, x }: { readonly run: TrainingRun; readonly x: Axis }) {
  const points = run.steps.map((step, i): Point => [i, Math.log2(step.scale)]);
  const exponents = points.map(([, e]) => e).filter(Number.isFinite);
  const domain = [Math.min(...exponents, run.exponent) - 1, Math.max(...exponents, run.exponent) + 1] as const;
  const skipped = run.steps.flatMap((step, i) => (step.taken ? [] : [i]));
  return (
    <Plot
      title="Scale, and skipped steps"
      description={`The scale after each step, as a power of two, from 2^${run.exponent} to 2^${exponents.at(-1) ?? 0}. ${skipped.length === 0 ? 'No step was skipped.' : `Skipped steps: ${skipped.join(', ')}.`}`}
      x={x}
      y={{ label: 'scale', domain, ticks: powersOfTwo(domain, domain[1] - domain[0] > 8 ? 4 : 2) }}
      height={180}
      legend={[
        { label: 'scale after the step', tone: 'significand', mark: 'line' },
        { label: 'skipped: a gradient was nonfinite', tone: 'sign', mark: 'cross' },
      ]}
    >
      {(area) => (
        <>
          <Line area={area} points={points} tone="significand" step />
          <Dots area={area} points={skipped.map((i): Point => [i, points[i]?.[1] ?? 0])} tone="sign" shape="cross" />
        </>
      )}
    </Plot>
  );
}

function Updates({ run, x }: { readonly run: TrainingRun; readonly x: Axis }) {
  const updates = updatesOf(run.steps);
  const done = updates.at(-1) ?? 0;
  const skipped = run.steps.length - done;
  return (
    <div>
      <Plot
        title="Real updates"
        description={`${done} updates in ${run.steps.length} steps; ${skipped} skipped.`}
        x={x}
        y={{ label: 'updates so far', domain: [0, STEPS] }}
        height={150}
        legend={[
          { label: 'updates', tone: 'significand', mark: 'line' },
          { label: 'one a step', tone: 'soft', mark: 'dashed' },
        ]}
      >
        {(area) => (
          <>
            <Line area={area} points={updates.map((n, i): Point => [i, n])} tone="significand" />
            <Line
              area={area}
              points={[
                [0, 1],
                [STEPS - 1, STEPS],
              ]}
              tone="soft"
              dashed
            />
          </>
        )}
      </Plot>
      <p className={styles.tally} data-updates={done} data-skipped={skipped}>
        From 2{superscript(run.exponent)}: {done} real updates, {skipped} skipped, in {run.steps.length} steps.
      </p>
    </div>
  );
}
