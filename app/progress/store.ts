/**
 * What a learner has reached with each exercise, kept in this browser. Where the storage refuses (private mode, quota) it is kept in memory for as
 * long as the page lives.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

export interface Attempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly code: string;
  readonly passed: number;
  readonly total: number;
}

export interface ExerciseProgress {
  readonly slug: string;
  /** When it was first solved; absent until then. */
  readonly solvedAt?: number;
  /** Version of the exercise that was solved. */
  readonly solvedVersion?: number;
  readonly hintsShown: number;
  /** Latest first. */
  readonly attempts: readonly Attempt[];
}

interface Schema extends DBSchema {
  exercises: { key: string; value: ExerciseProgress };
}

const MAX_ATTEMPTS = 50;

let database: Promise<IDBPDatabase<Schema>> | undefined;
const memory = new Map<string, ExerciseProgress>();

function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openDB<Schema>('subnormal-progress', 1, {
    upgrade(db) {
      db.createObjectStore('exercises', { keyPath: 'slug' });
    },
    blocking: (_current, _blocked, event) => {
      (event.target as IDBDatabase).close();
      database = undefined;
    },
    terminated: () => {
      database = undefined;
    },
  });
  database.catch(() => {
    database = undefined;
  });
  return database;
}

/** Never rejects. */
export async function exerciseProgress(slug: string): Promise<ExerciseProgress> {
  const none: ExerciseProgress = { slug, hintsShown: 0, attempts: [] };
  try {
    return (await (await open()).get('exercises', slug)) ?? memory.get(slug) ?? none;
  } catch {
    return memory.get(slug) ?? none;
  }
}

/** Progress with every exercise that has any. Never rejects. */
export async function allProgress(): Promise<readonly ExerciseProgress[]> {
  try {
    const stored = await (await open()).getAll('exercises');
    return [...stored, ...[...memory.values()].filter((m) => !stored.some((s) => s.slug === m.slug))];
  } catch {
    return [...memory.values()];
  }
}

/** Reads, changes and writes in one transaction, so that two tabs don't undo each other. Gives what is now kept. Never rejects. */
export async function updateProgress(
  slug: string,
  change: (before: ExerciseProgress) => ExerciseProgress,
): Promise<ExerciseProgress> {
  const none: ExerciseProgress = { slug, hintsShown: 0, attempts: [] };
  try {
    const tx = (await open()).transaction('exercises', 'readwrite');
    const next = change((await tx.store.get(slug)) ?? memory.get(slug) ?? none);
    await tx.store.put(next);
    await tx.done;
    memory.delete(slug);
    return next;
  } catch {
    const next = change(memory.get(slug) ?? none);
    memory.set(slug, next);
    return next;
  }
}

/** The same progress with one more attempt, oldest dropped. */
export function withAttempt(before: ExerciseProgress, attempt: Attempt, version: number): ExerciseProgress {
  const solved = attempt.passed === attempt.total;
  return {
    ...before,
    attempts: [attempt, ...before.attempts].slice(0, MAX_ATTEMPTS),
    ...(solved && before.solvedAt === undefined ? { solvedAt: attempt.at } : {}),
    ...(solved ? { solvedVersion: version } : {}),
  };
}
