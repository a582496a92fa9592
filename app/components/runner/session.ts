'use client';
/** The page's one session, and its warm-up. */
import { assets } from '@/app/generated/assets';
import { BrowserSession } from '@/engine/session/browser';
import type { Session } from '@/engine/session/session';

interface NavigatorHints {
  readonly connection?: { readonly saveData?: boolean };
  /** GiB, rounded; Chromium only. */
  readonly deviceMemory?: number;
}

const hints = (): NavigatorHints => navigator as unknown as NavigatorHints;

/** The learner has asked for little traffic: nothing is loaded before it is needed. */
export const savesData = (): boolean => hints().connection?.saveData === true;

let session: BrowserSession | undefined;

/** The same session for everything on the page. Starts nothing by itself. */
export function getSession(): Session {
  // A spare takes some 100 MB; a small phone does without and waits for a restart instead.
  session ??= new BrowserSession(assets, { spare: (hints().deviceMemory ?? 8) > 2 });
  return session;
}

let warmed = false;

/** Downloads and starts Python, if that hasn't begun yet: on a hint that it will be needed. Failures show at the first run. */
export function warmUp(): void {
  if (warmed) return;
  warmed = true;
  getSession()
    .start()
    .catch(() => {
      warmed = false;
    });
}

/** Warms up once the page is idle, unless the learner saves data. */
export function warmUpWhenIdle(): () => void {
  if (warmed || savesData()) return () => undefined;
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(warmUp, { timeout: 4000 });
    return () => cancelIdleCallback(handle);
  }
  const handle = setTimeout(warmUp, 1500);
  return () => clearTimeout(handle);
}

if (process.env.NODE_ENV !== 'production' || typeof window === 'undefined') {
  // Nothing: the session starts on demand only.
} else {
  // Tests reach the session here to lose its GPU device; nothing on the site does.
  Object.defineProperty(window, '__session', { get: () => session, configurable: true });
}
