'use client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { BackendNotice } from '@/app/components/runner/BackendNotice';
import type { LoadedInterview } from '@/app/interviews/load';
import { passed, type Sitting } from '@/app/interviews/useInterview';
import { limitOf, questionsOf, stageOf, standing, unanswered } from '@/content/interviews/kit/machine';
import { type EvidenceRequest, PROBE, requestKey } from '@/content/interviews/kit/schema';
import { Choices } from './Choices';
import { describeRequest } from './describe-request';
import { EvidenceBlocks } from './EvidenceBlocks';
import { EvidenceMenu, FIRST_PROBE } from './EvidenceMenu';
import styles from './interview.module.css';
import { QuestionPanel } from './QuestionPanel';
import { RoomClock } from './RoomClock';
import { useDesk } from './useDesk';
import { WarmUp } from './WarmUp';

interface Props {
  readonly loaded: LoadedInterview;
  readonly sitting: Sitting;
}

/** The interview while it runs: the clock, the interviewer's questions, and the desk with its evidence. */
export function Room({ loaded, sitting }: Props) {
  const { interview, sources } = loaded;
  const { state, act } = sitting;
  const desk = useDesk(interview, sources, state.seed);
  const stage = stageOf(state);
  const questions = questionsOf(interview, state.format);
  const isOpen = (id: string) => {
    const q = questions.find((x) => x.id === id);
    return q !== undefined && standing(q, state).kind !== 'closed';
  };
  const current = questions.find((q) => q.id === state.current) ?? questions[0];
  const next = questions.find((q) => q.id !== current?.id && isOpen(q.id));
  const asked = useMemo(() => new Set(state.evidence.map((e) => e.key)), [state.evidence]);
  const left = limitOf(state) - passed(sitting);

  // What was asked for and has no result yet is computed, one after the other; after a reload too.
  const inFlight = useRef(new Set<string>());
  const [trouble, setTrouble] = useState<string>();
  const { use } = desk;
  useEffect(() => {
    const compute = (key: string, job: () => Promise<void>) => {
      if (inFlight.current.has(key)) return;
      inFlight.current.add(key);
      job()
        .then(() => setTrouble(undefined))
        .catch((error: unknown) => setTrouble(error instanceof Error ? error.message : String(error)))
        .finally(() => inFlight.current.delete(key));
    };
    if (!state.opening) {
      compute('opening', async () => act({ kind: 'opened', result: await use((d, session) => d.opening(session)) }));
    }
    for (const { key, request } of unanswered(state)) {
      compute(key, async () =>
        act({ kind: 'received', key, result: await use((d, session) => d.compute(request, session)) }),
      );
    }
  }, [state, act, use]);

  const [focusOn, setFocusOn] = useState<string>();
  const ask = useCallback(
    (request: EvidenceRequest, cost: number) => {
      act({ kind: 'asked', request, cost });
      setFocusOn(requestKey(request));
    },
    [act],
  );
  useEffect(() => {
    if (focusOn === undefined) return;
    const item = document.querySelector<HTMLElement>(`[data-result="${CSS.escape(focusOn)}"]`);
    if (!item) return;
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: 'nearest' });
    setFocusOn(undefined);
  }, [focusOn]);

  const interruption = state.interruptions.find((i) => i.choice === undefined);
  const cutIn = interview.interruptions.find((i) => i.id === interruption?.id);
  const cut = useRef<HTMLElement>(null);
  const probeDraft = state.questions[PROBE]?.draft;

  return (
    <div
      className={styles.room}
      data-stage={stage}
      data-backend={desk.backend?.name}
      data-seed={state.seed}
      data-opening={state.opening ? 'ready' : 'waiting'}
    >
      <div className={styles.bar}>
        <RoomClock left={left} standing={state.paused} />
        <p className={styles.barNote}>
          {state.format} minutes, {state.mode}
        </p>
        {/* Buttons, since the address names the attempt. */}
        <div className={styles.barNav}>
          <button type="button" onClick={() => document.getElementById('questions')?.scrollIntoView()}>
            Questions
          </button>
          <button type="button" onClick={() => document.getElementById('desk')?.scrollIntoView()}>
            Evidence
          </button>
        </div>
        {cutIn && !state.paused ? (
          <button type="button" className={`button ${styles.barCut}`} onClick={() => cut.current?.focus()}>
            The interviewer cuts in
          </button>
        ) : null}
        <div className={styles.barActions}>
          {state.mode === 'practice' ? (
            <button type="button" className="button" onClick={() => act({ kind: state.paused ? 'resumed' : 'paused' })}>
              {state.paused ? 'Resume' : 'Pause'}
            </button>
          ) : null}
          <Finish
            open={questions.filter((q) => isOpen(q.id)).length}
            onFinish={() => act({ kind: 'ended', by: 'candidate' })}
          />
        </div>
      </div>
      {sitting.unkept ? (
        <p className={styles.missing} role="alert">
          This interview lives only as long as this page: {sitting.unkept}.
        </p>
      ) : null}
      {trouble ? (
        <p className={styles.missing} role="alert">
          {trouble} Reload the page to try again; nothing is lost.
        </p>
      ) : null}
      {desk.backend?.name === 'cpu' ? <BackendNotice backend={desk.backend} /> : null}
      {state.paused ? (
        <section className={styles.paused} aria-label="Paused">
          <p>Paused. The clock stands, and so does the interview: questions and evidence are back when you resume.</p>
          <button type="button" className="button button-primary" onClick={() => act({ kind: 'resumed' })}>
            Resume
          </button>
        </section>
      ) : stage === 'warm-up' ? (
        <WarmUp sitting={sitting} />
      ) : (
        <div className={styles.columns}>
          <div className={styles.interviewer}>
            <div aria-live="polite">
              {cutIn ? (
                <section
                  ref={cut}
                  tabIndex={-1}
                  className={styles.cutIn}
                  aria-label="The interviewer cuts in"
                  data-interruption={cutIn.id}
                >
                  <p className="label">The interviewer cuts in</p>
                  <Choices
                    key={cutIn.id}
                    question={cutIn.question}
                    options={cutIn.choices.map((c) => c.text)}
                    seed={state.seed}
                    action="Reply"
                    onChoose={(choice) => act({ kind: 'parried', id: cutIn.id, choice })}
                  />
                </section>
              ) : null}
            </div>
            <details className={styles.brief} open>
              <summary>What you were told</summary>
              {interview.brief.map((p) => (
                <p key={p}>{p}</p>
              ))}
              {state.opening ? (
                <EvidenceBlocks result={state.opening} />
              ) : (
                <p className={styles.note} role="status">
                  The run is being computed{desk.loading ? `: ${desk.loading}` : ''} …
                </p>
              )}
            </details>
            <nav id="questions" className={styles.tabs} aria-label="Questions">
              <ol>
                {questions.map((q) => {
                  const stands = standing(q, state).kind;
                  return (
                    <li key={q.id}>
                      <button
                        type="button"
                        className={styles.tab}
                        aria-current={q.id === current?.id ? 'step' : undefined}
                        data-tab={q.id}
                        data-standing={stands}
                        onClick={() => act({ kind: 'moved', question: q.id })}
                      >
                        <span className={styles.tabMark} aria-hidden="true" />
                        {q.title}
                        <span className="visually-hidden">{stands === 'closed' ? ', answered' : ''}</span>
                      </button>
                    </li>
                  );
                })}
              </ol>
            </nav>
            {current && state.opening ? (
              <QuestionPanel
                key={current.id}
                loaded={loaded}
                sitting={sitting}
                desk={desk}
                question={current}
                onNext={next && (() => act({ kind: 'moved', question: next.id }))}
              />
            ) : null}
          </div>
          <section className={styles.desk} aria-labelledby="desk">
            <h2 id="desk">Evidence</h2>
            <p className={styles.note}>Each request costs minutes of the interview. Seeing it again is free.</p>
            <EvidenceMenu
              interview={interview}
              asked={asked}
              probe={typeof probeDraft === 'string' ? probeDraft : FIRST_PROBE}
              onProbe={(code) => act({ kind: 'drafted', question: PROBE, draft: code })}
              onAsk={ask}
            />
            <h3 className={styles.onDesk}>On the desk</h3>
            {state.evidence.length === 0 ? <p className={styles.note}>Nothing yet.</p> : null}
            {[...state.evidence.entries()].reverse().map(([i, e]) => (
              <article key={e.key} className={styles.result} tabIndex={-1} data-result={e.key} aria-label={`E${i + 1}`}>
                <p className={styles.resultHead}>
                  <b>E{i + 1}</b> {describeRequest(interview, e.request)}
                </p>
                {e.result ? (
                  <EvidenceBlocks result={e.result} />
                ) : (
                  <p className={styles.note} role="status">
                    Computing{desk.loading ? `: ${desk.loading}` : ''} …
                  </p>
                )}
              </article>
            ))}
          </section>
        </div>
      )}
    </div>
  );
}

/** Ends the interview, after a second word. */
function Finish({ open, onFinish }: { readonly open: number; onFinish(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" className="button" onClick={() => dialog.current?.showModal()}>
        Finish
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby="finish">
        <p id="finish">
          {open === 0
            ? 'Everything is answered. End the interview, and see the report?'
            : `${open} ${open === 1 ? 'question is' : 'questions are'} still open, and will count as not answered. End the interview?`}
        </p>
        <div className={styles.actions}>
          <button type="button" className="button button-primary" onClick={onFinish}>
            End the interview
          </button>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Go on
          </button>
        </div>
      </dialog>
    </>
  );
}
