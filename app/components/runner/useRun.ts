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

interface Attempt {
  running: boolean;
}

/** The session's own start failed: the task was never tried. */
class StartFailed extends Error {}

/** Whoever came first; a runner that is stopped while it waits never runs. */
let turn: Promise<unknown> = Promise.resolve();

export function useRun(sink: React.RefObject<OutputSink | null>, limits: RunLimits = {}): Run {
  const [state, setState] = useState<RunState>('idle');
  const [ended, setEnded] = useState(0);
  const [backend, setBackend] = useState<BackendInfo>();
  const [progress, setProgress] = useState<Progress>();
  const [result, setResult] = useState<RunResult>();
  const [reason, setReason] = useState<string>();
  // The run in hand, if any: a cancelled one is let go at once, so that the next click on Run counts.
  const current = useRef<Attempt>(undefined);
  const limitsRef = useRef(limits);
  limitsRef.current = limits;

  const runNow = useCallback(
    async (task: RunTask, mine: Attempt): Promise<RunResult | undefined> => {
      const session = getSession();
      const cancelled = () => current.current !== mine;
      if (cancelled()) return undefined;
      try {
        const info = await session
          .start((p) => cancelled() || setProgress(p))
          .catch((error: unknown) => {
            throw new StartFailed(messageOf(error));
          });
        setBackend(info);
        if (cancelled()) return undefined;
        setProgress(undefined);
        mine.running = true;
        setState('running');
        const outcome = await task(session, (text, stream) => sink.current?.append(text, stream));
        if (outcome.error?.traceback) sink.current?.append(outcome.error.traceback, 'stderr');
        sink.current?.flush();
        setResult(outcome);
        setReason(outcome.reason);
        setState(outcome.status);
        return outcome;
      } catch (error) {
        if (cancelled()) return undefined;
        setProgress(undefined);
        setState('error');
        // Other failures are for whoever gave the task to explain.
        if (error instanceof StartFailed) setReason(`Python could not be started: ${error.message}.`);
        return undefined;
      } finally {
        if (!cancelled()) {
          setEnded((n) => n + 1);
          current.current = undefined;
        }
      }
    },
    [sink],
  );

  const perform = useCallback(
    (task: RunTask): Promise<RunResult | undefined> => {
      if (current.current) return Promise.resolve(undefined);
      const attempt: Attempt = { running: false };
      current.current = attempt;
      performance.mark('run-click');
      sink.current?.clear();
      setResult(undefined);
      setReason(undefined);
      setState(getSession().state === 'ready' ? 'running' : 'loading');
      const mine = turn.then(() => runNow(task, attempt));
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
    if (!current.current) return;
    if (current.current.running) getSession().stop();
    else {
      current.current = undefined;
      setProgress(undefined);
      setState('stopped');
      setReason('Stopped before it began.');
    }
  }, []);

  // A run nobody looks at any more holds up the others.
  useEffect(() => stop, [stop]);

  return { state, ended, backend, progress, result, error: result?.error, reason, run, perform, stop };
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
