'use client';
import { useId, useState } from 'react';
import { hashOf } from './address';
import { BitKeys } from './BitKeys';
import { Facts } from './Facts';
import styles from './FormatExplorer.module.css';
import { Neighbourhood } from './Neighbourhood';
import { NumberLine } from './NumberLine';
import { Rows } from './Rows';
import { ORDER } from './rounding';
import { type Explorer, useExplorer } from './useExplorer';

/** Numbers that show something, with what they show. */
const EXAMPLES: readonly { readonly text: string; readonly why: string }[] = [
  { text: '0.1', why: 'no binary format has it' },
  { text: '65519.99', why: 'the last that float16 keeps' },
  { text: '65520', why: 'float16 overflows' },
  { text: '1e-8', why: 'float16 underflows' },
  { text: '2**-24', why: 'the smallest float16' },
  { text: '256 + 1', why: 'bfloat16 loses the 1' },
  { text: '1 + 0.001', why: 'and the 0.001' },
  { text: '10000 * 10000', why: 'a forward overflow' },
  { text: 'nan', why: 'not a number' },
];

/** One number in six formats. `inAddress`: every state has a link, and the back button undoes. */
export function FormatExplorer({ inAddress = false }: { readonly inAddress?: boolean }) {
  const explorer = useExplorer(inAddress);
  return (
    <div className={styles.explorer} data-widget="format-explorer">
      <div className={styles.instrument}>
        <Ask explorer={explorer} inAddress={inAddress} />
        <Chooser explorer={explorer} />
        <BitKeys rounded={explorer.selected} onBits={explorer.showBits} />
        <Neighbourhood rounded={explorer.selected} onShow={explorer.show} />
      </div>
      <Rows explorer={explorer} />
      <NumberLine explorer={explorer} />
      <Facts rounded={explorer.selected} onShow={explorer.show} />
    </div>
  );
}

function Ask({ explorer, inAddress }: { readonly explorer: Explorer; readonly inAddress: boolean }) {
  const id = useId();
  const { text, fault } = explorer;
  return (
    <div className={styles.ask}>
      <div className={styles.askLine}>
        <label htmlFor={id} className={styles.askLabel}>
          Number or expression
        </label>
        <input
          id={id}
          className={styles.input}
          value={text}
          onChange={(event) => explorer.type(event.target.value)}
          onBlur={explorer.endGesture}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              explorer.endGesture();
              event.currentTarget.select();
            }
          }}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-fault`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="done"
        />
        {inAddress ? (
          <CopyLink />
        ) : (
          <a className="button" href={`/formats/${hashOf(explorer)}`} target="_blank" rel="noreferrer">
            Full page
          </a>
        )}
      </div>
      <p id={`${id}-fault`} className={styles.fault} role="status">
        {fault ?? ''}
      </p>
      <div className={styles.examples}>
        {EXAMPLES.map((example) => (
          <button
            key={example.text}
            type="button"
            className={styles.example}
            title={example.why}
            aria-pressed={example.text === text}
            onClick={() => {
              explorer.endGesture();
              explorer.type(example.text);
              explorer.endGesture();
            }}
          >
            {example.text}
          </button>
        ))}
      </div>
    </div>
  );
}

function CopyLink() {
  const [answer, setAnswer] = useState<string>();
  return (
    <button
      type="button"
      className="button"
      onClick={async () => {
        const done = await navigator.clipboard?.writeText(location.href).then(
          () => true,
          () => false,
        );
        setAnswer(done ? 'Copied' : 'It is in the address bar');
        setTimeout(() => setAnswer(undefined), 2500);
      }}
    >
      <span aria-live="polite">{answer ?? 'Copy link'}</span>
    </button>
  );
}

function Chooser({ explorer }: { readonly explorer: Explorer }) {
  const name = useId();
  return (
    <fieldset className={styles.chooser}>
      <legend className="visually-hidden">Format of the bits</legend>
      {ORDER.map((format) => (
        <label key={format} className={styles.choice}>
          <input
            type="radio"
            name={name}
            value={format}
            checked={format === explorer.format}
            onChange={() => explorer.select(format)}
          />
          <span>{format}</span>
        </label>
      ))}
      <p className={styles.keyboard}>
        <kbd>←</kbd> <kbd>→</kbd> move, <kbd>0</kbd> <kbd>1</kbd> write, <kbd>↑</kbd> <kbd>↓</kbd> next value
      </p>
    </fieldset>
  );
}
