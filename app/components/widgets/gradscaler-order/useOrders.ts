'use client';
/** Orders that have run in the page's session. An order's outcome never changes, so each runs once a page. */
import { useCallback, useRef, useState } from 'react';
import { type OutputSink, type Run, useRun } from '@/app/components/runner/useRun';
import { type Outcome, runOrder } from './outcome';
import type { StepId } from './steps';

const outcomes = new Map<string, Outcome>();
const keyOf = (order: readonly StepId[]) => order.join(' ');

/** The outcome of an order that has run. */
export const outcomeOf = (order: readonly StepId[]): Outcome | undefined => outcomes.get(keyOf(order));

export interface Orders {
  readonly run: Run;
  readonly busy: boolean;
  /** Orders done and wanted of the batch in hand. */
  readonly progress: { readonly done: number; readonly total: number } | undefined;
  /** Runs those that haven't run; true once all have outcomes. */
  ensure(orders: readonly (readonly StepId[])[]): Promise<boolean>;
}

export function useOrders(): Orders {
  const sink = useRef<OutputSink>(null);
  const run = useRun(sink);
  const [progress, setProgress] = useState<Orders['progress']>();
  const { perform } = run;
  const ensure = useCallback(
    async (orders: readonly (readonly StepId[])[]) => {
      const missing = orders.filter((order) => !outcomeOf(order));
      if (missing.length === 0) return true;
      setProgress({ done: 0, total: missing.length });
      await perform(async (session) => {
        let last: Awaited<ReturnType<typeof runOrder>>['result'] | undefined;
        for (const [done, order] of missing.entries()) {
          setProgress({ done, total: missing.length });
          const { outcome, result } = await runOrder(session, order);
          last = result;
          if (!outcome) return result;
          outcomes.set(keyOf(order), outcome);
        }
        if (!last) throw new Error('gradscaler-order: nothing was run');
        // That an order raises is a finding, not a failure of the run.
        return { ...last, status: 'done', error: undefined };
      });
      setProgress(undefined);
      return orders.every((order) => outcomeOf(order));
    },
    [perform],
  );
  return { run, busy: run.state === 'running' || run.state === 'loading', progress, ensure };
}
