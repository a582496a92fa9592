import { Random } from '@/content/questions/kit/random';

/** Options in an order that says nothing, the same for the same seed, each with its place in the list that it came from. */
export function shuffled<T>(items: readonly T[], name: string, seed: number): readonly { item: T; index: number }[] {
  return new Random(`${name} ${seed}`).shuffle(items.map((item, index) => ({ item, index })));
}
