'use client';
import { useImperativeHandle, useRef, useState } from 'react';
import styles from './Runner.module.css';
import type { OutputSink } from './useRun';

/** Terminal control sequences (colours, cursor moves), which a `pre` would show as rubbish. ECMA-48, section 5.4. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins one
const CONTROL_SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;

export interface OutputProps {
  readonly ref: React.Ref<OutputSink>;
  /** Shown in place of output while there is none. */
  readonly placeholder?: string;
}

/** What Python printed, exactly. Text is appended to the document directly: a flood of prints doesn't pass through React. */
export function Output({ ref, placeholder }: OutputProps) {
  const pre = useRef<HTMLPreElement>(null);
  const [empty, setEmpty] = useState(true);
  const [copied, setCopied] = useState(false);

  useImperativeHandle(ref, () => {
    let last: Text | undefined;
    let lastStream: string | undefined;
    return {
      clear() {
        if (pre.current) pre.current.textContent = '';
        last = undefined;
        setEmpty(true);
      },
      append(text, stream) {
        const element = pre.current;
        if (!element) return;
        const plain = text.includes('\u001b') ? text.replace(CONTROL_SEQUENCE, '') : text;
        const atBottom = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
        // New nodes now and then: appending to one long text node costs its whole length.
        if (last && lastStream === stream && last.length < 20_000) last.appendData(plain);
        else {
          last = document.createTextNode(plain);
          lastStream = stream;
          const span = document.createElement('span');
          span.dataset.stream = stream;
          span.append(last);
          element.append(span);
        }
        if (atBottom) element.scrollTop = element.scrollHeight;
        setEmpty(false);
      },
    };
  }, []);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(pre.current?.textContent ?? '');
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      // Not allowed here: select the text instead, so that Ctrl+C does it.
      if (pre.current) getSelection()?.selectAllChildren(pre.current);
    }
  };

  return (
    <section className={styles.output} aria-label="Output" data-empty={empty}>
      {/* A box that scrolls has to be reachable by keyboard. */}
      <pre ref={pre} tabIndex={empty ? undefined : 0} />
      {empty && placeholder ? <p className={styles.placeholder}>{placeholder}</p> : null}
      {empty ? null : (
        <button type="button" className={styles.copy} onClick={copy}>
          {copied ? 'Copied' : 'Copy output'}
        </button>
      )}
    </section>
  );
}
