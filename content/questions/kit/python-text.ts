/** Numbers as Python prints them. */

/** repr of a Python float: the shortest digits that give the number back; an exponent below 1e-4 and from 1e16. */
export function pythonFloat(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0';
  const [digits, power] = x.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const sign = exponent < 0 ? '-' : '+';
    return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  // toFixed with just enough places shows exactly the shortest digits.
  const places = Math.max(0, digits.replace(/^-?\d\.?/, '').length - exponent);
  const text = x.toFixed(places);
  return text.includes('.') ? text : `${text}.0`;
}

/** f"{x:.3g}": three significant digits, trailing zeros dropped. */
export function threeDigits(x: number): string {
  if (!Number.isFinite(x)) return pythonFloat(x);
  if (x === 0) return '0';
  const [digits, power] = x.toExponential(2).split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 3) {
    const short = digits.replace(/\.?0+$/, '');
    return `${short}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const text = x.toFixed(2 - exponent);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** A list of floats, each through round(x, 3). */
export const roundedList = (values: readonly number[]): string =>
  `[${values.map((x) => pythonFloat(roundTo3(x))).join(', ')}]`;

/** A list of floats. */
export const floatList = (values: readonly number[]): string => `[${values.map(pythonFloat).join(', ')}]`;

/** round(x, 3). Both languages round the exact value of the double; only an exact tie, an odd multiple of 1/16, goes to the even digit in Python. */
function roundTo3(x: number): number {
  if (!Number.isFinite(x)) return x;
  const tie = Number.isInteger(x * 16) && !Number.isInteger(x * 8);
  return tie ? (2 * Math.round((x * 1000) / 2)) / 1000 : Number(x.toFixed(3));
}
