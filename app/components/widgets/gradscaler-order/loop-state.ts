/** The cards of the loop: what they are, which one is held, and how they got there. A reducer, so that every change can be undone. */
import { LONGEST, RIGHT_ORDER, type StepId } from './steps';

export interface Card {
  /** Stays with the card while it moves. */
  readonly key: number;
  readonly step: StepId;
}

export interface LoopState {
  readonly cards: readonly Card[];
  /** Key of the card that arrow keys and buttons move. */
  readonly held: number | undefined;
  /** Where things stood when it was picked up. */
  readonly before: readonly Card[];
  readonly past: readonly (readonly Card[])[];
  readonly nextKey: number;
}

export type LoopAction =
  | { readonly type: 'hold'; readonly key: number }
  | { readonly type: 'drop' }
  | { readonly type: 'cancel' }
  | { readonly type: 'move'; readonly key: number; readonly to: number }
  | { readonly type: 'remove'; readonly key: number }
  | { readonly type: 'add'; readonly step: StepId; readonly after?: number }
  | { readonly type: 'load'; readonly order: readonly StepId[] }
  | { readonly type: 'undo' };

const UNDO_LIMIT = 50;

export function initialLoop(order: readonly StepId[] = RIGHT_ORDER): LoopState {
  const cards = order.map((step, key) => ({ key, step }));
  return { cards, held: undefined, before: cards, past: [], nextKey: cards.length };
}

export const orderOf = (state: LoopState): StepId[] => state.cards.map((card) => card.step);

export function loopReducer(state: LoopState, action: LoopAction): LoopState {
  const { cards } = state;
  switch (action.type) {
    case 'hold':
      return { ...remember(state), held: action.key, before: cards };
    case 'drop':
      return { ...remember(state), held: undefined };
    case 'cancel':
      return { ...state, cards: state.before, held: undefined };
    case 'move': {
      const from = cards.findIndex((card) => card.key === action.key);
      const to = Math.min(Math.max(action.to, 0), cards.length - 1);
      const card = cards[from];
      if (!card || from === to) return state;
      const moved = cards.filter((c) => c.key !== action.key);
      moved.splice(to, 0, card);
      // While a card is held its way is one change, remembered when it is dropped.
      return state.held === action.key ? { ...state, cards: moved } : change(state, moved);
    }
    case 'remove':
      return {
        ...change(
          state,
          cards.filter((card) => card.key !== action.key),
        ),
        held: undefined,
      };
    case 'add': {
      if (cards.length >= LONGEST) return state;
      const at = cards.findIndex((card) => card.key === action.after);
      const grown = [...cards];
      grown.splice(at < 0 ? cards.length : at + 1, 0, { key: state.nextKey, step: action.step });
      return { ...change(state, grown), nextKey: state.nextKey + 1 };
    }
    case 'load': {
      const fresh = action.order.map((step, i) => ({ key: state.nextKey + i, step }));
      return { ...change(state, fresh), held: undefined, nextKey: state.nextKey + fresh.length };
    }
    case 'undo': {
      const last = state.past.at(-1);
      if (!last) return state;
      return { ...state, cards: last, before: last, held: undefined, past: state.past.slice(0, -1) };
    }
  }
}

/** New cards; the old ones can be had back. */
function change(state: LoopState, cards: readonly Card[]): LoopState {
  const settled = remember(state);
  return { ...settled, cards, before: cards, past: [...settled.past, settled.cards].slice(-UNDO_LIMIT) };
}

/** If a held card has moved, the order that it came from goes into the past. */
function remember(state: LoopState): LoopState {
  const moved = state.held !== undefined && state.before !== state.cards && !sameCards(state.before, state.cards);
  return moved ? { ...state, before: state.cards, past: [...state.past, state.before].slice(-UNDO_LIMIT) } : state;
}

const sameCards = (a: readonly Card[], b: readonly Card[]) =>
  a.length === b.length && a.every((card, i) => card.key === b[i]?.key);
