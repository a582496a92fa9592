/**
 * Opening an IndexedDB database the way that every store here needs it: opened on first use, given up when another tab wants to upgrade it,
 * opened again after the browser has closed it. And what to tell a learner whose browser refuses.
 */
import { type DBSchema, type IDBPDatabase, type OpenDBCallbacks, openDB } from 'idb';

/** How long another tab with an older version of the site may hold up an upgrade, in milliseconds. */
const BLOCKED_AFTER = 3_000;

/** Another tab still has the old database open. */
class Blocked extends Error {}

/**
 * A function that gives the open database. It rejects where the browser refuses (private mode, no space) or another tab blocks the upgrade; the
 * next call tries again.
 */
export function database<Schema extends DBSchema>(
  name: string,
  version: number,
  upgrade: NonNullable<OpenDBCallbacks<Schema>['upgrade']>,
): () => Promise<IDBPDatabase<Schema>> {
  let opening: Promise<IDBPDatabase<Schema>> | undefined;
  const forget = () => {
    opening = undefined;
  };
  return () => {
    if (opening) return opening;
    const opened = openDB<Schema>(name, version, {
      upgrade,
      // Another tab with a newer version of the site wants to upgrade: let it.
      blocking: (_current, _blocked, event) => {
        (event.target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    });
    opening = Promise.race([
      opened,
      new Promise<never>((_, reject) => setTimeout(() => reject(new Blocked()), BLOCKED_AFTER)),
    ]);
    opening.catch(forget);
    return opening;
  };
}

/** Whether something was kept; `reason` completes "… because …" where it is only in this page's memory. */
export type Kept = { readonly kept: true } | { readonly kept: false; readonly reason: string };

/** Why the storage refused, as the end of a sentence. */
export function refusal(error: unknown): string {
  if (error instanceof Blocked) return 'another tab has an older version of this site open; close it and reload';
  if (error instanceof DOMException && error.name === 'QuotaExceededError')
    return 'this browser has no space left for it';
  return 'this browser does not let the site store anything (a private window does that)';
}

let asked = false;

/** Asks the browser, once, not to clear what is stored when space runs short. Only an answer of its own or the reader's grants it. */
export function askToPersist(): void {
  if (asked) return;
  asked = true;
  void navigator.storage?.persist?.().catch(() => undefined);
}
