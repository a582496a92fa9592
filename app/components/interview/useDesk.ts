'use client';
/** The evidence desk of a page: jobs for the session, one after the other, whoever asks. */
import { useCallback, useMemo, useRef } from 'react';
import { type OutputSink, useRun } from '@/app/components/runner/useRun';
import type { InterviewSources } from '@/app/interviews/load';
import { EvidenceDesk } from '@/content/interviews/kit/evidence';
import type { Interview } from '@/content/interviews/kit/schema';
import type { BackendInfo, Session } from '@/engine/session/session';

export interface Desk {
  readonly backend: BackendInfo | undefined;
  /** What is being loaded, while Python starts. */
  readonly loading: string | undefined;
  /** Gives `job` the session to itself. Rejects where Python can't be started. */
  use<T>(job: (desk: EvidenceDesk, session: Session) => Promise<T>): Promise<T>;
}

export function useDesk(interview: Interview, sources: InterviewSources, seed: number): Desk {
  const sink = useRef<OutputSink>(null);
  const { perform, backend, progress, state } = useRun(sink);
  const desk = useMemo(() => new EvidenceDesk(interview, sources, seed), [interview, sources, seed]);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const use = useCallback(
    <T>(job: (desk: EvidenceDesk, session: Session) => Promise<T>): Promise<T> => {
      const mine = queue.current.then(async () => {
        let made: { readonly value: T } | undefined;
        await perform(async (session) => {
          made = { value: await job(desk, session) };
          return { status: 'done', exitCode: 0, milliseconds: 0, kernels: 0 };
        });
        if (!made) throw new Error('Python could not be started, or the page was left.');
        return made.value;
      });
      queue.current = mine.catch(() => undefined);
      return mine;
    },
    [desk, perform],
  );
  return { backend, loading: state === 'loading' ? (progress?.label ?? 'Starting Python') : undefined, use };
}
