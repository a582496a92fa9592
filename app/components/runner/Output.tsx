'use client';
import { useImperativeHandle, useRef, useState } from 'react';
import styles from './Runner.module.css';
import type { OutputSink } from './useRun';

/** Terminal control sequences (colours, cursor moves), which a `pre` would show as rubbish. ECMA-48, section 5.4. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins one
const CONTROL_SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** Milliseconds of one frame (not requestAnimationFrame, which stands still in a background tab), and characters of a text node. */
const FRAME = 16;
const LONG_NODE = 20_000;

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
    let waiting: { text: string; stream: string }[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;

    const show = (text: string, stream: string) => {
      const plain = text.includes('\u001b') ? text.replace(CONTROL_SEQUENCE, '') : text;
      // New nodes now and then: appending to one long text node costs its whole length.
      if (last && lastStream === stream && last.length < LONG_NODE) last.appendData(plain);
      else {
        last = document.createTextNode(plain);
        lastStream = stream;
        const span = document.createElement('span');
        span.dataset.stream = stream;
        span.append(last);
        pre.current?.append(span);
      }
    };
    const flush = () => {
      const element = pre.current;
      if (!element || waiting.length === 0) return;
      // Asking where the scroll bar is costs a layout: once a frame, not once a print.
      const atBottom = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
      for (const { text, stream } of waiting) show(text, stream);
      waiting = [];
      if (atBottom) element.scrollTop = element.scrollHeight;
    };
    const frame = () => {
      timer = waiting.length > 0 ? setTimeout(frame, FRAME) : undefined;
      flush();
    };
    return {
      clear() {
        waiting = [];
        if (pre.current) pre.current.textContent = '';
        last = undefined;
        setEmpty(true);
      },
      append(text, stream) {
        const previous = waiting.at(-1);
        if (previous?.stream === stream) previous.text += text;
        else waiting.push({ text, stream });
        // The first print is shown at once; what follows within a frame waits for its end.
        if (timer === undefined) {
          flush();
          timer = setTimeout(frame, FRAME);
        }
        setEmpty(false);
      },
      flush,
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
