import { expect, test } from 'vitest';
import { afterEdit, type Draft, withUnsaved } from '@/app/drafts/versions';

const HOUR = 3_600_000;
const stored: Draft = { id: 'x', code: 'a', baseHash: 'h', updatedAt: HOUR, revision: 3, history: [] };
const edit = { id: 'x', baseHash: 'h', at: HOUR + 1000 };

test('a first save has no versions and revision 0', () => {
  expect(afterEdit(undefined, { ...edit, code: 'b', seen: -1 })).toEqual({
    draft: { id: 'x', code: 'b', baseHash: 'h', updatedAt: HOUR + 1000, revision: 0, history: [] },
  });
});

test('a save over what this tab has seen replaces it; the replaced code is a version once a minute', () => {
  const first = afterEdit(stored, { ...edit, code: 'b', seen: 3 });
  expect(first.overtaken).toBeUndefined();
  expect(first.draft).toMatchObject({ code: 'b', revision: 4, history: [{ code: 'a', at: HOUR }] });
  const second = afterEdit(first.draft, { ...edit, code: 'c', at: HOUR + 2000, seen: 4 });
  expect(second.draft.history).toEqual([{ code: 'a', at: HOUR }]);
  const third = afterEdit(second.draft, { ...edit, code: 'd', at: HOUR + 62_000, seen: 5 });
  expect(third.draft.history).toEqual([
    { code: 'c', at: HOUR + 2000 },
    { code: 'a', at: HOUR },
  ]);
});

test('a reset keeps what it replaces, however young the last version is', () => {
  const young = { ...stored, history: [{ code: 'z', at: HOUR - 1 }] };
  const { draft } = afterEdit(young, { ...edit, at: HOUR + 1, code: 'starter', seen: 3, remember: true });
  expect(draft.history.map((v) => v.code)).toEqual(['a', 'z']);
});

test('what another tab saved meanwhile is kept as a version and reported', () => {
  const young = { ...stored, history: [{ code: 'z', at: HOUR - 1 }] };
  const { draft, overtaken } = afterEdit(young, { ...edit, at: HOUR + 1, code: 'mine', seen: 2 });
  expect(overtaken).toEqual({ code: 'a', at: HOUR });
  expect(draft).toMatchObject({ code: 'mine', revision: 4 });
  expect(draft.history.map((v) => v.code)).toEqual(['a', 'z']);
});

test('the same code from another tab is no conflict', () => {
  expect(afterEdit(stored, { ...edit, code: 'a', seen: 0 }).overtaken).toBeUndefined();
});

test('drafts from before there were revisions count as revision 0', () => {
  const { revision, ...old } = stored;
  expect(afterEdit(old, { ...edit, code: 'b', seen: 0 })).toMatchObject({ draft: { revision: 1 } });
  expect(afterEdit(old, { ...edit, code: 'b', seen: 0 }).overtaken).toBeUndefined();
});

test('of what a closing page noted and what is stored, the newer is the draft and the other a version', () => {
  const newer = withUnsaved(stored, { id: 'x', code: 'b', baseHash: 'h', updatedAt: HOUR + 5 });
  expect(newer).toMatchObject({ code: 'b', revision: 4, history: [{ code: 'a', at: HOUR }] });
  const older = withUnsaved(stored, { id: 'x', code: 'b', baseHash: 'h', updatedAt: HOUR - 5 });
  expect(older).toMatchObject({ code: 'a', revision: 4, history: [{ code: 'b', at: HOUR - 5 }] });
});
