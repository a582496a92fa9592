'use client';
import { useId, useState } from 'react';
import type { ExplainQuestion } from '@/content/interviews/kit/schema';
import styles from './interview.module.css';
import { Recorder } from './Recorder';

interface Props {
  readonly attempt: string;
  readonly question: ExplainQuestion;
  readonly draft: string | undefined;
  onDraft(text: string): void;
  onAnswer(text: string): void;
}

/** Free text, spoken too if one likes. It is scored by the candidate, beside the model answer, once the interview has ended. */
export function ExplainForm({ attempt, question, draft, onDraft, onAnswer }: Props) {
  const [text, setText] = useState(draft ?? '');
  const id = useId();
  const words = text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
    >
      <div className={styles.parameter}>
        <label htmlFor={id}>What you say</label>
        <textarea
          id={id}
          rows={8}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onDraft(event.target.value);
          }}
        />
      </div>
      <p className={styles.note}>
        {words} words; two minutes of speech are about 260. Nobody judges this by its words: you score it yourself in
        the report, beside a model answer, and the report says so.
      </p>
      <Recorder attempt={attempt} question={question.id} seconds={question.seconds} />
      <button type="submit" className="button button-primary">
        Answer
      </button>
    </form>
  );
}
