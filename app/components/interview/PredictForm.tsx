'use client';
import { useId, useState } from 'react';
import type { PredictQuestion } from '@/content/interviews/kit/schema';
import styles from './interview.module.css';

interface Props {
  readonly question: PredictQuestion;
  readonly draft: string | undefined;
  readonly busy: boolean;
  onDraft(text: string): void;
  onAnswer(value: number): void;
}

/** "1e-8", "65504", "2^-24": as one says it. NaN for anything else. */
export function parseNumber(text: string): number {
  const clean = text.trim().replace(/,/g, '.').replace(/\s+/g, '');
  const power = /^(-?\d+(?:\.\d+)?)(?:\^|\*\*)(-?\d+)$/.exec(clean);
  if (power) return Number(power[1]) ** Number(power[2]);
  return clean === '' ? Number.NaN : Number(clean);
}

/** A number, said before the engine computes it. */
export function PredictForm({ question, draft, busy, onDraft, onAnswer }: Props) {
  const [text, setText] = useState(draft ?? '');
  const [wrong, setWrong] = useState(false);
  const id = useId();
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        const value = parseNumber(text);
        if (Number.isFinite(value)) onAnswer(value);
        else setWrong(true);
      }}
    >
      <div className={styles.parameter}>
        <label htmlFor={id}>Your number{question.unit ? `, in ${question.unit}` : ''}</label>
        <input
          id={id}
          type="text"
          inputMode="text"
          autoComplete="off"
          value={text}
          aria-invalid={wrong}
          aria-describedby={`${id}-how`}
          onChange={(event) => {
            setText(event.target.value);
            setWrong(false);
            onDraft(event.target.value);
          }}
        />
      </div>
      <p id={`${id}-how`} className={wrong ? styles.missing : styles.note}>
        {wrong ? 'That is no number. ' : ''}Such as 0.25, 1e-8 or 2^-24.
      </p>
      <button type="submit" className="button button-primary" aria-disabled={busy}>
        Answer
      </button>
    </form>
  );
}
