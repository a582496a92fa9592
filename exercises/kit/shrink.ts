/** From a failing input to the smallest one that still fails, in few round trips: each tries many candidates at once. */
import fc from 'fast-check';
import type { Finding } from './schema';

/** Draws what `inner` draws, and remembers how, so that a drawn value can be shrunk afterwards. */
export class Remembered<T> extends fc.Arbitrary<T> {
  private readonly drawn: fc.Value<T>[] = [];

  constructor(private readonly inner: fc.Arbitrary<T>) {
    super();
  }

  at(i: number): fc.Value<T> {
    const value = this.drawn[i];
    if (!value) throw new Error(`only ${this.drawn.length} inputs were drawn`);
    return value;
  }

  override generate(random: fc.Random, biasFactor: number | undefined): fc.Value<T> {
    const value = this.inner.generate(random, biasFactor);
    this.drawn.push(value);
    return value;
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.inner.canShrinkWithoutContext(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.inner.shrink(value, context);
  }
}

/** Candidates of one round trip. */
const TOGETHER = 24;
/** Round trips, and milliseconds after which no further one begins: a smaller input is worth a short wait. */
const ROUNDS = 16;
const PATIENCE = 400;

/** The finding of the smallest failing input that was found; `found` where nothing smaller fails. `judge` has one answer for each input. */
export async function shrink<T>(
  failing: fc.Value<T>,
  found: Finding | null,
  inputs: fc.Arbitrary<T>,
  judge: (candidates: readonly T[]) => Promise<readonly (Finding | null)[]>,
): Promise<Finding | null> {
  const started = performance.now();
  let smallest = found;
  let candidates = inputs.shrink(failing.value, failing.context);
  for (let round = 0; round < ROUNDS && performance.now() - started < PATIENCE; round++) {
    const some: fc.Value<T>[] = [];
    for (let next = candidates.next(); !next.done; next = candidates.next()) {
      some.push(next.value);
      if (some.length === TOGETHER) break;
    }
    if (some.length === 0) break;
    const findings = await judge(some.map((c) => c.value));
    const at = findings.findIndex((f) => f !== null);
    const smaller = some[at];
    if (!smaller) continue; // the next candidates of the same input
    smallest = findings[at] ?? smallest;
    candidates = inputs.shrink(smaller.value, smaller.context);
  }
  return smallest;
}
