import { describe, expect, test } from 'vitest';
import {
  initialLoop,
  type LoopAction,
  loopReducer,
  orderOf,
} from '@/app/components/widgets/gradscaler-order/loop-state';
import { LONGEST } from '@/app/components/widgets/gradscaler-order/steps';

const played = (...actions: LoopAction[]) => actions.reduce(loopReducer, initialLoop(['forward', 'backward', 'step']));

describe('the cards of the GradScaler lab', () => {
  test('a card that is held and moved about is one change, and undo takes it back whole', () => {
    const moved = played(
      { type: 'hold', key: 0 },
      { type: 'move', key: 0, to: 1 },
      { type: 'move', key: 0, to: 2 },
      { type: 'drop' },
    );
    expect(orderOf(moved)).toEqual(['backward', 'step', 'forward']);
    expect(moved.held).toBeUndefined();
    expect(orderOf(loopReducer(moved, { type: 'undo' }))).toEqual(['forward', 'backward', 'step']);
  });

  test('cancel puts a held card back, and leaves nothing to undo', () => {
    const back = played({ type: 'hold', key: 2 }, { type: 'move', key: 2, to: 0 }, { type: 'cancel' });
    expect(orderOf(back)).toEqual(['forward', 'backward', 'step']);
    expect(back.past).toEqual([]);
  });

  test('holding another card settles the first where it is', () => {
    const state = played(
      { type: 'hold', key: 2 },
      { type: 'move', key: 2, to: 0 },
      { type: 'hold', key: 1 },
      { type: 'cancel' },
    );
    expect(orderOf(state)).toEqual(['step', 'forward', 'backward']);
    expect(orderOf(loopReducer(state, { type: 'undo' }))).toEqual(['forward', 'backward', 'step']);
  });

  test('calls may be left out and repeated, each with its own undo', () => {
    const state = played(
      { type: 'remove', key: 1 },
      { type: 'add', step: 'step', after: 0 },
      { type: 'add', step: 'update' },
    );
    expect(orderOf(state)).toEqual(['forward', 'step', 'step', 'update']);
    expect(new Set(state.cards.map((card) => card.key)).size).toBe(4);
    const undone = [1, 2, 3].reduce((s) => loopReducer(s, { type: 'undo' }), state);
    expect(orderOf(undone)).toEqual(['forward', 'backward', 'step']);
  });

  test('moves stop at the ends, and a loop has an end of its own', () => {
    expect(orderOf(played({ type: 'move', key: 1, to: 99 }))).toEqual(['forward', 'step', 'backward']);
    expect(orderOf(played({ type: 'move', key: 1, to: -5 }))).toEqual(['backward', 'forward', 'step']);
    const many = Array.from({ length: 20 }, (): LoopAction => ({ type: 'add', step: 'update' }));
    expect(played(...many).cards).toHaveLength(LONGEST);
  });
});
