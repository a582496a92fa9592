'use client';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Runner, type RunnerHandle } from '@/app/components/runner/Runner';
import { type Traced, tracedRun } from '@/app/components/trace/traced-run';
import { hashOf } from '@/app/drafts/store';
import styles from './Lab.module.css';
import { decodeCode, encodeCode } from './share-code';

const TracePanel = lazy(() =>
  import('@/app/components/trace/TracePanel').then((module) => ({ default: module.TracePanel })),
);

/** Milliseconds before a run is stopped: training loops are welcome. */
const TIME_LIMIT = 300_000;

export interface LabProps {
  readonly examples: readonly {
    readonly name: string;
    readonly title: string;
    readonly code: string;
    readonly html: string;
  }[];
}

interface Script {
  /** Drafts are kept under it. */
  readonly id: string;
  readonly title: string;
  readonly code: string;
  /** Highlighted, where the build knew the code. */
  readonly html?: string;
}

/** Any script; `#code=…` opens a shared one, `#example=…` one of ours. Neither runs by itself. */
export function Lab({ examples }: LabProps) {
  const fromExample = useCallback(
    (name: string): Script => {
      const example = examples.find((e) => e.name === name) ?? examples[0];
      return { id: `example-${example.name}`, title: example.title, code: example.code, html: example.html };
    },
    [examples],
  );
  const [script, setScript] = useState<Script>(() => fromExample(examples[0].name));
  const [fault, setFault] = useState<string>();
  const [shared, setShared] = useState<string>();
  const [code, setCode] = useState('');
  const [tracing, setTracing] = useState(false);
  const [traced, setTraced] = useState<Traced>();
  const runner = useRef<RunnerHandle>(null);
  const current = useRef('');
  const task = useCallback((source: string) => tracedRun(source, { timeLimit: TIME_LIMIT }, setTraced), []);

  useEffect(() => {
    const open = async () => {
      const fragment = new URLSearchParams(location.hash.slice(1));
      const code = fragment.get('code');
      const name = fragment.get('example');
      setFault(undefined);
      setShared(undefined);
      setTraced(undefined);
      if (code !== null) {
        try {
          // The editor has one kind of line ending; with another, the code would count as edited before anybody touched it.
          const text = (await decodeCode(code)).replace(/\r\n?/g, '\n');
          setScript({ id: `shared-${hashOf(text)}`, title: 'A shared script: read it before you run it', code: text });
        } catch (error) {
          setFault(`This link can’t be opened: ${error instanceof Error ? error.message : String(error)}.`);
        }
      } else if (name !== null) setScript(fromExample(name));
    };
    void open();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [fromExample]);

  const onCode = useCallback((code: string) => {
    current.current = code;
    setCode(code);
    setShared(undefined);
  }, []);

  const share = async () => {
    setFault(undefined);
    let link: string;
    try {
      link = `${location.origin}${location.pathname}#code=${await encodeCode(current.current)}`;
    } catch (error) {
      setFault(`This script can’t be put into a link: ${error instanceof Error ? error.message : String(error)}.`);
      return;
    }
    // The address shows it too, without a reload and without opening it again.
    history.replaceState(null, '', link);
    setShared(link);
    await navigator.clipboard?.writeText(link).catch(() => undefined);
  };

  return (
    <div className={styles.lab}>
      <label className={styles.examples}>
        <span>Example</span>
        <select
          value={script.id.startsWith('example-') ? script.id.slice('example-'.length) : ''}
          onChange={(event) => {
            location.hash = `example=${event.target.value}`;
          }}
        >
          {script.id.startsWith('example-') ? null : <option value="">A shared script</option>}
          {examples.map((example) => (
            <option key={example.name} value={example.name}>
              {example.title}
            </option>
          ))}
        </select>
      </label>
      {fault ? (
        <p role="alert" className={styles.fault}>
          {fault}
        </p>
      ) : null}
      <Runner
        key={script.id}
        id={script.id}
        title={script.title}
        code={script.code}
        height="18rem"
        timeLimit={TIME_LIMIT}
        ref={runner}
        task={tracing ? task : undefined}
        onCode={onCode}
        actions={
          <>
            <button type="button" className="button" onClick={share}>
              Share link
            </button>
            <label className={styles.tracing}>
              <input type="checkbox" checked={tracing} onChange={(event) => setTracing(event.target.checked)} />
              Trace ops
            </label>
          </>
        }
      >
        {script.html ? (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: our own examples, highlighted at build time
          <div dangerouslySetInnerHTML={{ __html: script.html }} />
        ) : undefined}
      </Runner>
      {tracing && !traced ? (
        <p className={styles.note}>
          The next run is traced: every op with its range, and the first nonfinite value. It costs time, since every
          value is read back.
        </p>
      ) : null}
      {tracing && traced ? (
        <Suspense fallback={<p className={styles.note}>Loading the trace …</p>}>
          <TracePanel
            traced={traced}
            timeLimit={TIME_LIMIT}
            stale={traced.code !== code}
            onLine={(line) => runner.current?.goToLine(line)}
          />
        </Suspense>
      ) : null}
      {shared ? (
        <label className={styles.shared}>
          <span>The link, copied if your browser allows it. The code is in the link itself; no server has it.</span>
          <input readOnly value={shared} onFocus={(event) => event.target.select()} />
        </label>
      ) : null}
    </div>
  );
}
