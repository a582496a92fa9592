'use client';
import { useEffect, useId, useRef, useState } from 'react';
import styles from './GradScalerOrder.module.css';
import type { LoopAction, LoopState } from './loop-state';
import { LONGEST, STEPS, stepOf } from './steps';

interface CardsProps {
  readonly state: LoopState;
  readonly dispatch: React.Dispatch<LoopAction>;
  /** Position of the call that raised, if what is shown has run. */
  readonly raisedAt: number | undefined;
}

interface Drag {
  readonly key: number;
  readonly pointer: number;
}

/** The loop as cards: dragged by mouse or finger, moved by arrow keys once picked up, or by the buttons below. Every move is announced. */
export function Cards({ state, dispatch, raisedAt }: CardsProps) {
  const { cards, held } = state;
  const id = useId();
  const list = useRef<HTMLOListElement>(null);
  const drag = useRef<Drag>(undefined);
  // A mouse's click follows its drag, and is none; a finger's drag has no click.
  const dragged = useRef(false);
  const [said, say] = useState('');
  const [current, setCurrent] = useState<number>();
  const focusKey = cards.some((card) => card.key === current) ? current : cards[0]?.key;
  const button = (key: number) => list.current?.querySelector<HTMLButtonElement>(`[data-key="${key}"]`);

  // A card that React has moved in the document may have lost the focus.
  const keepFocus = useRef<number>(undefined);
  useEffect(() => {
    if (keepFocus.current !== undefined) button(keepFocus.current)?.focus();
    keepFocus.current = undefined;
  });

  const nameAt = (index: number) => {
    const card = cards[index];
    return card && stepOf(card.step).name;
  };
  const move = (key: number, to: number) => {
    const from = cards.findIndex((card) => card.key === key);
    const target = Math.min(Math.max(to, 0), cards.length - 1);
    if (from < 0 || from === target) return;
    dispatch({ type: 'move', key, to: target });
    const after = nameAt(target < from ? target - 1 : target);
    say(`${nameAt(from)} is now ${target + 1} of ${cards.length}, ${after ? `after ${after}` : 'first'}.`);
  };
  const toggle = (key: number, index: number) => {
    setCurrent(key);
    if (held === key) {
      dispatch({ type: 'drop' });
      say(`${nameAt(index)} dropped at ${index + 1} of ${cards.length}.`);
    } else {
      dispatch({ type: 'hold', key });
      say(`${nameAt(index)} picked up at ${index + 1} of ${cards.length}. Arrow keys move it.`);
    }
  };
  const remove = (key: number, index: number) => {
    const next = cards[index + 1] ?? cards[index - 1];
    dispatch({ type: 'remove', key });
    setCurrent(next?.key);
    keepFocus.current = next?.key;
    say(`${nameAt(index)} removed.`);
  };

  const onKeyDown = (event: React.KeyboardEvent, key: number, index: number) => {
    const moves = held === key || event.altKey;
    const goal = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: cards.length - 1 }[event.key];
    if (goal !== undefined) {
      event.preventDefault();
      if (moves) {
        keepFocus.current = key;
        move(key, goal);
        return;
      }
      const next = cards[Math.min(Math.max(goal, 0), cards.length - 1)];
      if (next) {
        setCurrent(next.key);
        button(next.key)?.focus();
      }
    } else if (event.key === 'Escape' && held === key) {
      event.preventDefault();
      keepFocus.current = key;
      dispatch({ type: 'cancel' });
      say(`${nameAt(index)} is back where it was.`);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      remove(key, index);
    }
  };

  const onPointerDown = (event: React.PointerEvent<HTMLElement>, key: number) => {
    if (event.button !== 0) return;
    dragged.current = false;
    // Only the grip keeps a finger from scrolling; a mouse may take the card anywhere.
    if (event.pointerType !== 'mouse' && !(event.target as Element).closest('[data-grip]')) return;
    drag.current = { key, pointer: event.pointerId };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { key, pointer } = drag.current ?? {};
    if (key === undefined || pointer !== event.pointerId) return;
    const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
    const from = cards.findIndex((card) => card.key === key);
    const own = rows[from];
    if (!own) return;
    if (!dragged.current) {
      // A click that trembles is no drag.
      if (event.clientY > own.top - 3 && event.clientY < own.bottom + 3) return;
      dragged.current = true;
      dispatch({ type: 'hold', key });
    }
    let to = from;
    while (to > 0 && event.clientY < middle(rows[to - 1])) to--;
    while (to < rows.length - 1 && event.clientY > middle(rows[to + 1])) to++;
    move(key, to);
  };
  const onPointerEnd = (event: PointerEvent) => {
    const { key, pointer } = drag.current ?? {};
    if (key === undefined || pointer !== event.pointerId) return;
    drag.current = undefined;
    if (!dragged.current) return;
    dispatch({ type: event.type === 'pointercancel' ? 'cancel' : 'drop' });
    setCurrent(key);
  };
  // On the document: a card that React moves to its new place loses the pointer's capture.
  const latest = useRef({ onPointerMove, onPointerEnd });
  latest.current = { onPointerMove, onPointerEnd };
  useEffect(() => {
    const onMove = (event: PointerEvent) => latest.current.onPointerMove(event);
    const onEnd = (event: PointerEvent) => latest.current.onPointerEnd(event);
    document.addEventListener('pointermove', onMove);
    document.addEventListener('pointerup', onEnd);
    document.addEventListener('pointercancel', onEnd);
    return () => {
      document.removeEventListener('pointermove', onMove);
      document.removeEventListener('pointerup', onEnd);
      document.removeEventListener('pointercancel', onEnd);
    };
  }, []);

  const heldIndex = cards.findIndex((card) => card.key === held);
  const heldName = nameAt(heldIndex);
  return (
    <div className={styles.loop}>
      <p className={styles.help} id={`${id}-help`}>
        Drag a card by its grip, or press it and move it with the arrow keys or the buttons.
      </p>
      <ol ref={list} className={styles.cards} aria-label="The calls of one iteration, in order">
        {cards.map(({ key, step }, index) => (
          <li key={key}>
            <button
              type="button"
              className={styles.card}
              data-key={key}
              data-step={step}
              data-raised={index === raisedAt}
              aria-pressed={held === key}
              aria-describedby={`${id}-help`}
              tabIndex={key === focusKey ? 0 : -1}
              onFocus={() => setCurrent(key)}
              onKeyDown={(event) => onKeyDown(event, key, index)}
              onPointerDown={(event) => onPointerDown(event, key)}
              onClick={() => {
                if (!dragged.current) toggle(key, index);
                dragged.current = false;
              }}
            >
              <span className={styles.grip} data-grip aria-hidden="true">
                ⠿
              </span>
              <span className={styles.place}>{index + 1}</span>
              <span className={styles.name}>{stepOf(step).name}</span>
              {index === raisedAt ? <span className={styles.raised}>raised here</span> : null}
            </button>
          </li>
        ))}
      </ol>
      {cards.length === 0 ? <p className={styles.empty}>The loop is empty. Add a call, or undo.</p> : null}
      <fieldset className={styles.tools}>
        <legend>{heldName ? `Move ${heldName}` : 'Move (press a card first)'}</legend>
        <ToolButton name="Earlier" disabled={heldIndex <= 0} onPress={() => move(held!, heldIndex - 1)} />
        <ToolButton
          name="Later"
          disabled={heldIndex < 0 || heldIndex === cards.length - 1}
          onPress={() => move(held!, heldIndex + 1)}
        />
        <ToolButton name="Remove" disabled={heldIndex < 0} onPress={() => remove(held!, heldIndex)} />
        <ToolButton
          name="Undo"
          disabled={state.past.length === 0}
          onPress={() => {
            dispatch({ type: 'undo' });
            say('Undone.');
          }}
        />
      </fieldset>
      <fieldset className={styles.tools}>
        <legend>
          {cards.length >= LONGEST
            ? `${LONGEST} calls are enough`
            : `Add a call ${heldName ? `after ${heldName}` : 'at the end'}`}
        </legend>
        {STEPS.map((step) => (
          <button
            key={step.id}
            type="button"
            className={styles.add}
            aria-label={`Add ${step.name}`}
            aria-disabled={cards.length >= LONGEST}
            onClick={() => {
              if (cards.length >= LONGEST) return;
              dispatch({ type: 'add', step: step.id, after: held });
              say(`${step.name} added.`);
            }}
          >
            + {step.name}
          </button>
        ))}
      </fieldset>
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </div>
  );
}

const middle = (box: DOMRect | undefined) => (box ? (box.top + box.bottom) / 2 : 0);

/** aria-disabled, so that the button that was pressed keeps the focus at the ends of the list. */
function ToolButton(props: { readonly name: string; readonly disabled: boolean; onPress(): void }) {
  const { name, disabled, onPress } = props;
  return (
    <button type="button" className="button" aria-disabled={disabled} onClick={() => disabled || onPress()}>
      {name}
    </button>
  );
}
