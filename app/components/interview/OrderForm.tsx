'use client';
import { useRef, useState } from 'react';
import type { OrderQuestion } from '@/content/interviews/kit/schema';
import { Random } from '@/content/questions/kit/random';
import styles from './interview.module.css';

interface Props {
  readonly question: OrderQuestion;
  readonly seed: number;
  readonly draft: readonly string[] | undefined;
  onDraft(steps: readonly string[]): void;
  onAnswer(steps: readonly string[]): void;
}

/** Steps to put in order, each moved up or down. */
export function OrderForm({ question, seed, draft, onDraft, onAnswer }: Props) {
  const [steps, setSteps] = useState<readonly string[]>(
    () => draft ?? new Random(`${question.id} ${seed}`).shuffle(question.steps).map((s) => s.id),
  );
  const [said, say] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const text = (id: string) => question.steps.find((s) => s.id === id)?.text ?? id;
  const move = (at: number, by: -1 | 1) => {
    const to = at + by;
    if (to < 0 || to >= steps.length) return;
    const next = [...steps];
    [next[at], next[to]] = [next[to] as string, next[at] as string];
    setSteps(next);
    onDraft(next);
    say(`${text(next[to] as string)}: now ${to + 1} of ${next.length}`);
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(steps);
      }}
    >
      <ol ref={list} className={styles.order}>
        {steps.map((id, i) => (
          <li key={id} data-step={id}>
            <span className={styles.orderNumber}>{i + 1}</span>
            <span className={styles.orderText}>{text(id)}</span>
            <button
              type="button"
              className="button"
              aria-label={`Move up: ${text(id)}`}
              aria-disabled={i === 0}
              onClick={() => move(i, -1)}
            >
              ↑
            </button>
            <button
              type="button"
              className="button"
              aria-label={`Move down: ${text(id)}`}
              aria-disabled={i === steps.length - 1}
              onClick={() => move(i, 1)}
            >
              ↓
            </button>
          </li>
        ))}
      </ol>
      <p className="visually-hidden" aria-live="polite">
        {said}
      </p>
      <button type="submit" className="button button-primary">
        Answer
      </button>
    </form>
  );
}
