/** A run whose trace is a graph: as a runner's task, with the result handed on. */
import type { RunTask } from '@/app/components/runner/useRun';
import type { RunResult, TraceOptions } from '@/engine/session/session';

export interface Traced {
  readonly code: string;
  readonly result: RunResult;
}

/** Runs `code` with every output counted; `intervention` runs one op otherwise. */
export function tracedRun(
  code: string,
  options: { readonly timeLimit?: number; readonly intervention?: TraceOptions['intervention'] },
  onTraced: (traced: Traced) => void,
): RunTask {
  const { timeLimit, intervention } = options;
  return async (session, onOutput) => {
    const result = await session.run(code, { timeLimit, trace: { statistics: true, intervention }, onOutput });
    onTraced({ code, result });
    return result;
  };
}
