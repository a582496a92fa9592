'use client';
import { useEffect, useReducer, useRef, useState } from 'react';
import { warmUp } from '@/app/components/runner/session';
import { Cards } from './Cards';
import { explain } from './explain';
import styles from './GradScalerOrder.module.css';
import { Inverse } from './Inverse';
import { KNOWN_ORDERS, sameOrder } from './known-orders';
import { initialLoop, loopReducer, orderOf } from './loop-state';
import type { Outcome } from './outcome';
import { Result } from './Result';
import { RunNotes } from './RunNotes';
import { RIGHT_ORDER, type StepId, scriptOf } from './steps';
import { outcomeOf, useOrders } from './useOrders';

/** A wrong order to begin with: the right one stands in the lesson above. */
const FIRST = KNOWN_ORDERS.find((k) => k.id === 'clip-before-unscale')?.order ?? RIGHT_ORDER;

/** The calls of a scaled training step as cards: any order, any number, and it really runs. Then the inverse question. */
export default function GradScalerOrder() {
  const [loop, dispatch] = useReducer(loopReducer, FIRST, initialLoop);
  const orders = useOrders();
  const [shown, setShown] = useState<Outcome>();
  const [comparing, setComparing] = useState(false);
  const order = orderOf(loop);
  const script = scriptOf(order);
  const top = useRef<HTMLElement>(null);
  const fresh = shown !== undefined && sameOrder(shown.order, order);
  const right = outcomeOf(RIGHT_ORDER);
  const others = KNOWN_ORDERS.flatMap((k) => outcomeOf(k.order) ?? []);

  const run = async () => {
    if (orders.busy || order.length === 0) return;
    if (loop.held !== undefined) dispatch({ type: 'drop' });
    if (!(await orders.ensure([RIGHT_ORDER, order]))) return;
    const outcome = outcomeOf(order);
    const reference = outcomeOf(RIGHT_ORDER);
    if (!outcome || !reference) return;
    setShown(outcome);
    if (explain(outcome, reference, []).verdict !== 'silent') return;
    setComparing(true);
    await orders.ensure(KNOWN_ORDERS.map((k) => k.order));
    setComparing(false);
  };
  const load = (next: readonly StepId[]) => {
    dispatch({ type: 'load', order: next });
    top.current?.scrollIntoView({ block: 'start' });
  };
  const preset = KNOWN_ORDERS.find((k) => sameOrder(k.order, order))?.id ?? '';

  return (
    <section
      ref={top}
      className={styles.widget}
      data-widget="gradscaler-order"
      aria-label="GradScaler permutation lab"
      onPointerEnter={warmUp}
      onFocus={warmUp}
    >
      <div className={styles.lab}>
        <div className={styles.start}>
          <label>
            <span>Start from</span>
            <select
              value={preset}
              onChange={(event) => load(KNOWN_ORDERS.find((k) => k.id === event.target.value)?.order ?? [])}
            >
              {preset === '' ? (
                <option value="" disabled>
                  an order of your own
                </option>
              ) : null}
              {KNOWN_ORDERS.map((k) => (
                <option key={k.id} value={k.id}>
                  {k.name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <div className={styles.columns}>
          <Cards state={loop} dispatch={dispatch} raisedAt={fresh ? shown.raised?.position : undefined} />
          <Script
            code={script.code}
            positions={script.positions}
            raisedAt={fresh ? shown.raised?.position : undefined}
          />
        </div>
        <div className={styles.bar}>
          <button
            type="button"
            className="button button-primary"
            aria-disabled={orders.busy || order.length === 0}
            onClick={() => void run()}
          >
            Run this order
          </button>
          {orders.busy ? (
            <button type="button" className="button" onClick={orders.run.stop}>
              Stop
            </button>
          ) : null}
          <p
            className={styles.status}
            role="status"
            data-kernels={shown?.kernels}
            data-backend={orders.run.backend?.name}
          >
            {status(shown, fresh, orders.run.backend?.name)}
          </p>
        </div>
        <RunNotes orders={orders} />
        {shown && right ? (
          <div className={styles.shown} data-stale={!fresh}>
            <Result
              outcome={shown}
              right={right}
              explanation={explain(shown, right, others)}
              comparing={comparing && orders.busy}
            />
          </div>
        ) : null}
      </div>
      <Inverse onLoad={load} />
    </section>
  );
}

function status(shown: Outcome | undefined, fresh: boolean, backend: string | undefined): string {
  if (!shown) return '';
  if (!fresh) return 'The cards have changed since: this is the last run.';
  const where = backend === 'webgpu' ? `${shown.kernels} GPU kernels on WebGPU` : 'on the reference engine';
  return `Ran in ${Math.round(shown.milliseconds)} ms, ${where}`;
}

interface ScriptProps {
  readonly code: string;
  readonly positions: ReadonlyMap<number, number>;
  readonly raisedAt: number | undefined;
}

/** The Python that Run runs, to the letter. The loop's calls stand out; the rest is the same for every order. */
function Script({ code, positions, raisedAt }: ScriptProps) {
  const box = useRef<HTMLPreElement>(null);
  // Where an order raises, its line is brought into view within the box.
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>('[data-raised="true"]');
    if (line && box.current && raisedAt !== undefined)
      box.current.scrollTop = line.offsetTop - box.current.clientHeight / 2;
  }, [raisedAt]);
  const lines = code.trimEnd().split('\n');
  return (
    <section className={styles.script} aria-label="The Python that runs">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <pre ref={box} tabIndex={0}>
        <code>
          {Array.from(lines.entries(), ([i, text]) => {
            const position = positions.get(i + 1);
            return (
              <span
                key={i}
                className={styles.line}
                data-call={position !== undefined}
                data-raised={position !== undefined && position === raisedAt}
              >
                {`${text}\n`}
              </span>
            );
          })}
        </code>
      </pre>
    </section>
  );
}
