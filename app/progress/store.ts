/**
 * What a learner has reached, kept in this browser: progress with each exercise, every submission, and the last place in each lesson. Where the
 * storage refuses (private mode, quota) it is kept in memory for as long as the page lives, and whoever writes is told.
 */
import type { DBSchema } from 'idb';
import { hashOf } from '@/app/drafts/store';
import { database, type Kept, refusal } from '@/app/storage/database';
import { type Attempt, type ExerciseProgress, noProgress, withAttempt } from './attempts';

/** Where someone was in a lesson. */
export interface LessonPlace {
  readonly slug: string;
  readonly at: number;
  /** The section in view; absent above the first one. */
  readonly heading?: { readonly id: string; readonly text: string };
  /** The last section has been in view. */
  readonly finished: boolean;
}

interface Schema extends DBSchema {
  exercises: { key: string; value: ExerciseProgress };
  attempts: { key: [string, number]; value: Attempt };
  lessons: { key: string; value: LessonPlace };
}

/** Version 1 kept the attempts inside the progress. */
interface ProgressOfVersion1 {
  readonly slug: string;
  readonly solvedAt?: number;
  readonly solvedVersion?: number;
  readonly hintsShown: number;
  readonly attempts: readonly {
    readonly at: number;
    readonly code: string;
    readonly passed: number;
    readonly total: number;
  }[];
}

const open = database<Schema>('subnormal-progress', 2, async (db, from, _to, tx) => {
  if (from < 1) db.createObjectStore('exercises', { keyPath: 'slug' });
  if (from < 2) {
    db.createObjectStore('attempts', { keyPath: ['slug', 'at'] });
    db.createObjectStore('lessons', { keyPath: 'slug' });
  }
  if (from !== 1) return;
  const exercises = tx.objectStore('exercises');
  for (const stored of (await exercises.getAll()) as unknown as ProgressOfVersion1[]) {
    const { attempts, ...rest } = stored;
    for (const attempt of attempts) {
      // Nobody noted whether it ran; a submission that passed a check did.
      await tx.objectStore('attempts').put({ ...attempt, slug: stored.slug, ran: attempt.passed > 0 });
    }
    const [last] = attempts;
    await exercises.put({
      ...rest,
      submitted: attempts.length,
      honest: [...new Set(attempts.filter((a) => a.passed > 0).map((a) => hashOf(a.code)))],
      ...(last ? { last: { at: last.at, passed: last.passed, total: last.total } } : {}),
    });
  }
});

/** What the storage wouldn't take. */
const memory = {
  exercises: new Map<string, ExerciseProgress>(),
  attempts: [] as Attempt[],
  lessons: new Map<string, LessonPlace>(),
};

/** What is now kept, and whether it outlives the page. */
export interface Updated<T> {
  readonly value: T;
  readonly storage: Kept;
}

/** Never rejects. */
export async function exerciseProgress(slug: string): Promise<ExerciseProgress> {
  const remembered = memory.exercises.get(slug);
  if (remembered) return remembered;
  try {
    return (await (await open()).get('exercises', slug)) ?? noProgress(slug);
  } catch {
    return noProgress(slug);
  }
}

/** Progress with every exercise that has any. Never rejects. */
export async function allProgress(): Promise<readonly ExerciseProgress[]> {
  try {
    const stored = await (await open()).getAll('exercises');
    return [...stored.filter((s) => !memory.exercises.has(s.slug)), ...memory.exercises.values()];
  } catch {
    return [...memory.exercises.values()];
  }
}

/** Reads, changes and writes in one transaction, so that two tabs don't undo each other. Never rejects. */
export async function updateProgress(
  slug: string,
  change: (before: ExerciseProgress) => ExerciseProgress,
): Promise<Updated<ExerciseProgress>> {
  try {
    const tx = (await open()).transaction('exercises', 'readwrite');
    const value = change((await tx.store.get(slug)) ?? memory.exercises.get(slug) ?? noProgress(slug));
    await tx.store.put(value);
    await tx.done;
    memory.exercises.delete(slug);
    return { value, storage: { kept: true } };
  } catch (error) {
    const value = change(memory.exercises.get(slug) ?? noProgress(slug));
    memory.exercises.set(slug, value);
    return { value, storage: { kept: false, reason: refusal(error) } };
  }
}

/** Keeps a submission, and what it means for the exercise. Never rejects. */
export async function addAttempt(
  attempt: Attempt,
  exercise: { readonly version: number; readonly starter: string },
): Promise<Updated<ExerciseProgress>> {
  const change = (before: ExerciseProgress) => withAttempt(before, attempt, { ...exercise, hash: hashOf });
  try {
    const tx = (await open()).transaction(['exercises', 'attempts'], 'readwrite');
    const stored = await tx.objectStore('exercises').get(attempt.slug);
    const value = change(stored ?? memory.exercises.get(attempt.slug) ?? noProgress(attempt.slug));
    await Promise.all([tx.objectStore('exercises').put(value), tx.objectStore('attempts').put(attempt), tx.done]);
    memory.exercises.delete(attempt.slug);
    return { value, storage: { kept: true } };
  } catch (error) {
    memory.attempts.push(attempt);
    const value = change(memory.exercises.get(attempt.slug) ?? noProgress(attempt.slug));
    memory.exercises.set(attempt.slug, value);
    return { value, storage: { kept: false, reason: refusal(error) } };
  }
}

/** Every submission of an exercise, latest first. Never rejects. */
export async function attemptsOf(slug: string): Promise<readonly Attempt[]> {
  const unsaved = memory.attempts.filter((a) => a.slug === slug);
  try {
    const stored = await (await open()).getAll('attempts', IDBKeyRange.bound([slug], [slug, []]));
    return [...stored, ...unsaved].sort((a, b) => b.at - a.at);
  } catch {
    return unsaved.sort((a, b) => b.at - a.at);
  }
}

/** Notes where someone is in a lesson; that it was finished once stays. Never rejects. */
export async function keepPlace(place: LessonPlace): Promise<void> {
  try {
    const tx = (await open()).transaction('lessons', 'readwrite');
    const before = await tx.store.get(place.slug);
    await tx.store.put({ ...place, finished: place.finished || (before?.finished ?? false) });
    await tx.done;
  } catch {
    const before = memory.lessons.get(place.slug);
    memory.lessons.set(place.slug, { ...place, finished: place.finished || (before?.finished ?? false) });
  }
}

/** The last place in every lesson that was opened. Never rejects. */
export async function allPlaces(): Promise<readonly LessonPlace[]> {
  try {
    return [...(await (await open()).getAll('lessons')), ...memory.lessons.values()];
  } catch {
    return [...memory.lessons.values()];
  }
}
