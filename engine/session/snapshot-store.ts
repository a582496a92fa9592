/**
 * Keeps Python's heap, as it is after `import torch`, in Cache Storage: the next start copies it instead of running Python's start-up
 * and the imports. One entry, named for the exact build that made it. Every failure here only means a slower start.
 */
import type { AssetUrls } from './files';

const CACHE = 'python-snapshot';

/** Cache Storage wants a URL; this one is never fetched. */
function key(urls: AssetUrls, suspend: boolean): string {
  const build = [urls.pyodide, urls.torch, urls.sessionWorker, suspend ? 'jspi' : 'no-jspi'].join('|');
  return `/python-snapshot/${encodeURIComponent(build)}`;
}

export async function loadSnapshot(urls: AssetUrls, suspend: boolean): Promise<Blob | undefined> {
  try {
    const cache = await caches.open(CACHE);
    return await (await cache.match(key(urls, suspend)))?.blob();
  } catch {
    return undefined;
  }
}

export async function storeSnapshot(urls: AssetUrls, suspend: boolean, heap: Blob): Promise<void> {
  try {
    const cache = await caches.open(CACHE);
    for (const old of await cache.keys()) await cache.delete(old);
    await cache.put(key(urls, suspend), new Response(heap));
  } catch {
    // No storage (private mode, quota): the snapshot still serves this page's own workers.
  }
}

export async function dropSnapshot(): Promise<void> {
  try {
    await caches.delete(CACHE);
  } catch {
    // Nothing was stored then.
  }
}
