/** Numbers of the trace as people read them. */

/** Four significant digits; powers of ten outside of 1e-3 to 1e6. */
export function short(x: number | undefined): string {
  if (x === undefined) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3)
    return x
      .toExponential(2)
      .replace('e+', 'e')
      .replace(/\.?0+e/, 'e');
  return String(Number(x.toPrecision(5)));
}

/** The largest magnitude among the finite values. */
export const largest = (min: number | undefined, max: number | undefined): number =>
  Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0));

/** Where a magnitude lies on the drawing's axis of exponents, 0 to 1; float16's range, 2^-24 to 2^16, is its middle part. */
export const AXIS = { low: -28, high: 20 } as const;
export const position = (size: number): number =>
  size === 0 ? 0 : Math.min(1, Math.max(0, (Math.log2(size) - AXIS.low) / (AXIS.high - AXIS.low)));
