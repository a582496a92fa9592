/** Recognising a known mistake by its bits: the learner's outcomes on the probes, or their own signature, equal those of mistakes/<name>.py. */
import type { PyValue, Session } from '../../engine/session/session';
import { CALL_EACH, CALL_VARIANT } from './harness';
import type { Call, CheckContext, Exercise, Outcome } from './schema';

/**
 * What is added to a failed check: the mistake that is known to fail it, if the learner's bits are its bits. Its message is read once, and in
 * its place.
 */
export type Recognise = (check: string) => Promise<{ fingerprint?: { mistake: string; message: string } }>;

type Evaluate = (expression: string, calls: readonly Call[], extra?: Record<string, PyValue>) => Promise<Outcome[]>;

/** Bits of known mistakes, which don't depend on the learner: for each session and exercise, made once they are asked for. */
const known = new WeakMap<Session, Map<string, Promise<string>>>();

export function recogniser(
  exercise: Exercise,
  sources: Readonly<Record<string, string>>,
  session: Session,
  context: CheckContext,
  evaluate: Evaluate,
): Recognise {
  let mine: Promise<string> | undefined;
  const learners = () =>
    (mine ??= exercise.signature ? exercise.signature(context) : evaluate(CALL_EACH, exercise.probes).then(signature));
  const theirs = (name: string): Promise<string> => {
    const own = exercise.mistakes[name]?.signature;
    if (own !== undefined) return Promise.resolve(own);
    const source = sources[name] as string;
    const all = known.get(session) ?? new Map<string, Promise<string>>();
    known.set(session, all);
    const key = `${exercise.title}\n${source}`;
    let made = all.get(key);
    if (!made) {
      made = evaluate(CALL_VARIANT, exercise.probes, { source: { kind: 'string', value: source } }).then(signature);
      made.catch(() => all.delete(key));
      all.set(key, made);
    }
    return made;
  };
  let named = false;
  return async (check) => {
    if (named) return {};
    const candidates = Object.entries(exercise.mistakes).filter(([name, m]) => m.fails === check && name in sources);
    if (candidates.length === 0 || (exercise.probes.length === 0 && !exercise.signature)) return {};
    for (const [mistake, { message }] of candidates) {
      if ((await theirs(mistake)) !== (await learners())) continue;
      named = true; // no two mistakes have the same bits
      return { fingerprint: { mistake, message } };
    }
    return {};
  };
}

/** The bits of every outcome, so that two codes can be compared. */
const signature = (outcomes: readonly Outcome[]): string =>
  outcomes
    .map((o) =>
      o.kind === 'raised'
        ? `raised ${o.type}: ${o.message}` // a message says as much as bits do
        : o.value.kind === 'tensor'
          ? `${o.value.dtype} ${o.value.shape} ${o.value.bits}`
          : JSON.stringify(o.value),
    )
    .join('\n');
