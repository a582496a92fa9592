'use client';
import { useState } from 'react';
import { number } from '@/app/components/plot/scale';
import styles from './GradScalerOrder.module.css';
import { type KnownOrder, known } from './known-orders';
import type { Outcome } from './outcome';
import { choicesOf, type Difference, firstDifference, isAnswer, PUZZLES } from './puzzles';
import { RunNotes } from './RunNotes';
import { type StepId, stepOf } from './steps';
import { TraceTable } from './TraceTable';
import { outcomeOf, useOrders } from './useOrders';

interface Tried {
  readonly choice: KnownOrder;
  readonly right: boolean;
  readonly difference: Difference | undefined;
}

/** The inverse question: this trace was made by one of these orders. Each choice is run, and compared with the trace. */
export function Inverse({ onLoad }: { onLoad(order: readonly StepId[]): void }) {
  const orders = useOrders();
  const [at, setAt] = useState(0);
  const [shown, setShown] = useState<Outcome>();
  const [tried, setTried] = useState<readonly Tried[]>([]);
  const [firstTry, setFirstTry] = useState(0);
  const puzzle = PUZZLES[at] ?? PUZZLES[0]!;
  const solved = tried.some((t) => t.right);

  const show = async (index: number) => {
    const order = known((PUZZLES[index] ?? puzzle).hidden).order;
    setAt(index);
    setTried([]);
    setShown(undefined);
    if (await orders.ensure([order])) setShown(outcomeOf(order));
  };
  const choose = async (choice: KnownOrder) => {
    if (!shown || solved || tried.some((t) => t.choice.id === choice.id)) return;
    if (!(await orders.ensure([choice.order]))) return;
    const theirs = outcomeOf(choice.order);
    if (!theirs) return;
    const right = isAnswer(shown, theirs);
    if (right && tried.length === 0) setFirstTry((n) => n + 1);
    setTried((all) => [...all, { choice, right, difference: firstDifference(shown, theirs) }]);
  };

  return (
    <section className={styles.inverse} aria-label="Which order made this trace?" data-part="inverse">
      <h3>The other way round: which order made this trace?</h3>
      {shown ? (
        <>
          <p className={styles.help}>
            Trace {at + 1} of {PUZZLES.length}. “norm” is what clip returned, “moved by” the distance that the
            parameters went.
          </p>
          <TraceTable outcome={shown} label="The trace" />
          <ul className={styles.choices}>
            {choicesOf(puzzle).map((choice) => {
              const answer = tried.find((t) => t.choice.id === choice.id);
              return (
                <li key={choice.id}>
                  <button
                    type="button"
                    className={styles.choice}
                    data-choice={choice.id}
                    data-verdict={answer ? (answer.right ? 'right' : 'wrong') : 'open'}
                    aria-pressed={answer !== undefined}
                    aria-disabled={solved || answer !== undefined || orders.busy}
                    onClick={() => void choose(choice)}
                  >
                    <span className={styles.sequence}>{choice.order.map((id) => stepOf(id).name).join(' → ')}</span>
                    {answer ? <span className={styles.mark}>{answer.right ? 'right' : 'not this one'}</span> : null}
                  </button>
                  <div className={styles.feedback} role="status">
                    {answer ? <Feedback {...answer} shown={shown} /> : null}
                  </div>
                </li>
              );
            })}
          </ul>
          <div className={styles.bar}>
            <button
              type="button"
              className="button"
              aria-disabled={orders.busy}
              onClick={() => orders.busy || void show((at + 1) % PUZZLES.length)}
            >
              {solved ? 'Next trace' : 'Another trace'}
            </button>
            {solved ? (
              <button type="button" className="button" onClick={() => onLoad(known(puzzle.hidden).order)}>
                Put this order on the cards
              </button>
            ) : null}
            <p className={styles.score}>Right at the first try: {firstTry}</p>
          </div>
        </>
      ) : (
        <>
          <p className={styles.help}>
            An order is hidden, and really runs. You see its scale, its norms, its message. Say which calls it was.
          </p>
          <div className={styles.bar}>
            <button
              type="button"
              className="button"
              aria-disabled={orders.busy}
              onClick={() => orders.busy || void show(at)}
            >
              Show a trace
            </button>
          </div>
        </>
      )}
      <RunNotes orders={orders} />
    </section>
  );
}

function Feedback({ choice, right, difference, shown }: Tried & { readonly shown: Outcome }) {
  if (right) return <p>Run here, this order gives the same trace, bit for bit. {choice.what}</p>;
  return (
    <p>
      {difference ? `${told(difference, shown)} ` : ''}
      {choice.what}
    </p>
  );
}

function told({ iteration, what, shown, theirs }: Difference, outcome: Outcome): string {
  switch (what) {
    case 'norm':
      return `In iteration ${iteration} this order’s norm is ${theirs}; the trace has ${shown}.`;
    case 'scale':
      return `After iteration ${iteration} this order’s scale is ${theirs}; the trace has ${shown}.`;
    case 'parameters':
      return `Same norm and scale in iteration ${iteration}, but its parameters move by ${number(Number(theirs))} instead of ${number(Number(shown))}.`;
    case 'message':
      return outcome.raised?.iteration === iteration
        ? `In iteration ${iteration} the trace raises, and this order ${theirs === 'goes on' ? 'goes on' : `says “${theirs}”`}.`
        : `In iteration ${iteration} this order raises “${theirs}”; the trace goes on.`;
  }
}
