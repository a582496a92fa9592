/** Orders with a name: where to start from, what to compare bits with, and what the puzzles are made of. */
import { RIGHT_ORDER, type StepId } from './steps';

export interface KnownOrder {
  readonly id: string;
  readonly name: string;
  readonly order: readonly StepId[];
  /** What the order does to the gradients, in one or two sentences. */
  readonly what: string;
}

export const KNOWN_ORDERS = [
  {
    id: 'right',
    name: 'the right order',
    order: RIGHT_ORDER,
    what: 'Gradients are divided by the scale before the threshold of clip looks at them, and the scale changes only after the optimizer has been served.',
  },
  {
    id: 'zero-last',
    name: 'zero_grad at the end',
    order: ['forward', 'backward', 'unscale_', 'clip', 'step', 'update', 'zero_grad'],
    what: 'The gradients are gone before the next backward, which is all that zero_grad owes anyone. Top or bottom of the loop is taste.',
  },
  {
    id: 'clip-before-unscale',
    name: 'clip before unscale_',
    order: ['zero_grad', 'forward', 'backward', 'clip', 'unscale_', 'step', 'update'],
    what: 'clip sees gradients that are still multiplied by the scale and cuts them to 0.5; unscale_ then divides what is left by the scale. The threshold in effect is 0.5 divided by the scale, so the parameters hardly move. Nothing complains.',
  },
  {
    id: 'no-unscale',
    name: 'no unscale_',
    order: ['zero_grad', 'forward', 'backward', 'clip', 'step', 'update'],
    what: 'step unscales by itself where nobody did, but only then: clip has already cut the scaled gradients to 0.5. It is clip before unscale_ under another name.',
  },
  {
    id: 'clip-after-step',
    name: 'clip after step',
    order: ['zero_grad', 'forward', 'backward', 'unscale_', 'step', 'clip', 'update'],
    what: 'The optimizer has already used the gradients when clip shortens them. The logged norm is right, and nothing is clipped.',
  },
  {
    id: 'clip-before-backward',
    name: 'clip before backward',
    order: ['zero_grad', 'forward', 'clip', 'backward', 'unscale_', 'step', 'update'],
    what: 'zero_grad has set every gradient to None, so clip finds none: its norm is 0 and it changes nothing. The step is taken unclipped.',
  },
  {
    id: 'no-clip',
    name: 'no clip',
    order: ['zero_grad', 'forward', 'backward', 'unscale_', 'step', 'update'],
    what: 'Every step has the full length of its gradient, here two to three times the threshold.',
  },
  {
    id: 'no-zero-grad',
    name: 'no zero_grad',
    order: ['forward', 'backward', 'unscale_', 'clip', 'step', 'update'],
    what: 'backward adds to what is there. After the overflow of the second batch the old gradients are inf and NaN for good: every later step is skipped, and the scale halves without end.',
  },
  {
    id: 'zero-after-backward',
    name: 'zero_grad after backward',
    order: ['forward', 'backward', 'zero_grad', 'unscale_', 'clip', 'step', 'update'],
    what: 'The gradients are thrown away before anyone reads them. unscale_ finds none to check, and step refuses to decide without a check.',
  },
  {
    id: 'update-before-step',
    name: 'update before step',
    order: ['zero_grad', 'forward', 'backward', 'unscale_', 'clip', 'update', 'step'],
    what: 'update forgets that unscale_ has run, so step unscales a second time: the first update is 65536 times too short. And since no update follows the step, the next unscale_ finds the optimizer still marked as stepped.',
  },
  {
    id: 'step-before-unscale',
    name: 'step before unscale_',
    order: ['zero_grad', 'forward', 'backward', 'step', 'unscale_', 'clip', 'update'],
    what: 'step has unscaled the gradients itself, used them, and marked the optimizer as stepped. unscale_ would divide by the scale once more, so it refuses.',
  },
  {
    id: 'no-update',
    name: 'no update',
    order: ['zero_grad', 'forward', 'backward', 'unscale_', 'clip', 'step'],
    what: 'The first iteration is right. But only update resets what the scaler remembers about the optimizer, so the second unscale_ is one too many.',
  },
  {
    id: 'no-step',
    name: 'no step',
    order: ['zero_grad', 'forward', 'backward', 'unscale_', 'clip', 'update'],
    what: 'The scale goes up and down as it should, the norms look healthy, and no parameter ever changes.',
  },
  {
    id: 'two-backwards',
    name: 'forward and backward twice',
    order: ['zero_grad', 'forward', 'backward', 'forward', 'backward', 'unscale_', 'clip', 'step', 'update'],
    what: 'backward adds, so the gradients are twice as long, as they would be for two micro-batches whose losses were not divided by two. Where clipping cuts them to the same length, only roundings differ.',
  },
] as const satisfies readonly KnownOrder[];

export type KnownId = (typeof KNOWN_ORDERS)[number]['id'];

export function known(id: KnownId): KnownOrder {
  const order = KNOWN_ORDERS.find((k) => k.id === id);
  if (!order) throw new Error(`gradscaler-order: there is no known order "${id}"`);
  return order;
}

export const sameOrder = (a: readonly StepId[], b: readonly StepId[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);
