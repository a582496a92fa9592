'use client';
import { type ComponentType, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useDraft } from '@/app/drafts/useDraft';
import type { Version } from '@/app/drafts/versions';
import { BackendNotice } from './BackendNotice';
import type { EditorHandle, EditorProps } from './Editor';
import { EditorHint } from './EditorHint';
import { Output } from './Output';
import styles from './Runner.module.css';
import { savesData, warmUp, warmUpWhenIdle } from './session';
import { pressed, RUNNER_KEYS, type RunnerKey } from './shortcuts';
import { type OutputSink, type Run, type RunTask, useRun } from './useRun';

const loadEditor = () => import('./Editor');

export interface RunnerProps {
  /** Stable and unique on its page; drafts are kept under it. */
  readonly id: string;
  readonly code: string;
  /** Exactly what Python prints for the untouched code; a reader without JavaScript sees it. */
  readonly expected?: string;
  readonly title?: string;
  /** Name for assistive technology where no title is shown. */
  readonly label?: string;
  /** Least height of the editor, as CSS has it. */
  readonly height?: string;
  /** Milliseconds before a run is stopped; default 30,000. */
  readonly timeLimit?: number;
  /** The same code highlighted, shown until the editor takes its place. */
  readonly children?: React.ReactNode;
  /** Further buttons beside Reset. */
  readonly actions?: React.ReactNode;
  /** Drafts are kept under this name wherever the runner stands; default: the page and `id`. */
  readonly draftKey?: string;
  /** What Run does with the code, where it isn't just running it. */
  readonly task?: (code: string) => RunTask;
  /** A line to point at while the code is as it ran, and what to say there; an error comes first. */
  readonly mark?: { readonly line: number; readonly text: string };
  /** What Submit does with the code; without it there is no Submit. */
  readonly submit?: (code: string) => RunTask;
  /** Further attributes of the root element: what has been reached. */
  readonly attributes?: Readonly<Record<`data-${string}`, string | undefined>>;
  /** What stands below the output. */
  readonly panel?: React.ReactNode;
  /** Called once when the learner comes near: what the runner will need can be fetched. */
  onNear?(): void;
  /** What Ctrl/Cmd+Shift+, does. */
  onHint?(): void;
  /** The runner has its page to itself: its keys work wherever the focus is. */
  readonly wholePage?: boolean;
  readonly ref?: React.Ref<RunnerHandle>;
  /** The code as it is now: the starter, then the draft, then every edit. */
  onCode?(code: string): void;
}

/** What stands around a runner may do with its code. */
export interface RunnerHandle {
  /** The code at this moment. */
  latest(): string;
  /** Puts other code in its place; the runner offers to undo that. */
  restore(code: string): void;
  /** Earlier versions of the draft, newest first. */
  versions(): Promise<readonly Version[]>;
  /** Puts the cursor on a line, 1-based. */
  goToLine(line: number): void;
}

