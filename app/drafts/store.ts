/**
 * What learners wrote, kept in this browser: one draft for each runner, with earlier versions. Every failure of the storage (private
 * mode, quota, a blocked upgrade) leaves the draft in memory and says so, so that the page can warn and offer a copy. Tabs tell each other what
 * they saved.
 */
import type { DBSchema } from 'idb';
import { askToPersist, database, type Kept, refusal } from '@/app/storage/database';
import { afterEdit, type Draft, type Edit, type Version, withUnsaved } from './versions';

interface Schema extends DBSchema {
  drafts: { key: string; value: Draft };
}

const open = database<Schema>('subnormal-drafts', 1, (db) => {
  db.createObjectStore('drafts', { keyPath: 'id' });
});

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
  if (!unsaved) return read(id);
  try {
    const tx = (await open()).transaction('drafts', 'readwrite');
    const draft = withUnsaved(await tx.store.get(id), unsaved);
    await tx.store.put(draft);
    await tx.done;
    tell(draft);
    return draft;
  } catch {
    const draft = withUnsaved(memory.get(id), unsaved);
    memory.set(id, draft);
    return draft;
  }
}

async function read(id: string): Promise<Draft | undefined> {
  try {
    return memory.get(id) ?? (await (await open()).get('drafts', id));
  } catch {
    return memory.get(id);
  }
}

/** Earlier versions of a draft, newest first. */
export const versionsOf = async (id: string): Promise<readonly Version[]> => (await read(id))?.history ?? [];

/** Every draft that is stored. */
export async function allDrafts(): Promise<readonly Draft[]> {
  try {
    const stored = await (await open()).getAll('drafts');
    return [...stored.filter((d) => !memory.has(d.id)), ...memory.values()];
  } catch {
    return [...memory.values()];
  }
}

export interface Saved {
  readonly storage: Kept;
  readonly draft: Draft;
  /** What another tab had saved meanwhile: now a version. */
  readonly overtaken?: Version;
}

/** Reads, joins and writes in one transaction, so that two tabs can't lose each other's code. Never rejects. */
export async function saveDraft(edit: Edit): Promise<Saved> {
  try {
    const tx = (await open()).transaction('drafts', 'readwrite');
    const result = afterEdit((await tx.store.get(edit.id)) ?? memory.get(edit.id), edit);
    await tx.store.put(result.draft);
    await tx.done;
    memory.delete(edit.id);
    tell(result.draft);
    askToPersist();
    return { storage: { kept: true }, ...result };
  } catch (error) {
    const { draft } = afterEdit(memory.get(edit.id), edit);
    memory.set(edit.id, draft);
    return { storage: { kept: false, reason: refusal(error) }, draft };
  }
}

/** Tabs without BroadcastChannel notice one another when they save. */
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('subnormal-drafts');

function tell(draft: Draft): void {
  channel?.postMessage(draft);
}

/** Calls `listener` with each draft that another tab saves; gives the function that ends it. */
export function onDraftElsewhere(listener: (draft: Draft) => void): () => void {
  const receive = (event: MessageEvent) => listener(event.data as Draft);
  channel?.addEventListener('message', receive);
  return () => channel?.removeEventListener('message', receive);
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
