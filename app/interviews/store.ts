/**
 * Interviews kept in this browser: one row for every event, written as it happens, so that a closed tab loses nothing; a summary of each attempt for
 * the history; recordings, which never leave it. Where the storage refuses, the page's memory serves, and the page says so.
 */
import type { DBSchema } from 'idb';
import { database, type Kept, refusal } from '@/app/storage/database';
import type { InterviewEvent } from '@/content/interviews/kit/machine';
import type { Format, Mode } from '@/content/interviews/kit/schema';
import type { Verdict } from '@/content/interviews/kit/score';

export interface AttemptSummary {
  readonly id: string;
  readonly slug: string;
  readonly beganAt: number;
  readonly seed: number;
  readonly format: Format;
  readonly mode: Mode;
  readonly version: number;
  /** Once it has ended. */
  readonly ended?: {
    readonly at: number;
    readonly verdict: Verdict;
    readonly scores: Readonly<Record<string, number | null>>;
  };
}

interface EventRow {
  readonly attempt: string;
  readonly index: number;
  readonly event: InterviewEvent;
}

interface Schema extends DBSchema {
  attempts: { key: string; value: AttemptSummary };
  events: { key: [string, number]; value: EventRow };
  recordings: { key: [string, string]; value: { attempt: string; question: string; audio: Blob } };
}

const open = database<Schema>('subnormal-interviews', 1, (db) => {
  db.createObjectStore('attempts', { keyPath: 'id' });
  db.createObjectStore('events', { keyPath: ['attempt', 'index'] });
  db.createObjectStore('recordings', { keyPath: ['attempt', 'question'] });
});

/** What the storage wouldn't take. */
const memory = { attempts: new Map<string, AttemptSummary>(), events: new Map<string, InterviewEvent[]>() };

/** Never rejects. */
export async function putAttempt(attempt: AttemptSummary): Promise<Kept> {
  try {
    await (await open()).put('attempts', attempt);
    return { kept: true };
  } catch (error) {
    memory.attempts.set(attempt.id, attempt);
    return { kept: false, reason: refusal(error) };
  }
}

/** Writes the event that comes at `index` of the attempt's log. Never rejects. */
export async function appendEvent(attempt: string, index: number, event: InterviewEvent): Promise<Kept> {
  try {
    await (await open()).put('events', { attempt, index, event });
    return { kept: true };
  } catch (error) {
    const log = memory.events.get(attempt) ?? [];
    log[index] = event;
    memory.events.set(attempt, log);
    return { kept: false, reason: refusal(error) };
  }
}

/** The attempt's log, in order. Never rejects. */
export async function loadEvents(attempt: string): Promise<readonly InterviewEvent[]> {
  const own = memory.events.get(attempt) ?? [];
  try {
    const range = IDBKeyRange.bound([attempt, 0], [attempt, Number.MAX_SAFE_INTEGER]);
    const rows = await (await open()).getAll('events', range);
    const log = rows.map((row) => row.event);
    own.forEach((event, index) => {
      log[index] = event;
    });
    return log;
  } catch {
    return own;
  }
}

/** Attempts, latest first; of one interview, or of all. Never rejects. */
export async function attempts(slug?: string): Promise<readonly AttemptSummary[]> {
  let stored: readonly AttemptSummary[] = [];
  try {
    stored = await (await open()).getAll('attempts');
  } catch {
    // Then memory is all there is.
  }
  const all = [...stored.filter((a) => !memory.attempts.has(a.id)), ...memory.attempts.values()];
  return all.filter((a) => slug === undefined || a.slug === slug).sort((a, b) => b.beganAt - a.beganAt);
}

/** Removes an attempt with its log and its recordings. Gives what was removed, so that it can be put back. */
export async function removeAttempt(attempt: AttemptSummary): Promise<() => Promise<void>> {
  const events = await loadEvents(attempt.id);
  memory.attempts.delete(attempt.id);
  memory.events.delete(attempt.id);
  try {
    const db = await open();
    await db.delete('attempts', attempt.id);
    await db.delete('events', IDBKeyRange.bound([attempt.id, 0], [attempt.id, Number.MAX_SAFE_INTEGER]));
  } catch {
    // It was in memory only.
  }
  return async () => {
    await putAttempt(attempt);
    for (const [index, event] of events.entries()) await appendEvent(attempt.id, index, event);
  };
}

export async function putRecording(attempt: string, question: string, audio: Blob): Promise<Kept> {
  try {
    await (await open()).put('recordings', { attempt, question, audio });
    return { kept: true };
  } catch (error) {
    return { kept: false, reason: refusal(error) };
  }
}

/** Never rejects. */
export async function recording(attempt: string, question: string): Promise<Blob | undefined> {
  try {
    return (await (await open()).get('recordings', [attempt, question]))?.audio;
  } catch {
    return undefined;
  }
}

// When the page was last alive, for practice: written every second, and as the page goes away, which IndexedDB may come too late for.

const SEEN = 'subnormal-interview-seen:';

export function markSeen(attempt: string, at: number): void {
  try {
    localStorage.setItem(SEEN + attempt, String(at));
  } catch {
    // Then the last event has to do.
  }
}

export function lastSeen(attempt: string): number {
  try {
    return Number(localStorage.getItem(SEEN + attempt) ?? 0);
  } catch {
    return 0;
  }
}

export function forgetSeen(attempt: string): void {
  try {
    localStorage.removeItem(SEEN + attempt);
  } catch {
    // Nothing was kept.
  }
}
