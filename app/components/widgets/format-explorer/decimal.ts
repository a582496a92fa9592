/** Doubles as text: exactly, as Python has them, and short. */

/** Every digit of a finite double. A double is n / 2^k, and 1 / 2^k = 5^k / 10^k: the decimal expansion ends. */
export function exactDecimal(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  let scaled = Math.abs(x);
  let k = 0;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    k += 1;
  }
  const digits = (BigInt(scaled) * 5n ** BigInt(k)).toString().padStart(k + 1, '0');
  const whole = digits.slice(0, digits.length - k);
  const fraction = digits.slice(digits.length - k).replace(/0+$/, '');
  return `${sign}${whole}${fraction ? `.${fraction}` : ''}`;
}

/** The shortest text that gives the same double again, in Python's spelling without a needless ".0". */
export function shortest(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  if (Object.is(x, -0)) return '-0';
  const magnitude = Math.abs(x);
  const text = magnitude !== 0 && (magnitude >= 1e16 || magnitude < 1e-4) ? x.toExponential() : String(x);
  return text.replace('e+', 'e');
}

/** At most `digits` significant digits: for a glance. */
export function brief(x: number, digits = 6): string {
  if (!Number.isFinite(x) || x === 0) return shortest(x);
  return shortest(Number(x.toPrecision(digits)));
}

/** A number of ulps; what is not a tie is never shown as 0.5. */
export function ulps(x: number): string {
  let digits = 3;
  while (digits < 17 && x !== 0.5 && Number(x.toPrecision(digits)) === 0.5) digits += 1;
  return brief(x, digits);
}