/** A runnable piece of Python: highlighted code that becomes an editor, Run, Stop, Reset, and what it printed. */
export function Runner({
  id,
  code: starter,
  expected,
  title,
  label,
  height,
  timeLimit,
  children,
  actions,
  draftKey,
  task,
  mark,
  submit,
  attributes,
  panel,
  onNear,
  onHint,
  wholePage,
  ref,
  onCode,
}: RunnerProps) {
  const draft = useDraft(id, starter, draftKey);
  const output = useRef<OutputSink>(null);
  const run = useRun(output, { timeLimit });
  const root = useRef<HTMLElement>(null);
  const editor = useRef<EditorHandle>(null);
  const { Editor, takesFocus } = useEditorWhenNeeded(root, draft.edited);
  const [stale, setStale] = useState(false);
  const active = run.state === 'running' || run.state === 'loading';

  useEffect(() => onCode?.(draft.code), [draft.code, onCode]);

  const start = useCallback(() => {
    setStale(false);
    void (task ? run.perform(task(draft.latest())) : run.run(draft.latest()));
  }, [run.run, run.perform, draft.latest, task]);

  const hand = useCallback(() => {
    if (!submit) return;
    setStale(false);
    void run.perform(submit(draft.latest()));
  }, [run.perform, draft.latest, submit]);

  const change = useCallback(
    (code: string) => {
      draft.setCode(code);
      setStale(true);
    },
    [draft.setCode],
  );

  const wasNear = useRef(false);
  const near = useCallback(() => {
    warmUp();
    if (!wasNear.current) onNear?.();
    wasNear.current = true;
  }, [onNear]);

  const goToLine = useCallback((line: number) => editor.current?.goToLine(line), []);
  useImperativeHandle(
    ref,
    () => ({ latest: draft.latest, restore: draft.restore, versions: draft.versions, goToLine }),
    [draft.latest, draft.restore, draft.versions, goToLine],
  );

  const errorLine = stale ? undefined : (run.error?.line ?? undefined);
  useKeys(
    root,
    {
      run: start,
      submit: submit ? hand : undefined,
      stop: active ? run.stop : undefined,
      hint: onHint,
      error: errorLine === undefined ? undefined : () => goToLine(errorLine),
    },
    wholePage ?? false,
  );

  return (
    <section
      ref={root}
      className={styles.runner}
      data-runner={id}
      data-state={run.state}
      data-runs={run.ended}
      data-backend={run.backend?.name}
      {...attributes}
      aria-label={title ?? label ?? 'Runnable code'}
      onPointerEnter={near}
      onFocus={near}
    >
      {title ? <p className={styles.title}>{title}</p> : null}
      <div className={styles.code} style={height ? { minHeight: height } : undefined}>
        {Editor ? (
          <Editor
            ref={editor}
            value={draft.code}
            onChange={change}
            onRun={start}
            onSubmit={submit ? hand : undefined}
            errorLine={errorLine ?? (stale ? undefined : mark?.line)}
            errorText={run.error ? `${run.error.type}: ${run.error.message}` : mark?.text}
            takesFocus={takesFocus}
          />
        ) : (
          <Still code={starter}>{children}</Still>
        )}
      </div>
      {/* aria-disabled, not disabled: a button that is pressed keeps the focus, and does nothing while it can do nothing. */}
      <div className={styles.bar}>
        <button
          type="button"
          className={submit ? 'button' : 'button button-primary'}
          onClick={start}
          aria-disabled={active}
        >
          Run
        </button>
        {submit ? (
          <button type="button" className="button button-primary" onClick={hand} aria-disabled={active}>
            Submit
          </button>
        ) : null}
        <button type="button" className="button" onClick={run.stop} aria-disabled={!active}>
          Stop
        </button>
        <button type="button" className="button" onClick={draft.reset} aria-disabled={!draft.edited}>
          Reset
        </button>
        {draft.undo ? (
          <button type="button" className="button" onClick={draft.undo.run}>
            {draft.undo.label}
          </button>
        ) : null}
        {actions}
        {errorLine === undefined ? null : (
          <button type="button" className={styles.inline} onClick={() => goToLine(errorLine)}>
            Go to line {errorLine}
          </button>
        )}
        <Status run={run} />
      </div>
      <Loading run={run} />
      {draft.starterChanged ? (
        <p className={styles.notice}>
          The course has changed this code since you edited it. Yours is kept.{' '}
          <button type="button" className={styles.inline} onClick={draft.reset}>
            Take the new code
          </button>{' '}
          <button type="button" className={styles.inline} onClick={draft.keepDraft}>
            Keep mine
          </button>
        </p>
      ) : null}
      {draft.other ? (
        <p className={styles.notice} role="alert" data-notice="other-tab">
          This code was changed in another tab at the same time. This tab’s version is in the editor; the other one is
          kept.{' '}
          <button type="button" className={styles.inline} onClick={() => draft.settle(true)}>
            Take the other tab’s
          </button>{' '}
          <button type="button" className={styles.inline} onClick={() => draft.settle(false)}>
            Keep this one
          </button>
        </p>
      ) : null}
      {draft.followed ? (
        <p className={styles.notice} data-notice="followed">
          Changed in another tab; this one follows it. What stood here is among the versions.
        </p>
      ) : null}
      {draft.unsaved ? <UnsavedNotice reason={draft.unsaved} code={draft.code} /> : null}
      <Output ref={output} />
      {expected === undefined ? null : (
        <noscript>
          <pre className={styles.expected}>{expected}</pre>
        </noscript>
      )}
      {run.reason ? <p className={styles.notice}>{run.reason}</p> : null}
      {run.backend?.name === 'cpu' && run.state !== 'idle' && draft.code.includes('cuda') ? (
        <BackendNotice backend={run.backend} />
      ) : null}
      {panel}
    </section>
  );
}

/** The code before the editor is there. */
function Still({ code, children }: { readonly code: string; readonly children?: React.ReactNode }) {
  return (
    <>
      <div className={styles.still} data-still>
        {children ?? (
          <pre className="shiki">
            <code>{code}</code>
          </pre>
        )}
      </div>
      <EditorHint shown={false} />
    </>
  );
}

/**
 * The editor, once it is loaded: on hover or focus, when the runner is in view and the page idle, or for a draft. Until then, and if it
 * can't be loaded, the still code stays. `takesFocus` if the still code has the focus when it gives way: a keyboard must not fall back
 * to the top of the page.
 */
