'use client';
import { useId, useState } from 'react';
import styles from './interview.module.css';
import { shuffled } from './shuffled';

interface ChoicesProps {
  readonly question: string;
  readonly options: readonly string[];
  /** Decides their order on the page. */
  readonly seed: number;
  /** The one that was chosen; then the others can't be. */
  readonly chosen?: number;
  readonly action: string;
  onChoose(index: number): void;
}

/** A question with one answer out of several, chosen first and then given: nothing is said by a slip of the finger. */
export function Choices({ question, options, seed, chosen, action, onChoose }: ChoicesProps) {
  const [picked, pick] = useState<number>();
  const id = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (picked !== undefined && chosen === undefined) onChoose(picked);
      }}
    >
      <fieldset className={styles.choices}>
        <legend className={styles.asked}>{question}</legend>
        {shuffled(options, question, seed).map(({ item: text, index: i }) => (
          <label key={text} className={styles.choice}>
            <input
              type="radio"
              name={id}
              checked={(chosen ?? picked) === i}
              disabled={chosen !== undefined && chosen !== i}
              onChange={() => pick(i)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      {chosen === undefined ? (
        <button type="submit" className="button" aria-disabled={picked === undefined}>
          {action}
        </button>
      ) : null}
    </form>
  );
}
