'use client';
import { useCallback, useState } from 'react';
import type { LoadedInterview } from '@/app/interviews/load';
import type { Sitting } from '@/app/interviews/useInterview';
import { type GradedCode, standing } from '@/content/interviews/kit/machine';
import { fill, type Question } from '@/content/interviews/kit/schema';
import { Choices } from './Choices';
import { type DiagnoseDraft, DiagnoseForm } from './DiagnoseForm';
import { ExplainForm } from './ExplainForm';
import { FixTask } from './FixTask';
import styles from './interview.module.css';
import { OrderForm } from './OrderForm';
import { PredictForm } from './PredictForm';
import type { Desk } from './useDesk';

interface Props {
  readonly loaded: LoadedInterview;
  readonly sitting: Sitting;
  readonly desk: Desk;
  readonly question: Question;
  /** To the next open question. */
  onNext?(): void;
}

/** One question of the interview: its form while it is open, what the interviewer asks back, and what was said. */
export function QuestionPanel({ loaded, sitting, desk, question, onNext }: Props) {
  const { interview } = loaded;
  const { state, act, id: attempt } = sitting;
  const own = state.questions[question.id] ?? { answers: [] };
  const stands = standing(question, state);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const opening = state.opening?.facts ?? {};
  const draft = <T,>(value: T) => act({ kind: 'drafted', question: question.id, draft: value });
  const graded = useCallback(
    (made: GradedCode) => act({ kind: 'answered', question: question.id, answer: { kind: 'fix', graded: made } }),
    [act, question.id],
  );

  const predict = async (value: number, truth: string) => {
    if (busy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const computed = await desk.use((d, session) => d.truth(session, truth));
      act({ kind: 'answered', question: question.id, answer: { kind: 'predict', value, truth: computed } });
    } catch {
      setFault('The engine could not compute it. Your number is kept; answer again.');
    } finally {
      setBusy(false);
    }
  };

  const open = stands.kind === 'open' || stands.kind === 'again';
  return (
    <section
      className={styles.question}
      aria-labelledby={`q-${question.id}`}
      data-question={question.id}
      data-standing={stands.kind}
    >
      <h2 id={`q-${question.id}`}>{question.title}</h2>
      <p className={styles.prompt}>{fill(question.prompt, opening)}</p>
      {stands.kind === 'again' ? (
        <p className={styles.askedBack} role="status">
          {stands.why === 'wrong'
            ? 'You may change your answer, once.'
            : 'How do you know? Show me what it rests on: what you have cited doesn’t show it. You may answer once more.'}
        </p>
      ) : null}
      {question.kind === 'diagnose' && open ? (
        <DiagnoseForm
          interview={interview}
          question={question}
          seed={state.seed}
          evidence={state.evidence.filter((e) => e.result)}
          draft={own.draft as DiagnoseDraft | undefined}
          standing={stands}
          onDraft={draft}
          onAnswer={(answer) =>
            act({ kind: 'answered', question: question.id, answer: { kind: 'diagnose', ...answer } })
          }
          onKeep={() => act({ kind: 'kept', question: question.id })}
        />
      ) : null}
      {question.kind === 'order' && open ? (
        <OrderForm
          question={question}
          seed={state.seed}
          draft={own.draft as readonly string[] | undefined}
          onDraft={draft}
          onAnswer={(steps) => act({ kind: 'answered', question: question.id, answer: { kind: 'order', steps } })}
        />
      ) : null}
      {question.kind === 'predict' && open ? (
        <PredictForm
          question={question}
          draft={own.draft as string | undefined}
          busy={busy}
          onDraft={draft}
          onAnswer={(value) => void predict(value, question.truth)}
        />
      ) : null}
      {question.kind === 'explain' && open ? (
        <ExplainForm
          attempt={attempt}
          question={question}
          draft={own.draft as string | undefined}
          onDraft={draft}
          onAnswer={(text) => act({ kind: 'answered', question: question.id, answer: { kind: 'explain', text } })}
        />
      ) : null}
      {question.kind === 'fix' ? <FixTask attempt={attempt} loaded={loaded} onGraded={graded} /> : null}
      {fault ? (
        <p role="alert" className={styles.missing}>
          {fault}
        </p>
      ) : null}
      {stands.kind === 'follow-up' ? (
        <section className={styles.askedBack} aria-label="The interviewer asks back" aria-live="polite">
          <Choices
            question={stands.probe.question}
            options={stands.probe.choices.map((c) => c.text)}
            seed={state.seed}
            action="Reply"
            onChoose={(choice) => act({ kind: 'replied', question: question.id, choice })}
          />
        </section>
      ) : null}
      {stands.kind === 'closed' ? (
        <p className={styles.given} role="status">
          Answered. What it was worth is in the report.{' '}
          {onNext ? (
            <button type="button" className="button" onClick={onNext}>
              Next question
            </button>
          ) : null}
        </p>
      ) : null}
    </section>
  );
}
