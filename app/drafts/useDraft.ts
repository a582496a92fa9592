'use client';
/** A runner's code as the learner has it: the draft if there is one, saved as they type. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { hashOf, keepForNextVisit, loadDraft, saveDraft } from './store';

/** Time without typing before a save, in milliseconds. */
const DEBOUNCE = 300;

export interface DraftState {
  readonly code: string;
  /** The code at this moment: an edit counts before the page has been drawn again. */
  latest(): string;
  /** False until the storage has answered; typing before that is kept. */
  readonly loaded: boolean;
  /** Set where the draft is only in memory: why. */
  readonly unsaved: string | undefined;
  /** The course has changed the starter since this draft was begun. */
  readonly starterChanged: boolean;
  /** The code differs from the starter. */
  readonly edited: boolean;
  /** Set after a reset: brings the code before it back. */
  readonly undoReset: (() => void) | undefined;
  setCode(code: string): void;
  reset(): void;
  /** Keeps the draft and stops asking about the changed starter. */
  keepDraft(): void;
}

/** `id` is unique on its page; drafts are kept under the page's path and it, or under `name` where the same code stands on several pages. */
export function useDraft(id: string, starter: string, name?: string): DraftState {
  const [code, show] = useState(starter);
  const [loaded, setLoaded] = useState(false);
  const [unsaved, setUnsaved] = useState<string>();
  const [starterChanged, setStarterChanged] = useState(false);
  const [beforeReset, setBeforeReset] = useState<string>();
  const current = useRef(starter);
  const touched = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const key = useRef(id);

  const save = useCallback(
    async (remember = false) => {
      clearTimeout(timer.current);
      timer.current = undefined;
      const result = await saveDraft(key.current, current.current, starter, remember);
      setUnsaved(result.kept ? undefined : result.reason);
    },
    [starter],
  );

  useEffect(() => {
    key.current = name ?? `${location.pathname}#${id}`;
    let gone = false;
    loadDraft(key.current).then((draft) => {
      if (gone) return;
      if (draft && !touched.current) {
        current.current = draft.code;
        show(draft.code);
        setStarterChanged(draft.baseHash !== hashOf(starter) && draft.code !== starter);
      }
      setLoaded(true);
    });
    const leave = () => {
      if (timer.current === undefined) return;
      keepForNextVisit(key.current, current.current, starter);
      void save();
    };
    const hide = () => {
      if (document.visibilityState === 'hidden') leave();
    };
    addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', hide);
    return () => {
      gone = true;
      leave();
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', hide);
    };
  }, [id, starter, name, save]);

  const setCode = useCallback(
    (next: string) => {
      if (next === current.current) return;
      touched.current = true;
      current.current = next;
      show(next);
      setBeforeReset(undefined);
      clearTimeout(timer.current);
      timer.current = setTimeout(save, DEBOUNCE);
    },
    [save],
  );

  const replace = useCallback(
    (next: string) => {
      touched.current = true;
      current.current = next;
      show(next);
      setStarterChanged(false);
      void save(true);
    },
    [save],
  );

  const reset = useCallback(() => {
    if (current.current === starter) return;
    setBeforeReset(current.current);
    replace(starter);
  }, [starter, replace]);

  const undoReset =
    beforeReset === undefined
      ? undefined
      : () => {
          setBeforeReset(undefined);
          replace(beforeReset);
        };

  const keepDraft = useCallback(() => {
    setStarterChanged(false);
    void save();
  }, [save]);

  const latest = useCallback(() => current.current, []);

  return {
    code,
    latest,
    loaded,
    unsaved,
    starterChanged,
    edited: code !== starter,
    undoReset,
    setCode,
    reset,
    keepDraft,
  };
}
