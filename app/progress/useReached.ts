'use client';
/** What the learner has reached, read again when the page comes back into sight. */
import { useEffect, useState } from 'react';
import { allDrafts, hashOf } from '@/app/drafts/store';
import { allPlaces, allProgress } from './store';
import type { Reached } from './suggest';

const EXERCISE_DRAFT = 'exercise:';

async function read(): Promise<Reached> {
  const [progress, places, drafts] = await Promise.all([allProgress(), allPlaces(), allDrafts()]);
  return {
    exercises: new Map(progress.map((p) => [p.slug, p])),
    lessons: new Map(places.map((p) => [p.slug, p])),
    edited: new Map(
      drafts
        .filter((d) => d.id.startsWith(EXERCISE_DRAFT) && hashOf(d.code) !== d.baseHash)
        .map((d) => [d.id.slice(EXERCISE_DRAFT.length), d.updatedAt]),
    ),
  };
}

/** Undefined until the storage has answered. */
export function useReached(): Reached | undefined {
  const [reached, setReached] = useState<Reached>();
  useEffect(() => {
    let gone = false;
    const load = () => void read().then((value) => !gone && setReached(value));
    load();
    const seen = () => document.visibilityState === 'visible' && load();
    document.addEventListener('visibilitychange', seen);
    // Back and forth through the browser's own cache of pages.
    addEventListener('pageshow', seen);
    return () => {
      gone = true;
      document.removeEventListener('visibilitychange', seen);
      removeEventListener('pageshow', seen);
    };
  }, []);
  return reached;
}
