/** What becomes of a draft when it is saved: which earlier versions are kept, and what is done when another tab has written meanwhile. */

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
  /** Counts the saves, over all tabs; drafts from before there were revisions have none. */
  readonly revision?: number;
  /** Earlier versions, newest first. */
  readonly history: readonly Version[];
}

export interface Edit {
  readonly id: string;
  readonly code: string;
  readonly baseHash: string;
  readonly at: number;
  /** The revision that this tab last saw; -1 if it saw none. */
  readonly seen: number;
  /** Keep what is replaced as a version, whatever its age. */
  readonly remember?: boolean;
}

/** Versions kept, and the least time between two of them in milliseconds. */
const MAX_VERSIONS = 50;
const VERSION_INTERVAL = 60_000;

export const revisionOf = (draft: Draft | undefined): number => (draft ? (draft.revision ?? 0) : -1);

/**
 * The draft after `edit`. `overtaken` is what another tab had saved since this one last looked, if it differs: it is replaced, and it is always
 * kept as a version.
 */
export function afterEdit(
  stored: Draft | undefined,
  edit: Edit,
): { readonly draft: Draft; readonly overtaken?: Version } {
  const { id, code, baseHash, at } = edit;
  const draft = (history: readonly Version[]): Draft => ({
    id,
    code,
    baseHash,
    updatedAt: at,
    revision: revisionOf(stored) + 1,
    history: history.slice(0, MAX_VERSIONS),
  });
  if (!stored) return { draft: draft([]) };
  if (stored.code === code) return { draft: draft(stored.history) };
  const replaced: Version = { code: stored.code, at: stored.updatedAt };
  const elsewhere = revisionOf(stored) !== edit.seen;
  const due = at - (stored.history[0]?.at ?? 0) > VERSION_INTERVAL;
  const history = elsewhere || edit.remember || due ? withVersion(stored.history, replaced) : stored.history;
  return elsewhere ? { draft: draft(history), overtaken: replaced } : { draft: draft(history) };
}

/** The same history with one version more; the same code twice running is one. */
export function withVersion(history: readonly Version[], version: Version): readonly Version[] {
  return history[0]?.code === version.code ? history : [version, ...history];
}

/** Joins what a closing page could only note down with what is stored: the newer one is the draft, the other a version of it. */
export function withUnsaved(stored: Draft | undefined, unsaved: Omit<Draft, 'history'>): Draft {
  if (!stored) return { ...unsaved, revision: 0, history: [] };
  if (stored.code === unsaved.code) return stored;
  const revision = revisionOf(stored) + 1;
  if (unsaved.updatedAt > stored.updatedAt) {
    const history = withVersion(stored.history, { code: stored.code, at: stored.updatedAt });
    return { ...unsaved, revision, history };
  }
  return { ...stored, revision, history: withVersion(stored.history, { code: unsaved.code, at: unsaved.updatedAt }) };
}
