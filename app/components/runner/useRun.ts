'use client';
/** One runner's run: its state, its progress, its output. The page's session runs one at a time; others wait for their turn. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { BackendInfo, Progress, PythonError, RunOptions, RunResult, Session } from '@/engine/session/session';
import { getSession } from './session';

export type RunState = 'idle' | 'loading' | 'running' | 'done' | 'error' | 'stopped';

export interface OutputSink {
  clear(): void;
  append(text: string, stream: 'stdout' | 'stderr'): void;
  /** Shows everything that was appended. */
  flush(): void;
}

export interface Run {
  readonly state: RunState;
  /** Runs that have ended since the page was opened. */
  readonly ended: number;
  readonly backend: BackendInfo | undefined;
  /** While it loads. */
  readonly progress: Progress | undefined;
  readonly result: RunResult | undefined;
  readonly error: PythonError | undefined;
  /** Why it couldn't start or was stopped. */
  readonly reason: string | undefined;
  run(code: string): Promise<RunResult | undefined>;
  /** Like `run`, for work of several steps (grading): it has the session to itself until it answers. */
  perform(task: RunTask): Promise<RunResult | undefined>;
  stop(): void;
}

export type RunTask = (session: Session, onOutput: NonNullable<RunOptions['onOutput']>) => Promise<RunResult>;

export interface RunLimits {
  readonly timeLimit?: number;
  readonly trace?: boolean;
}

/** Whoever came first; a runner that is stopped while it waits never runs. */
let turn: Promise<unknown> = Promise.resolve();

export function useRun(sink: React.RefObject<OutputSink | null>, limits: RunLimits = {}): Run {
  const [state, setState] = useState<RunState>('idle');
  const [ended, setEnded] = useState(0);
  const [backend, setBackend] = useState<BackendInfo>();
  const [progress, setProgress] = useState<Progress>();
  const [result, setResult] = useState<RunResult>();
  const [reason, setReason] = useState<string>();
  const phase = useRef<'none' | 'waiting' | 'running' | 'cancelled'>('none');
  const limitsRef = useRef(limits);
  limitsRef.current = limits;

  const runNow = useCallback(
    async (task: RunTask): Promise<RunResult | undefined> => {
      const session = getSession();
      try {
        const info = await session.start((p) => setProgress(p));
        setBackend(info);
        setProgress(undefined);
        if ((phase.current as string) === 'cancelled') {
          setState('stopped');
          setReason('Stopped before it began.');
          return undefined;
        }
        phase.current = 'running';
        setState('running');
        const outcome = await task(session, (text, stream) => sink.current?.append(text, stream));
        if (outcome.error?.traceback) sink.current?.append(outcome.error.traceback, 'stderr');
        sink.current?.flush();
        setResult(outcome);
        setReason(outcome.reason);
        setState(outcome.status);
        return outcome;
      } catch (error) {
        setProgress(undefined);
        setState('error');
        setReason(`Python could not be started: ${error instanceof Error ? error.message : String(error)}.`);
        return undefined;
      } finally {
        setEnded((n) => n + 1);
        phase.current = 'none';
      }
    },
    [sink],
  );

  const perform = useCallback(
    (task: RunTask): Promise<RunResult | undefined> => {
      if (phase.current !== 'none') return Promise.resolve(undefined);
      phase.current = 'waiting';
      performance.mark('run-click');
      sink.current?.clear();
      setResult(undefined);
      setReason(undefined);
      setState(getSession().state === 'ready' ? 'running' : 'loading');
      const mine = turn.then(() => runNow(task));
      turn = mine;
      return mine;
    },
    [runNow, sink],
  );

  const run = useCallback(
    (code: string) => perform((session, onOutput) => session.run(code, { ...limitsRef.current, onOutput })),
    [perform],
  );

  const stop = useCallback(() => {
    if (phase.current === 'running') getSession().stop();
    else if (phase.current === 'waiting') {
      phase.current = 'cancelled';
      setState('stopped');
      setReason('Stopped before it began.');
    }
  }, []);

  // A run nobody looks at any more holds up the others.
  useEffect(() => stop, [stop]);

  return { state, ended, backend, progress, result, error: result?.error, reason, run, perform, stop };
}
