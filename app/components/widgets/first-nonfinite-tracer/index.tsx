'use client';
import { useCallback, useId, useRef, useState } from 'react';
import { Runner, type RunnerHandle } from '@/app/components/runner/Runner';
import { badText, traceGraph } from '@/app/components/trace/graph';
import { TracePanel } from '@/app/components/trace/TracePanel';
import { type Traced, tracedRun } from '@/app/components/trace/traced-run';
import squared from './scenarios/1-squared-activation.py';
import softmax from './scenarios/2-softmax-by-hand.py';
import attention from './scenarios/3-attention-scores.py';
import vanishing from './scenarios/4-vanishing-gradient.py';
import notAmp from './scenarios/5-not-amp-at-all.py';
import styles from './Tracer.module.css';

const SCENARIOS: readonly { readonly id: string; readonly name: string; readonly code: string }[] = [
  { id: 'squared-activation', name: 'A squared activation', code: squared.trimEnd() },
  { id: 'softmax-by-hand', name: 'Softmax by hand', code: softmax.trimEnd() },
  { id: 'attention-scores', name: 'Attention under autocast', code: attention.trimEnd() },
  { id: 'vanishing-gradient', name: 'A vanishing gradient', code: vanishing.trimEnd() },
  { id: 'not-amp-at-all', name: 'An entropy', code: notAmp.trimEnd() },
];

/** A script of a few lines runs, and its op graph is shown with the first nonfinite value marked; one change at a time is tried by running it again. */
export default function FirstNonfiniteTracer() {
  const [scenario, setScenario] = useState(SCENARIOS[0]);
  const id = useId();
  return (
    <div className={styles.widget} data-widget="first-nonfinite-tracer">
      <label className={styles.scenario} htmlFor={id}>
        <span>Scenario</span>
        <select
          id={id}
          value={scenario.id}
          onChange={(event) => setScenario(SCENARIOS.find((s) => s.id === event.target.value) ?? SCENARIOS[0])}
        >
          {SCENARIOS.map((s) => (
            <option key={s.id} value={s.id}>
              {s.name}
            </option>
          ))}
        </select>
      </label>
      <Scenario key={scenario.id} {...scenario} />
    </div>
  );
}

function Scenario({ id, name, code }: { readonly id: string; readonly name: string; readonly code: string }) {
  const [traced, setTraced] = useState<Traced>();
  const [current, setCurrent] = useState(code);
  const runner = useRef<RunnerHandle>(null);
  const task = useCallback((source: string) => tracedRun(source, {}, setTraced), []);
  const bad = traced?.result.trace && traceGraph(traced.result.trace).firstBad;
  const mark =
    bad?.line && bad.counts && traced?.code === current
      ? { line: bad.line, text: `First nonfinite value: ${bad.name}, ${badText(bad.counts)}` }
      : undefined;
  return (
    <>
      <Runner ref={runner} id={`tracer-${id}`} title={name} code={code} task={task} mark={mark} onCode={setCurrent} />
      {traced ? (
        <TracePanel traced={traced} stale={traced.code !== current} onLine={(line) => runner.current?.goToLine(line)} />
      ) : (
        <p className={styles.empty}>
          Run it. Every op is recorded as it runs on your GPU, or on the reference where there is no WebGPU: dtype,
          shape, range and counts, with the first nonfinite value marked. Change the code as you like.
        </p>
      )}
    </>
  );
}
