'use client';
/** A runner's code as the learner has it: the draft if there is one, saved as they type, in step with other tabs. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { hashOf, keepForNextVisit, loadDraft, onDraftElsewhere, saveDraft, versionsOf } from './store';
import { type Draft, revisionOf, type Version } from './versions';

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
  /** Set after a reset or a restore: brings the code before it back. */
  readonly undo: { readonly label: string; run(): void } | undefined;
  /** What another tab wrote while this one was being edited. Both are kept; the learner says which goes on. */
  readonly other: Version | undefined;
  /** The last change came from another tab. */
  readonly followed: boolean;
  setCode(code: string): void;
  reset(): void;
  /** Puts an earlier version in the place of the code, which stays among the versions. */
  restore(code: string): void;
  /** Keeps the draft and stops asking about the changed starter. */
  keepDraft(): void;
  /** Settles `other`: by it, or by what is in the editor. */
  settle(takeOther: boolean): void;
  /** Earlier versions, newest first. */
  versions(): Promise<readonly Version[]>;
}

/** `id` is unique on its page; drafts are kept under the page's path and it, or under `name` where the same code stands on several pages. */
export function useDraft(id: string, starter: string, name?: string): DraftState {
  const [code, show] = useState(starter);
  const [loaded, setLoaded] = useState(false);
  const [unsaved, setUnsaved] = useState<string>();
  const [starterChanged, setStarterChanged] = useState(false);
  const [before, setBefore] = useState<{ readonly label: string; readonly code: string }>();
  const [other, setOther] = useState<Version>();
  const [followed, setFollowed] = useState(false);
  const current = useRef(starter);
  const touched = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const key = useRef(id);
  const seen = useRef(-1);
  const saving = useRef(0);

  /** Takes over what is stored, unless something here waits to be saved: then the save joins the two. */
  const follow = useCallback((draft: Draft) => {
    if (timer.current !== undefined || saving.current > 0 || revisionOf(draft) <= seen.current) return false;
    seen.current = revisionOf(draft);
    if (draft.code === current.current) return false;
    current.current = draft.code;
    show(draft.code);
    setBefore(undefined);
    return true;
  }, []);

  const save = useCallback(
    async (remember = false) => {
      clearTimeout(timer.current);
      timer.current = undefined;
      saving.current++;
      const saved = await saveDraft({
        id: key.current,
        code: current.current,
        baseHash: hashOf(starter),
        at: Date.now(),
        seen: seen.current,
        remember,
      });
      saving.current--;
      seen.current = Math.max(seen.current, revisionOf(saved.draft));
      setUnsaved(saved.storage.kept ? undefined : saved.storage.reason);
      if (saved.overtaken) setOther(saved.overtaken);
    },
    [starter],
  );

  useEffect(() => {
    key.current = name ?? `${location.pathname}#${id}`;
    let gone = false;
    loadDraft(key.current).then((draft) => {
      if (gone) return;
      if (draft && touched.current) {
        // Typed before the storage answered: what was stored becomes a version.
        seen.current = Math.max(seen.current, revisionOf(draft));
        void save(true);
      } else if (draft) {
        follow(draft);
        setStarterChanged(draft.baseHash !== hashOf(starter) && draft.code !== starter);
      }
      setLoaded(true);
    });
    const stopListening = onDraftElsewhere((draft) => {
      if (draft.id === key.current && follow(draft)) setFollowed(true);
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
      stopListening();
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', hide);
    };
  }, [id, starter, name, save, follow]);

  const setCode = useCallback(
    (next: string) => {
      if (next === current.current) return;
      touched.current = true;
      current.current = next;
      show(next);
      setBefore(undefined);
      setFollowed(false);
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
      setFollowed(false);
      void save(true);
    },
    [save],
  );

  const replaceWithUndo = useCallback(
    (next: string, label: string) => {
      if (current.current === next) return;
      setBefore({ label, code: current.current });
      replace(next);
    },
    [replace],
  );
  const reset = useCallback(() => replaceWithUndo(starter, 'Undo reset'), [starter, replaceWithUndo]);
  const restore = useCallback((next: string) => replaceWithUndo(next, 'Undo restore'), [replaceWithUndo]);

  const undo =
    before === undefined
      ? undefined
      : {
          label: before.label,
          run: () => {
            setBefore(undefined);
            replace(before.code);
          },
        };

  const keepDraft = useCallback(() => {
    setStarterChanged(false);
    void save();
  }, [save]);

  const settle = useCallback(
    (takeOther: boolean) => {
      if (takeOther && other) restore(other.code);
      setOther(undefined);
    },
    [other, restore],
  );

  const latest = useCallback(() => current.current, []);
  const versions = useCallback(() => versionsOf(key.current), []);

  return {
    code,
    latest,
    loaded,
    unsaved,
    starterChanged,
    edited: code !== starter,
    undo,
    other,
    followed,
    setCode,
    reset,
    restore,
    keepDraft,
    settle,
    versions,
  };
}
