'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { warmUp as warmPython } from '@/app/components/runner/session';
import { type LoadedInterview, loadInterview } from '@/app/interviews/load';
import { type AttemptSummary, attempts } from '@/app/interviews/store';
import { useInterview } from '@/app/interviews/useInterview';
import { drawWarmUp } from '@/app/interviews/warm-up';
import { askToPersist } from '@/app/storage/database';
import type { Format, Mode } from '@/content/interviews/kit/schema';
import styles from './interview.module.css';
import { Lobby } from './Lobby';
import { Report } from './Report';
import { Room } from './Room';

interface Props {
  readonly slug: string;
  /** Slugs of the prediction generators, for the warm-up. */
  readonly generators: readonly string[];
  /** Titles of lessons by slug, for where to read. */
  readonly lessons: Readonly<Record<string, string>>;
}

/** The address names the attempt that is shown: `#attempt=…`. */
const HASH = '#attempt=';

/** The lobby, the room or the report, whichever it is time for. */
export function InterviewPage({ slug, generators, lessons }: Props) {
  const [loaded, setLoaded] = useState<LoadedInterview>();
  const [fault, setFault] = useState<string>();
  const [past, setPast] = useState<readonly AttemptSummary[]>();
  const [starting, setStarting] = useState(false);
  const { sitting, begin, take, leave } = useInterview(loaded?.interview);
  const top = useRef<HTMLDivElement>(null);

  const readPast = useCallback(() => void attempts(slug).then(setPast), [slug]);
  useEffect(() => {
    let gone = false;
    setFault(undefined);
    loadInterview(slug).then(
      (l) => !gone && setLoaded(l),
      (error: unknown) => !gone && setFault(error instanceof Error ? error.message : String(error)),
    );
    readPast();
    return () => {
      gone = true;
    };
  }, [slug, readPast]);

  const open = useCallback(
    async (id: string) => {
      await take(id);
      history.replaceState(null, '', `${HASH}${id}`);
      top.current?.scrollIntoView();
    },
    [take],
  );

  // A reload comes back to where one was.
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (!loaded || wanted.current !== undefined) return;
    wanted.current = location.hash.startsWith(HASH) ? location.hash.slice(HASH.length) : '';
    if (wanted.current !== '') void take(wanted.current);
  }, [loaded, take]);

  const ended = sitting?.state.ended !== undefined;
  useEffect(() => {
    // The summary is written as the interview ends; a moment later it can be read.
    const timer = setTimeout(readPast, ended ? 150 : 0);
    return () => clearTimeout(timer);
  }, [ended, readPast]);

  const start = async (format: Format, mode: Mode) => {
    if (!loaded) return;
    setStarting(true);
    setFault(undefined);
    try {
      askToPersist();
      warmPython();
      const { interview } = loaded;
      // Seeds in turn: the one that was sat longest ago, or never.
      const sat = (past ?? []).map((a) => a.seed);
      const seed = [...interview.seeds].sort(
        (a, b) => sat.filter((s) => s === a).length - sat.filter((s) => s === b).length,
      )[0];
      const salt = seed * 1000 + (past?.length ?? 0);
      const warmUp = await drawWarmUp(generators, format, salt);
      begin({ kind: 'began', slug, seed, format, mode, version: interview.version, warmUp });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setStarting(false);
    }
  };
  const id = sitting?.id;
  useEffect(() => {
    if (id !== undefined) history.replaceState(null, '', `${HASH}${id}`);
  }, [id]);

  if (fault)
    return (
      <p className={styles.missing} role="alert">
        The interview could not be loaded: {fault}.{' '}
        <button type="button" className="button" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    );
  if (!loaded || !past)
    return (
      <p className={styles.note} role="status">
        Loading the interview …
      </p>
    );
  return (
    <div ref={top}>
      {!sitting ? (
        <Lobby
          interview={loaded.interview}
          past={past}
          starting={starting}
          onBegin={(format, mode) => void start(format, mode)}
          onOpen={(attempt) => void open(attempt)}
          onChanged={readPast}
        />
      ) : sitting.state.ended ? (
        <Report
          key={sitting.id}
          loaded={loaded}
          sitting={sitting}
          past={past}
          lessons={lessons}
          onOpen={(attempt) => void open(attempt)}
          onAgain={() => {
            history.replaceState(null, '', location.pathname);
            leave();
            readPast();
          }}
          onChanged={readPast}
        />
      ) : (
        <Room key={sitting.id} loaded={loaded} sitting={sitting} />
      )}
    </div>
  );
}
