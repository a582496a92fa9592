/**
 * The smallest error that any policy reaches with a given number of operations in float32: all 3^7 were run, on PyTorch 2.13. The unit test of
 * this exercise runs them again, on the engine.
 */
import { OPS } from './data';

export interface FrontierPoint {
  /** Operations in float32. */
  readonly wide: number;
  /** Largest |loss - exact| over all rows of all hidden batches. */
  readonly error: number;
  /** Which dtype each operation has: h float16, b bfloat16, f float32. */
  readonly policy: string;
}

export const FRONTIER: readonly FrontierPoint[] = [
  { wide: 0, error: 0.008712053346379811, policy: 'bbhhhhh' },
  { wide: 1, error: 0.004604163176651355, policy: 'fbhhhhh' },
  { wide: 2, error: 0.0036713390659492973, policy: 'ffhhhhh' },
  { wide: 3, error: 0.0024396184757815575, policy: 'ffhhhhf' },
  { wide: 4, error: 0.00130908621486725, policy: 'fffhhhf' },
  { wide: 5, error: 0.0010384709371349388, policy: 'ffffhhf' },
  { wide: 6, error: 0.0004820646422221131, policy: 'fffffhf' },
  { wide: 7, error: 5.899379420526429e-7, policy: 'fffffff' },
];

const NAMES: Readonly<Record<string, string>> = { h: 'float16', b: 'bfloat16', f: 'float32' };

/** The dtypes by operation. */
export const dtypesOf = (policy: string): Readonly<Record<string, string>> =>
  Object.fromEntries(OPS.map((op, i) => [op, NAMES[policy[i] as string] as string]));
