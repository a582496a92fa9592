'use client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type OutputSink, useRun } from '@/app/components/runner/useRun';
import { inBfloat16 } from './bfloat16-source';
import { GraphList } from './GraphList';
import { type TraceNode, traceGraph, verdict } from './graph';
import styles from './trace.module.css';
import { type Traced, tracedRun } from './traced-run';
import { type Change, type Variant, WhatIf } from './WhatIf';

export interface TracePanelProps {
  readonly traced: Traced;
  /** Milliseconds before a run is stopped. */
  readonly timeLimit?: number;
  /** The code in the editor is no longer the code that was traced. */
  readonly stale: boolean;
  /** Puts the editor's cursor on a line. */
  onLine?(line: number): void;
}

const variantOf = ({ result }: Traced): Variant => ({
  graph: result.trace && traceGraph(result.trace),
  kernels: result.kernels,
  fault:
    result.status === 'done'
      ? undefined
      : result.status === 'stopped'
        ? 'stopped'
        : `${result.error?.type ?? 'error'}${result.error?.line ? ` on line ${result.error.line}` : ''}`,
});

/** What the run computed, op by op, where the first nonfinite value is, and what one change would have made of it. */
export function TracePanel({ traced, timeLimit, stale, onLine }: TracePanelProps) {
  const baseline = useMemo(() => variantOf(traced), [traced]);
  const graph = baseline.graph;
  const [variants, setVariants] = useState<Readonly<Record<string, Variant>>>({});
  const [shown, setShown] = useState<Change>(null);
  const [factor, setFactor] = useState(1 / 256);
  const [targetId, setTargetId] = useState<number | null>(null);
  const [picked, setPicked] = useState<number | null>(null);
  const [running, setRunning] = useState<Change>();
  const silent = useRef<OutputSink>(null);
  const run = useRun(silent);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new trace starts afresh
  useEffect(() => {
    setVariants({});
    setShown(null);
    setTargetId(null);
    setPicked(null);
    setFactor(graph?.firstBad || !graph?.firstVanished ? 1 / 256 : 1024);
  }, [traced]);

  const suspect = graph?.firstBad ?? graph?.firstVanished ?? undefined;
  const chosen = graph?.nodes.find((n) => n.id === targetId) ?? suspect;
  const target = chosen?.nth === null ? undefined : chosen;
  const replaced = useMemo(() => inBfloat16(traced.code), [traced.code]);

  const keyOf = useCallback(
    (change: Change) =>
      change === 'bfloat16' || change === null
        ? String(change)
        : change === 'float32'
          ? `float32 ${target?.nth}`
          : `scaled ${target?.nth} ${factor}`,
    [target, factor],
  );

  const show = async (change: Change) => {
    if (running !== undefined) return;
    if (change === null || variants[keyOf(change)]) {
      setShown(change);
      setPicked(null);
      return;
    }
    const key = keyOf(change);
    const at = target?.nth ?? 0;
    const intervention =
      change === 'bfloat16' ? undefined : { at, change: change === 'float32' ? ('float32' as const) : factor };
    setRunning(change);
    let variant: Variant = { kernels: 0, fault: 'could not be run' };
    await run.perform(
      tracedRun(change === 'bfloat16' ? replaced.code : traced.code, { timeLimit, intervention }, (done) => {
        variant = variantOf(done);
      }),
    );
    setRunning(undefined);
    setVariants((all) => ({ ...all, [key]: variant }));
    setShown(change);
    setPicked(null);
  };

  const pick = (node: TraceNode) => {
    setPicked((before) => (before === node.id ? null : node.id));
    // What is asked of an op is asked of the run as written.
    if (shown === null) setTargetId(node.id);
  };

  const current = shown === null ? baseline : variants[keyOf(shown)];
  // Another op or factor was chosen meanwhile, for which that run hasn't been made.
  useEffect(() => {
    if (shown !== null && !current) setShown(null);
  }, [shown, current]);
  const shownGraph = current?.graph ?? graph;

  if (!graph || !shownGraph)
    return <p className={styles.verdict}>There is no trace: {baseline.fault ?? 'the run recorded nothing'}.</p>;
  return (
    <section className={styles.panel} aria-label="Trace" data-shown={shown ?? 'none'}>
      <p
        className={styles.verdict}
        role="status"
        data-verdict={shownGraph.firstBad ? 'nonfinite' : shownGraph.firstVanished ? 'vanished' : 'finite'}
      >
        {shown === null ? '' : `${title(shown)}: `}
        {verdict(shownGraph)}
        {current?.fault ? ` The run ended early: ${current.fault}.` : ''}
      </p>
      {stale ? <p className={styles.note}>The code has changed since this trace. Run it again to see it.</p> : null}
      {graph.nodes.length > 0 ? (
        <WhatIf
          target={target}
          baseline={baseline}
          variants={variants}
          keyOf={keyOf}
          shown={shown}
          running={running}
          factor={factor}
          named={replaced.count}
          onFactor={setFactor}
          onShow={show}
        />
      ) : null}
      {shown === 'bfloat16' ? (
        <p className={styles.note}>
          The same script with float16 replaced at {replaced.count} {replaced.count === 1 ? 'place' : 'places'}.
        </p>
      ) : null}
      <GraphList
        key={shown ?? 'none'}
        graph={shownGraph}
        code={shown === 'bfloat16' ? replaced.code : traced.code}
        picked={picked}
        changed={
          target?.nth != null && (shown === 'float32' || shown === 'scaled')
            ? { nth: target.nth, how: shown === 'float32' ? 'in float32' : 'input multiplied' }
            : undefined
        }
        onPick={pick}
        onLine={onLine}
      />
      <p className={styles.legend}>
        Bars: the largest magnitude on an axis of exponents, 2<sup>−28</sup> to 2<sup>20</sup>; the shaded part is what
        float16 holds. Choose an op for its counts, and to ask what it would have done.
      </p>
    </section>
  );
}

const title = (change: Exclude<Change, null>): string =>
  change === 'bfloat16'
    ? 'All in bfloat16'
    : change === 'float32'
      ? 'That op in float32'
      : 'That op with its input multiplied';
