/** One expression, run here and now: on the GPU where there is one, through the page's session. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type OutputSink, type Run, useRun } from '@/app/components/runner/useRun';
import type { PyValue } from '@/engine/session/session';

export interface LiveValue {
  readonly value: PyValue;
  /** Ops that ran as kernels on the GPU; the rest of an expression is Python's own arithmetic. */
  readonly gpuOps: number;
}

export interface LiveWitness {
  readonly run: Run;
  readonly live: LiveValue | undefined;
  /** Runs it again. */
  again(): void;
}

export function useWitness(expr: string, script: string): LiveWitness {
  const sink = useRef<OutputSink>(null);
  const run = useRun(sink);
  const [live, setLive] = useState<LiveValue>();
  const again = useCallback(() => {
    setLive(undefined);
    void run.perform(async (session) => {
      // Tensors that name no device are made on the GPU; the same text runs on the CPU when the page is built, and in PyTorch.
      const ran = await session.run(`${script}\ntorch.set_default_device("cuda")\n`);
      if (ran.status !== 'done') return ran;
      const { status, value, error, reason, trace } = await session.evaluate(expr, {}, { trace: true });
      if (value) setLive({ value, gpuOps: trace?.filter((event) => event.backend === 'webgpu').length ?? 0 });
      return { ...ran, status, error, reason };
    });
  }, [run.perform, expr, script]);
  useEffect(again, [again]);
  return { run, live, again };
}
