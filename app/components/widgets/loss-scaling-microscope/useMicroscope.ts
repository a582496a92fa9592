'use client';
/** The microscope's runs in the page's session: gradients once, the two baselines once, a scaled run once for each first scale. */
import { useCallback, useRef, useState } from 'react';
import { type OutputSink, type Run, useRun } from '@/app/components/runner/useRun';
import type { RunResult } from '@/engine/session/session';
import { type Measurement, measure, type TrainingRun, type TrainingStep, train } from './measurement';
import type { Sample } from './sample';
import stored from './sample.json';
import { HIGHEST, type Kind, STEPS } from './script';

const sample = stored as unknown as Sample;

/** Milliseconds between pictures of a run that grows. */
const FRAME = 100;

/** What this page has run. Kept outside the component: a figure that is scrolled away loses nothing. */
const live: { measurement?: Measurement; kernels: number; milliseconds: number; runs: Map<string, TrainingRun> } = {
  kernels: 0,
  milliseconds: 0,
  runs: new Map(),
};
const keyOf = (kind: Kind, exponent: number) => `${kind} ${exponent}`;

export interface Source {
  /** Run here, or the stored run. */
  readonly live: boolean;
  readonly kernels: number;
  readonly milliseconds: number;
}

export interface Microscope {
  readonly run: Run;
  readonly busy: boolean;
  readonly doing: string | undefined;
  /** 0..1. */
  readonly fraction: number | undefined;
  readonly measurement: Measurement;
  readonly source: Source;
  /** What was measured here equals the stored run, count by count; undefined before. */
  readonly agrees: boolean | undefined;
  /** float32, float16 without scaling, and the last scaled run, as far as they have come. */
  readonly runs: readonly TrainingRun[];
  readonly runsLive: boolean;
  measure(): Promise<void>;
  train(exponent: number): Promise<void>;
}

export function useMicroscope(): Microscope {
  const sink = useRef<OutputSink>(null);
  const run = useRun(sink);
  const { perform } = run;
  const [doing, setDoing] = useState<string>();
  const [fraction, setFraction] = useState<number>();
  const [, redraw] = useState(0);
  const [runs, setRuns] = useState<readonly TrainingRun[]>(sample.runs);
  const [runsLive, setRunsLive] = useState(false);

  const measureNow = useCallback(async () => {
    setDoing('Gradients at every scale');
    setFraction(0);
    await perform(async (session) => {
      const { measurement, result } = await measure(session, (done) => setFraction(done / (HIGHEST + 1)));
      if (measurement) Object.assign(live, { measurement, kernels: result.kernels, milliseconds: result.milliseconds });
      return result;
    });
    setDoing(undefined);
    redraw((n) => n + 1);
  }, [perform]);

  const trainNow = useCallback(
    async (exponent: number) => {
      const wanted: readonly (readonly [Kind, number])[] = [
        ['float32', 0],
        ['unscaled', 0],
        ['scaled', exponent],
      ];
      // All three have their place from the first line on; before it, what stood there stays.
      const show = (growing?: TrainingRun) => {
        setRunsLive(true);
        setRuns(
          wanted.map(([kind, e]) =>
            growing?.kind === kind ? growing : (live.runs.get(keyOf(kind, e)) ?? { kind, exponent: e, steps: [] }),
          ),
        );
      };
      const missing = wanted.filter(([kind, e]) => !live.runs.has(keyOf(kind, e)));
      if (missing.length === 0) return show();
      setFraction(0);
      await perform(async (session) => {
        let last: RunResult | undefined;
        for (const [index, [kind, e]] of missing.entries()) {
          setDoing(NAMES[kind]);
          let drawn = 0;
          const onSteps = (steps: readonly TrainingStep[]) => {
            const now = performance.now();
            if (now - drawn < FRAME) return;
            drawn = now;
            setFraction((index + steps.length / STEPS) / missing.length);
            show({ kind, exponent: e, steps: [...steps] });
          };
          const { run: trained, result } = await train(session, kind, e, onSteps);
          last = result;
          if (!trained) return result;
          live.runs.set(keyOf(kind, e), trained);
          show();
        }
        if (!last) throw new Error('loss-scaling-microscope: nothing was run');
        return last;
      });
      setDoing(undefined);
    },
    [perform],
  );

  return {
    run,
    busy: run.state === 'running' || run.state === 'loading',
    doing,
    fraction,
    measurement: live.measurement ?? sample.measurement,
    source: { live: live.measurement !== undefined, kernels: live.kernels, milliseconds: live.milliseconds },
    agrees: live.measurement && JSON.stringify(live.measurement) === JSON.stringify(sample.measurement),
    runs,
    runsLive,
    measure: measureNow,
    train: trainNow,
  };
}

export const NAMES: Readonly<Record<Kind, string>> = {
  float32: 'float32',
  unscaled: 'float16, no scaling',
  scaled: 'float16, dynamic scaling',
};
