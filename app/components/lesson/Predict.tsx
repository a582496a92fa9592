'use client';
import { useId, useState } from 'react';
import blocks from './blocks.module.css';
import styles from './Predict.module.css';

export interface PredictProps {
  readonly question: string;
  /** Choices separated by " | "; without them the reader writes a line. */
  readonly choices?: string;
  /** The choice that is right, exactly as it stands in `choices`. */
  readonly answer?: string;
  /** Shown after the reader has committed to something. */
  readonly children: React.ReactNode;
}

/** Predict before you look: the explanation opens once the reader has committed to an answer. Without JavaScript it is open. */
export function Predict({ question, choices, answer, children }: PredictProps) {
  const options = choices?.split('|').map((choice) => choice.trim()) ?? [];
  if (options.length > 0 && !(answer && options.includes(answer))) {
    throw new Error(
      `<Predict question="${question}">: answer must be one of ${options.map((o) => `"${o}"`).join(', ')}`,
    );
  }
  const [chosen, choose] = useState<string>();
  const [guess, setGuess] = useState('');
  const id = useId();
  const committed = chosen !== undefined;
  return (
    <section className={`${blocks.block} ${blocks.predict}`} aria-labelledby={id}>
      <p className={blocks.label}>Predict first</p>
      <p id={id} className={styles.question}>
        {question}
      </p>
      {options.length > 0 ? (
        <fieldset className={styles.choices} aria-labelledby={id}>
          {options.map((option) => {
            const verdict = committed ? (option === answer ? 'right' : option === chosen ? 'wrong' : 'other') : 'open';
            return (
              <button
                key={option}
                type="button"
                className={`button ${styles.choice}`}
                data-verdict={verdict}
                aria-pressed={option === chosen}
                onClick={() => choose(chosen ?? option)}
              >
                {option}
                {verdict === 'right' ? <span className={styles.mark}>right</span> : null}
                {verdict === 'wrong' ? <span className={styles.mark}>your answer</span> : null}
              </button>
            );
          })}
        </fieldset>
      ) : (
        <form
          className={styles.choices}
          onSubmit={(event) => {
            event.preventDefault();
            choose(guess);
          }}
        >
          <input
            className={styles.guess}
            aria-labelledby={id}
            value={guess}
            readOnly={committed}
            onChange={(event) => setGuess(event.target.value)}
          />
          <button type="submit" className="button" disabled={committed || guess.trim() === ''}>
            Commit
          </button>
        </form>
      )}
      <div className={styles.reveal} data-open={committed} aria-live="polite">
        {children}
      </div>
    </section>
  );
}
