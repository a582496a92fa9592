'use client';
import { useId } from 'react';
import { at, shortVerdict, type TraceGraph, type TraceNode } from './graph';
import styles from './trace.module.css';

/** How the run is changed; null: as written. */
export type Change = 'float32' | 'scaled' | 'bfloat16' | null;

export interface Variant {
  readonly graph?: TraceGraph;
  readonly kernels: number;
  /** The run ended in an error, or was stopped. */
  readonly fault?: string;
}

export interface WhatIfProps {
  /** The op that the first two are about; undefined where none was chosen or can be changed. */
  readonly target: TraceNode | undefined;
  readonly baseline: Variant;
  readonly variants: Readonly<Record<string, Variant>>;
  readonly keyOf: (change: Change) => string;
  readonly shown: Change;
  readonly running: Change | undefined;
  readonly factor: number;
  /** Places in the code that name float16. */
  readonly named: number;
  onFactor(factor: number): void;
  onShow(change: Change): void;
}

const FACTORS: readonly (readonly [number, string])[] = [
  [1 / 16, '1/16'],
  [1 / 256, '1/256'],
  [1 / 4096, '1/4096'],
  [16, '16'],
  [1024, '1024'],
];

const health = ({ graph, fault }: Variant): string =>
  fault || graph?.firstBad ? 'bad' : graph?.firstVanished ? 'careful' : 'good';

/** The run as written and three that differ from it in one thing: each is a button that runs it, and says how it ended. */
export function WhatIf(props: WhatIfProps) {
  const { target, baseline, variants, keyOf, shown, running, factor, named, onFactor, onShow } = props;
  const id = useId();
  const op = target ? `${target.name}${at(target)}` : undefined;
  const card = (change: Change, title: string, unable?: string) => {
    const variant = change === null ? baseline : variants[keyOf(change)];
    const status =
      unable ??
      (running === change && change !== null
        ? 'running …'
        : !variant
          ? 'not run yet'
          : variant.fault
            ? variant.fault
            : variant.graph && shortVerdict(variant.graph));
    return (
      <button
        type="button"
        className={styles.card}
        aria-pressed={shown === change}
        aria-disabled={unable !== undefined}
        data-change={change ?? 'none'}
        data-health={variant && !unable ? health(variant) : undefined}
        data-kernels={variant?.kernels}
        onClick={() => unable === undefined && onShow(change)}
      >
        <span className={styles.cardTitle}>{title}</span>
        <span className={styles.cardStatus}>{status}</span>
      </button>
    );
  };
  const noTarget = 'choose an op below that is not written in place';
  return (
    <fieldset className={styles.whatIf}>
      <legend>{op ? <>What if {op} …</> : 'What if …'}</legend>
      <div className={styles.cards}>
        {card(null, 'as written')}
        {card('float32', '… ran in float32', target ? undefined : noTarget)}
        {card('scaled', `… got its input × ${FACTORS.find(([f]) => f === factor)?.[1]}`, target ? undefined : noTarget)}
        {card(
          'bfloat16',
          'all in bfloat16',
          named === 0 ? 'the code names no float16, so nothing would change' : undefined,
        )}
      </div>
      <label htmlFor={`${id}-factor`} className={styles.factor}>
        input ×{' '}
        <select id={`${id}-factor`} value={factor} onChange={(event) => onFactor(Number(event.target.value))}>
          {FACTORS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}
