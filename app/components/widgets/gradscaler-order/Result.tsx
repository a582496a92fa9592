import { Dots, Line } from '@/app/components/plot/marks';
import { Plot } from '@/app/components/plot/Plot';
import { number } from '@/app/components/plot/scale';
import { type Explanation, errorAtEnd } from './explain';
import styles from './GradScalerOrder.module.css';
import { distance, errors, type Outcome } from './outcome';
import { ITERATIONS } from './steps';
import { TraceTable } from './TraceTable';

interface ResultProps {
  readonly outcome: Outcome;
  readonly right: Outcome;
  readonly explanation: Explanation;
  /** The named orders are still being run, and bits compared with theirs. */
  readonly comparing: boolean;
}

/** What the order did: in a sentence, in numbers, in a picture. */
export function Result({ outcome, right, explanation, comparing }: ResultProps) {
  const { verdict, headline, body } = explanation;
  const end = errorAtEnd(outcome, right);
  const ran = outcome.iterations.length;
  return (
    <div className={styles.result}>
      <div className={styles.verdict} data-verdict={verdict}>
        <p className={styles.headline}>{headline}</p>
        {body.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {comparing ? <p>Comparing your bits with those of the named orders …</p> : null}
      </div>
      {end ? (
        <p className={styles.error}>
          <span>
            Parameters’ error after {ran} {ran === 1 ? 'iteration' : 'iterations'}
          </span>
          <strong data-error={end.error}>{end.error === 0 ? '0, bit for bit' : number(end.error)}</strong>
          {end.error > 0 ? <span>{share(end.share)} of the way that the right order went</span> : null}
        </p>
      ) : null}
      <TraceTable outcome={outcome} right={right} label="What each iteration did" tell />
      {ran > 0 ? <ErrorPlot outcome={outcome} right={right} /> : null}
    </div>
  );
}

function share(x: number): string {
  if (!Number.isFinite(x)) return 'more than can be written';
  return x >= 0.001 ? `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %` : `${number(100 * x)} %`;
}

/** Distance from the right order's parameters, iteration by iteration, against that of parameters which never move. */
function ErrorPlot({ outcome, right }: { readonly outcome: Outcome; readonly right: Outcome }) {
  const off = [0, ...errors(outcome, right)];
  const still = [0, ...right.iterations.map((it) => distance(it.weights, right.start))];
  const top = Math.max(...[...off, ...still].filter(Number.isFinite), 1e-9) * 1.08;
  const last = off.at(-1) ?? 0;
  return (
    <Plot
      title="Error of the parameters"
      description={`After iteration ${off.length - 1} the parameters are ${number(last)} away from the right order’s. Parameters that never moved would be ${number(still[off.length - 1] ?? 0)} away.`}
      x={{
        label: 'iteration',
        domain: [0, ITERATIONS],
        ticks: still.map((_, i) => ({ at: i, text: String(i) })),
      }}
      y={{ label: 'distance from the right order’s parameters', domain: [0, top] }}
      height={220}
      legend={[
        { label: 'this order', tone: last === 0 ? 'significand' : 'sign', mark: 'line' },
        { label: 'parameters that never move', tone: 'soft', mark: 'dashed' },
      ]}
    >
      {(area) => (
        <>
          <Line area={area} points={off.map((v, i) => [i, v])} tone={last === 0 ? 'significand' : 'sign'} />
          <Line area={area} points={still.map((v, i) => [i, v])} tone="soft" dashed />
          <Dots area={area} points={off.map((v, i) => [i, v])} tone={last === 0 ? 'significand' : 'sign'} />
        </>
      )}
    </Plot>
  );
}
