'use client';
/** One sitting on a page: the log, the state that follows from it, the clock that drives it, and where it is kept. */
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  dueInterruption,
  elapsed,
  type InterviewEvent,
  type InterviewState,
  isOver,
  reduce,
  replayLog,
} from '@/content/interviews/kit/machine';
import type { Interview } from '@/content/interviews/kit/schema';
import { score } from '@/content/interviews/kit/score';
import { now } from './clock';
import { appendEvent, forgetSeen, lastSeen, loadEvents, markSeen, putAttempt } from './store';

/** An event as it is dispatched: the clock adds when. */
export type Act = InterviewEvent extends infer E ? (E extends { readonly at: number } ? Omit<E, 'at'> : never) : never;

export interface Sitting {
  readonly id: string;
  readonly state: InterviewState;
  /** The log so far. */
  readonly events: readonly InterviewEvent[];
  /** Time of the last tick: what the clock shows. */
  readonly time: number;
  /** Why the log isn't kept beyond this page, if it isn't. */
  readonly unkept: string | undefined;
  act(act: Act): void;
}

interface Log {
  readonly id: string;
  readonly events: InterviewEvent[];
  state: InterviewState | undefined;
}

const TICK = 250;

export function useInterview(interview: Interview | undefined) {
  const log = useRef<Log>(undefined);
  const [shown, setShown] = useState<{ readonly id: string; readonly state: InterviewState }>();
  const [time, setTime] = useState(now);
  const [unkept, setUnkept] = useState<string>();

  const record = useCallback((event: InterviewEvent) => {
    const current = log.current;
    if (!current) return;
    const next = reduce(current.state, event);
    if (next === current.state || next === undefined) return;
    current.state = next;
    const last = current.events.at(-1);
    // A form that is being filled in is one event, written over as it grows.
    if (event.kind === 'drafted' && last?.kind === 'drafted' && last.question === event.question) current.events.pop();
    const index = current.events.push(event) - 1;
    markSeen(current.id, event.at);
    void appendEvent(current.id, index, event).then((kept) => kept.kept || setUnkept(kept.reason));
    setShown({ id: current.id, state: next });
    setTime(event.at);
  }, []);

  /** Keeps what the history shows. */
  const summarise = useCallback(
    (id: string, state: InterviewState) => {
      if (!interview) return;
      const { slug, beganAt, seed, format, mode, version } = state;
      const summary = { id, slug, beganAt, seed, format, mode, version };
      if (!state.ended) return void putAttempt(summary);
      const { verdict, dimensions } = score(interview, state);
      const scores = Object.fromEntries(dimensions.map((d) => [d.dimension, d.score]));
      forgetSeen(id);
      void putAttempt({ ...summary, ended: { at: state.ended.at, verdict, scores } });
    },
    [interview],
  );

  const act = useCallback(
    (body: Act) => {
      const before = log.current?.state;
      record({ ...body, at: now() } as InterviewEvent);
      const current = log.current;
      if (current?.state?.ended && !before?.ended) summarise(current.id, current.state);
    },
    [record, summarise],
  );

  const begin = useCallback(
    (body: Extract<Act, { kind: 'began' }>) => {
      log.current = { id: crypto.randomUUID(), events: [], state: undefined };
      act(body);
      const { id, state } = log.current;
      if (state) summarise(id, state);
    },
    [act, summarise],
  );

  /** Takes up an attempt where it was left: practice goes on at the same second, strict has run on. */
  const take = useCallback(
    async (id: string) => {
      const events = [...(await loadEvents(id))];
      const state = replayLog(events);
      if (!state) return;
      log.current = { id, events, state };
      setShown({ id, state });
      setTime(now());
      if (state.ended) return;
      const seen = Math.max(lastSeen(id), events.at(-1)?.at ?? 0);
      record({ kind: 'left', at: Math.min(seen, now()) });
      record({ kind: 'returned', at: now() });
    },
    [record],
  );

  const leave = useCallback(() => {
    log.current = undefined;
    setShown(undefined);
  }, []);

  // The clock: it shows the time, ends the interview, lets the interviewer cut in.
  const id = shown?.id;
  const ended = shown?.state.ended !== undefined;
  useEffect(() => {
    if (!interview || id === undefined || ended) return;
    let second = 0;
    const tick = () => {
      const at = now();
      const state = log.current?.state;
      if (!state || log.current?.id !== id) return;
      setTime(at);
      if (Math.floor(at / 1000) !== second) {
        second = Math.floor(at / 1000);
        markSeen(id, at);
      }
      if (isOver(state, at)) act({ kind: 'ended', by: 'clock' });
      else {
        const due = dueInterruption(interview, state, at);
        if (due) act({ kind: 'interrupted', id: due.id });
      }
    };
    tick();
    const timer = setInterval(tick, TICK);
    const seen = () => markSeen(id, now());
    addEventListener('pagehide', seen);
    return () => {
      clearInterval(timer);
      removeEventListener('pagehide', seen);
      seen();
    };
  }, [interview, id, ended, act]);

  const sitting: Sitting | undefined = shown && { ...shown, events: log.current?.events ?? [], time, unkept, act };
  return { sitting, begin, take, leave };
}

/** What the clock shows of a sitting: interview time that has passed. */
export const passed = (sitting: Sitting): number => elapsed(sitting.state, sitting.time);
