/** What happened to a number in a format, in a few words. */
import { brief, shortest } from './decimal';
import type { Rounded } from './rounding';

export type Tone = 'exact' | 'rounded' | 'careful' | 'lost';

/** A percentage that is worth reading: two digits, or a power of ten. */
function percent(fraction: number): string {
  const value = fraction * 100;
  return value >= 0.001 ? `${brief(value, 2)}%` : `${value.toExponential(0)}%`;
}

export function outcome(rounded: Rounded): { readonly tone: Tone; readonly text: string } {
  const { event, kind, value, error, relativeError, precision, format } = rounded;
  switch (event) {
    case 'nan':
      return { tone: 'lost', text: 'not a number' };
    case 'overflow':
      return { tone: 'lost', text: `overflows to ${shortest(value)}` };
    case 'saturated':
      return { tone: 'lost', text: `saturates at ${shortest(value)}` };
    case 'underflow':
      return { tone: 'lost', text: `underflows to ${shortest(value)}` };
    case 'exact':
      if (kind === 'subnormal') return { tone: 'careful', text: 'exact, subnormal' };
      return { tone: 'exact', text: kind === 'infinity' ? 'infinity' : 'exact' };
    case 'rounded': {
      const by = `${error < 0 ? '−' : '+'}${percent(relativeError)}`;
      if (kind !== 'subnormal') return { tone: 'rounded', text: `rounded, ${by}` };
      return { tone: 'careful', text: `${precision} of ${format.significandBits + 1} bits left, ${by}` };
    }
  }
}