function useEditorWhenNeeded(root: React.RefObject<HTMLElement | null>, hasDraft: boolean) {
  const [Editor, setEditor] = useState<ComponentType<EditorProps>>();
  const [takesFocus, setTakesFocus] = useState(false);
  useEffect(() => {
    const element = root.current;
    if (Editor || !element) return;
    let left = false;
    const need = () => {
      loadEditor().then(
        (module) => {
          if (left) return;
          setTakesFocus(element.querySelector('[data-still]')?.contains(document.activeElement) ?? false);
          setEditor(() => module.default);
        },
        () => undefined, // Offline, say: the next hover or focus tries again.
      );
    };
    if (hasDraft) need();
    element.addEventListener('pointerenter', need);
    element.addEventListener('focusin', need);
    element.addEventListener('touchstart', need, { passive: true });
    let cancelIdle: (() => void) | undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting) || savesData()) return;
      observer.disconnect();
      const cancelWarm = warmUpWhenIdle();
      const idle = window.requestIdleCallback ?? ((task: () => void) => window.setTimeout(task, 300));
      const cancel = window.cancelIdleCallback ?? window.clearTimeout;
      const handle = idle(need);
      cancelIdle = () => {
        cancelWarm();
        cancel(handle);
      };
    });
    observer.observe(element);
    return () => {
      left = true;
      element.removeEventListener('pointerenter', need);
      element.removeEventListener('focusin', need);
      element.removeEventListener('touchstart', need);
      observer.disconnect();
      cancelIdle?.();
    };
  }, [root, Editor, hasDraft]);
  return { Editor, takesFocus };
}

/** Calls what belongs to a key that was pressed inside the runner, or anywhere if it is the page's only one. */
function useKeys(
  root: React.RefObject<HTMLElement | null>,
  actions: Readonly<Record<RunnerKey, (() => void) | undefined>>,
  wholePage: boolean,
) {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const target: HTMLElement | Document | null = wholePage ? document : root.current;
    const onKey = (event: Event) => {
      const key = event as KeyboardEvent;
      // The editor has its own; a dialog keeps its keys.
      if (key.defaultPrevented || (key.target as Element).closest('dialog')) return;
      for (const [name, { keys }] of Object.entries(RUNNER_KEYS)) {
        const action = latest.current[name as RunnerKey];
        if (!action || !pressed(key, keys)) continue;
        key.preventDefault();
        action();
      }
    };
    target?.addEventListener('keydown', onKey);
    return () => target?.removeEventListener('keydown', onKey);
  }, [root, wholePage]);
}

const seconds = (milliseconds: number) =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

/** One line for everyone, read aloud politely. */
function Status({ run }: { readonly run: Run }) {
  return (
    <p className={styles.status} role="status">
      {statusText(run)}
    </p>
  );
}

function statusText({ state, result, error, backend }: Run): string {
  switch (state) {
    case 'idle':
      return '';
    case 'loading':
      return 'Starting';
    case 'running':
      return 'Running';
    case 'done': {
      const kernels = result?.kernels
        ? `, ${result.kernels.toLocaleString('en')} GPU kernel${result.kernels === 1 ? '' : 's'}`
        : '';
      return `Done in ${seconds(result?.milliseconds ?? 0)}${kernels}${backend?.name === 'webgpu' && kernels ? ' on WebGPU' : ''}`;
    }
    case 'error':
      if (!error) return 'Failed';
      return `${error.type}${error.line ? ` on line ${error.line}` : ''}`;
    case 'stopped':
      return `Stopped after ${seconds(result?.milliseconds ?? 0)}`;
  }
}

/** A bar for what takes longer than half a second. */
function Loading({ run }: { readonly run: Run }) {
  const [late, setLate] = useState(false);
  const loading = run.state === 'loading';
  useEffect(() => {
    if (!loading) return;
    const timer = setTimeout(() => setLate(true), 500);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [loading]);
  if (!loading || !late) return null;
  const { label = 'Waiting for the other run', fraction } = run.progress ?? {};
  return (
    <div className={styles.loading}>
      <label>
        <span>{label}</span>
        <progress value={fraction} max={fraction === undefined ? undefined : 1} />
      </label>
    </div>
  );
}

function UnsavedNotice({ reason, code }: { readonly reason: string; readonly code: string }) {
  return (
    <p className={styles.notice} role="alert">
      Your edits live only as long as this page: {reason}.{' '}
      <button type="button" className={styles.inline} onClick={() => void navigator.clipboard?.writeText(code)}>
        Copy the code
      </button>
    </p>
  );
}
