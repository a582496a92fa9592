/**
 * Which prediction questions a learner has answered, kept in this browser: what was chosen and what else was on offer, so that review can ask again for
 * the misconceptions that were met. Where the storage refuses it is kept in memory for as long as the page lives.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';

export interface Answer {
  readonly generator: string;
  readonly seed: number;
  /** The misconception behind the chosen option; null for the right one. */
  readonly misconception: string | null;
  /** Misconceptions behind the other wrong options: these were avoided. */
  readonly avoided: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How a misconception stands: how often it was chosen, and how often it was avoided since. */
export interface Met {
  readonly misconception: string;
  readonly times: number;
  readonly avoidedSince: number;
  readonly lastAt: number;
  /** Where it was met last. */
  readonly generator: string;
}

interface Schema extends DBSchema {
  answers: { key: number; value: Answer };
}

let database: Promise<IDBPDatabase<Schema>> | undefined;
const memory: Answer[] = [];

function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openDB<Schema>('subnormal-answers', 1, {
    upgrade(db) {
      db.createObjectStore('answers', { autoIncrement: true });
    },
    blocking: (_current, _blocked, event) => {
      (event.target as IDBDatabase).close();
      database = undefined;
    },
    terminated: () => {
      database = undefined;
    },
  });
  database.catch(() => {
    database = undefined;
  });
  return database;
}

/** Never rejects. */
export async function recordAnswer(answer: Answer): Promise<void> {
  try {
    await (await open()).add('answers', answer);
  } catch {
    memory.push(answer);
  }
}

/** Every answer, oldest first. Never rejects. */
export async function allAnswers(): Promise<readonly Answer[]> {
  try {
    return [...(await (await open()).getAll('answers')), ...memory];
  } catch {
    return memory;
  }
}

/** The misconceptions that were ever chosen, most pressing first: chosen often and not avoided since. */
export function misconceptionsMet(answers: readonly Answer[]): readonly Met[] {
  const met = new Map<string, Met>();
  for (const { misconception, avoided, at, generator } of answers) {
    for (const id of avoided) {
      const known = met.get(id);
      if (known) met.set(id, { ...known, avoidedSince: known.avoidedSince + 1 });
    }
    if (misconception === null) continue;
    const times = (met.get(misconception)?.times ?? 0) + 1;
    met.set(misconception, { misconception, times, avoidedSince: 0, lastAt: at, generator });
  }
  return [...met.values()].sort((a, b) => a.avoidedSince - a.times - (b.avoidedSince - b.times) || b.lastAt - a.lastAt);
}
