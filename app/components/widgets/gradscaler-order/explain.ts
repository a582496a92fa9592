/** What an order did, in words: the message that it raised, or the named order whose bits it has, or how far off it ended. */
import { KNOWN_ORDERS, type KnownOrder, sameOrder } from './known-orders';
import { distance, errors, fingerprint, type Outcome, type Raised, strides } from './outcome';
import { RIGHT_ORDER, type StepId, stepOf } from './steps';

export interface Explanation {
  readonly verdict: 'right' | 'same' | 'silent' | 'raised';
  /** One line. */
  readonly headline: string;
  readonly body: readonly string[];
  /** The order whose bits it has, if it is another than itself. */
  readonly twin: KnownOrder | undefined;
}

/** Why PyTorch raises what it raises, by the beginning of the message. */
const REASONS: readonly (readonly [start: string, why: string])[] = [
  [
    'unscale_() has already been called',
    'Since the last update, unscale_ has run on this optimizer. A second division by the scale would make the gradients wrong, so the scaler refuses it.',
  ],
  [
    'unscale_() is being called after step()',
    'step has already unscaled, checked and used these gradients, and no update has come since.',
  ],
  [
    'step() has already been called',
    'One step an update: only update resets what the scaler remembers about the optimizer.',
  ],
  [
    'No inf checks were recorded prior to update',
    'update decides from what unscale_ or step found, and since the last update neither has looked at a gradient.',
  ],
  [
    'No inf checks were recorded for this optimizer',
    'There was no gradient to check. Either backward has not run yet, or zero_grad has thrown its gradients away.',
  ],
  ['Attempted', 'The scale comes into being at the first scaler.scale(loss), and that has not run yet.'],
  [
    'Trying to backward through the graph a second time',
    'backward frees the graph that forward built. A second backward needs a second forward.',
  ],
  ["name 'loss' is not defined", 'The loss does not exist before the first forward has run.'],
];

const whyRaised = (raised: Raised): string | undefined =>
  REASONS.find(([start]) => raised.message.startsWith(start))?.[1];

export function explain(outcome: Outcome, right: Outcome, others: readonly Outcome[]): Explanation {
  const { order, raised } = outcome;
  const own = KNOWN_ORDERS.find((k) => sameOrder(k.order, order));
  const print = fingerprint(outcome);
  const twinOutcome = others.find((other) => !sameOrder(other.order, order) && fingerprint(other) === print);
  const twin = twinOutcome && KNOWN_ORDERS.find((k) => sameOrder(k.order, twinOutcome.order));
  const same = print === fingerprint(right);
  const sentences: string[] = own ? [own.what] : [];
  if (raised) {
    const at = raised.position === undefined ? undefined : order[raised.position];
    const why = whyRaised(raised);
    if (!own && why) sentences.push(why);
    if (raised.iteration > 1)
      sentences.push(
        raised.iteration === 2
          ? 'The first iteration got through: it takes the state that it leaves behind to show the fault.'
          : `${raised.iteration - 1} iterations got through before it showed.`,
      );
    return {
      verdict: 'raised',
      headline: `Raises in iteration ${raised.iteration}${at ? `, at ${stepOf(at).name}` : ''}.`,
      body: sentences,
      twin: undefined,
    };
  }
  if (sameOrder(order, RIGHT_ORDER))
    return { verdict: 'right', headline: 'The right order.', body: sentences, twin: undefined };
  if (same) {
    if (!own) sentences.push('What was moved does not meet anything that depends on it.');
    return {
      verdict: 'same',
      headline: 'Another order with the same bits: every parameter equals the right order’s after every iteration.',
      body: sentences,
      twin: undefined,
    };
  }
  if (!own) {
    if (twin) sentences.push(twin.what);
    else sentences.push(...readings(order, outcome));
  }
  return {
    verdict: 'silent',
    headline: twin
      ? `No error, and wrong. Your bits equal those of “${twin.name}”.`
      : 'No error, no warning, and other parameters than the right order’s.',
    body: sentences,
    twin,
  };
}

/** What can be said of an order without a name, from its calls and its numbers. */
function readings(order: readonly StepId[], outcome: Outcome): string[] {
  const said: string[] = [];
  const at = (id: StepId) => order.indexOf(id);
  const norms = outcome.iterations.flatMap((it) => (it.norm === undefined ? [] : [it.norm]));
  if (strides(outcome).every((stride) => stride === 0)) said.push('No parameter ever changed.');
  if (norms[0] !== undefined && norms[0] > 1000)
    said.push(`The norm that clip returned, ${norms[0].toPrecision(4)}, is a norm times the scale.`);
  if (norms.length > 0 && norms.every((norm) => norm === 0)) said.push('clip never found a gradient.');
  if (at('zero_grad') < 0) said.push('Without zero_grad each backward adds to the gradients of the last.');
  if (at('update') < 0) said.push('Without update the scale never adapts.');
  if (at('step') >= 0 && at('backward') > at('step'))
    said.push('step comes before backward: it uses the gradients of the iteration before.');
  return said.length > 0 ? said : ['The numbers below say by how much, iteration by iteration.'];
}

/** Distance from the right order's parameters at the end, and as a share of the way that the right order went. */
export function errorAtEnd(outcome: Outcome, right: Outcome): { error: number; share: number } | undefined {
  const error = errors(outcome, right).at(-1);
  const last = right.iterations[outcome.iterations.length - 1];
  if (error === undefined || !last) return undefined;
  return { error, share: error / distance(last.weights, right.start) };
}
