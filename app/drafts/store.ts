/**
 * What learners wrote, kept in this browser: one draft for each runner, with earlier versions. Every failure of the storage (private
 * mode, quota, a blocked upgrade) leaves the draft in memory and says so, so that the page can warn and offer a copy.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

export interface Version {
  readonly code: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Draft {
  /** The runner's page and id. */
  readonly id: string;
  readonly code: string;
  /** Hash of the starter that the draft began from: another hash means that the course has changed it since. */
  readonly baseHash: string;
  readonly updatedAt: number;
  /** Earlier versions, newest first. */
  readonly history: readonly Version[];
}

interface Schema extends DBSchema {
  drafts: { key: string; value: Draft };
}

/** Versions kept, and the least time between two of them in milliseconds. */
const MAX_VERSIONS = 20;
const VERSION_INTERVAL = 60_000;

let database: Promise<IDBPDatabase<Schema>> | undefined;

function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openDB<Schema>('subnormal-drafts', 1, {
    upgrade(db) {
      db.createObjectStore('drafts', { keyPath: 'id' });
    },
    // Another tab with a newer version of the site wants to upgrade: let it.
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

/** Drafts that the storage wouldn't take. */
const memory = new Map<string, Draft>();

/** FNV-1a over UTF-16 code units, 32 bits: enough to see that a starter has changed. http://www.isthe.com/chongo/tech/comp/fnv/ */
export function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The draft, or undefined if there is none. Never rejects. */
export async function loadDraft(id: string): Promise<Draft | undefined> {
  const unsaved = takePending(id);
  const stored = await read(id);
  if (unsaved && unsaved.updatedAt > (stored?.updatedAt ?? 0)) {
    const draft = { ...unsaved, history: stored?.history ?? [] };
    await put(draft);
    return draft;
  }
  return stored;
}

async function read(id: string): Promise<Draft | undefined> {
  try {
    return (await (await open()).get('drafts', id)) ?? memory.get(id);
  } catch {
    return memory.get(id);
  }
}

/** `kept` is false where only this page remembers the draft; `reason` says why. */
export interface Saved {
  readonly kept: boolean;
  readonly reason?: string;
}

/** Saves `code`; `remember` keeps the version before it whatever its age (Reset does that). Never rejects. */
export async function saveDraft(id: string, code: string, starter: string, remember = false): Promise<Saved> {
  const before = await read(id);
  const now = Date.now();
  let history = before?.history ?? [];
  const last = history[0]?.at ?? 0;
  if (before && before.code !== code && (remember || now - last > VERSION_INTERVAL)) {
    history = [{ code: before.code, at: before.updatedAt }, ...history].slice(0, MAX_VERSIONS);
  }
  return put({ id, code, baseHash: hashOf(starter), updatedAt: now, history });
}

async function put(draft: Draft): Promise<Saved> {
  try {
    await (await open()).put('drafts', draft);
    memory.delete(draft.id);
    return { kept: true };
  } catch (error) {
    memory.set(draft.id, draft);
    return { kept: false, reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError')
    return 'this browser has no space left for it';
  return 'this browser does not let the site store anything (a private window does that)';
}

const PENDING = 'subnormal-draft:';

/** While the page is going away IndexedDB may come too late; this doesn't. loadDraft takes it over. */
export function keepForNextVisit(id: string, code: string, starter: string): void {
  try {
    const draft = { id, code, baseHash: hashOf(starter), updatedAt: Date.now() };
    localStorage.setItem(PENDING + id, JSON.stringify(draft));
  } catch {
    // Then the last debounced save has to do.
  }
}

function takePending(id: string): Omit<Draft, 'history'> | undefined {
  try {
    const text = localStorage.getItem(PENDING + id);
    if (text === null) return undefined;
    localStorage.removeItem(PENDING + id);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { code, baseHash, updatedAt } = value as Record<string, unknown>;
    if (typeof code !== 'string' || typeof baseHash !== 'string' || typeof updatedAt !== 'number') return undefined;
    return { id, code, baseHash, updatedAt };
  } catch {
    return undefined;
  }
}
