/** Scales of a plot: from data to pixels, and where ticks stand. */

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export type Scale = (value: number) => number;

/** Straight from `domain` to `range`; a domain of one value lies in the middle. */
export function linear([from, to]: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  if (from === to) return () => (start + end) / 2;
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

/** Logarithmic; values that have no logarithm (0, negative) lie at the low end. */
export function logarithmic([from, to]: readonly [number, number], range: readonly [number, number]): Scale {
  if (!(from > 0 && to > 0)) throw new Error(`logarithmic: the domain [${from}, ${to}] must be positive`);
  const scale = linear([Math.log(from), Math.log(to)], range);
  return (value) => (value > 0 ? scale(Math.log(value)) : range[0]);
}

/** Round numbers (1, 2 or 5 times a power of ten) within [from, to], about `count` of them. */
export function ticks([from, to]: readonly [number, number], count = 5): Tick[] {
  if (!(to > from) || !Number.isFinite(to - from)) return [{ at: from, text: number(from) }];
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const out: Tick[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) {
    const at = Number((i * step).toPrecision(12));
    out.push({ at, text: number(at) });
  }
  return out;
}

/** Powers of ten within [from, to], thinned to at most `count`. */
export function powersOfTen([from, to]: readonly [number, number], count = 5): Tick[] {
  const low = Math.ceil(Math.log10(from) - 1e-9);
  const high = Math.floor(Math.log10(to) + 1e-9);
  const every = Math.max(1, Math.ceil((high - low + 1) / count));
  const out: Tick[] = [];
  for (let e = low; e <= high; e += every) out.push({ at: Number(`1e${e}`), text: `10${superscript(e)}` });
  return out;
}

/** Exponents of two as "2¹⁶", every `every`. */
export function powersOfTwo([from, to]: readonly [number, number], every: number): Tick[] {
  const out: Tick[] = [];
  for (let e = Math.ceil(from / every) * every; e <= to; e += every) out.push({ at: e, text: `2${superscript(e)}` });
  return out;
}

/** Of an integer, in Unicode's superscript digits: SVG text has no <sup>. */
export function superscript(n: number): string {
  return String(n).replace(/./g, (c) => (c === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)] ?? c)));
}

/** For a label: short, scientific where it would be long. */
export function number(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '−inf';
  const size = Math.abs(x);
  if (x !== 0 && (size >= 1e6 || size < 1e-3)) {
    const [digits, exponent] = x.toExponential(2).split('e');
    return `${Number(digits)} × 10${superscript(Number(exponent))}`;
  }
  return Number.isInteger(x) ? String(x) : String(Number(x.toPrecision(4)));
}
