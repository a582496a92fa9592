/** A PyValue as numbers, as bits and as Python would print it: what the check compares and what the popover shows. */
import { type FormatName, formats, fromBits, roundToFormat, toBits } from '@/engine/formats/float-format';
import type { PyValue } from '@/engine/session/session';

/** One element: its text as Python prints it, its number if it is one, its pattern where it has a format. */
export interface Element {
  readonly text: string;
  readonly number?: number;
  readonly format?: FormatName;
  readonly bits?: number;
}

const isFormat = (dtype: string): dtype is FormatName => Object.hasOwn(formats, dtype);

/** A float as Python's repr: 65504.0, 5.96e-08, inf, nan. */
export function pythonFloat(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  if (Object.is(x, -0)) return '-0.0';
  const magnitude = Math.abs(x);
  if (magnitude !== 0 && (magnitude >= 1e16 || magnitude < 1e-4)) {
    // Python pads the exponent to two digits.
    return x.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(x) ? `${x}.0` : String(x);
}

function float64(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

/** The elements of a tensor, a number, a text, or a list of them, flat and in order. */
export function elementsOf(value: PyValue): readonly Element[] {
  switch (value.kind) {
    case 'tensor': {
      const words = value.bits === '' ? [] : value.bits.split(' ');
      const { dtype } = value;
      if (isFormat(dtype)) {
        return words.map((word) => {
          const bits = Number.parseInt(word, 16);
          const number = fromBits(bits, formats[dtype]);
          return { text: pythonFloat(number), number, format: dtype, bits };
        });
      }
      if (dtype === 'float64')
        return words.map((word) => ({ text: pythonFloat(float64(word)), number: float64(word) }));
      if (dtype === 'bool') return words.map((word) => ({ text: word === '0' ? 'False' : 'True' }));
      return words.map((word) => ({ text: word, number: Number(word) }));
    }
    case 'number': {
      if (value.type === 'bool') return [{ text: Number(value.value) === 0 ? 'False' : 'True' }];
      const number =
        typeof value.value === 'number'
          ? value.value
          : Number(value.value.replace('inf', 'Infinity').replace('nan', 'NaN'));
      return [{ text: value.type === 'int' ? String(value.value) : pythonFloat(number), number }];
    }
    case 'string':
      return [{ text: value.value }];
    case 'none':
      return [{ text: 'None' }];
    case 'list':
    case 'tuple':
      return value.items.flatMap(elementsOf);
    case 'dict':
      return value.entries.flatMap(([, item]) => elementsOf(item));
    case 'other':
      return [{ text: value.repr }];
  }
}

/**
 * Elements with a format for Python's own floats too, where the expression names exactly one floating dtype and the number is one of its
 * values: `torch.finfo(torch.float16).max` is a Python float, and its bits as a float16 are what a reader wants to see.
 */
export function elementsWithBits(value: PyValue, expression: string): readonly Element[] {
  const named = new Set(expression.match(/\btorch\.(float16|bfloat16|float32|float8_e4m3fn|float8_e5m2)\b/g));
  const [only] = named;
  const format = named.size === 1 && only ? (only.slice('torch.'.length) as FormatName) : undefined;
  const isFloat = value.kind === 'number' && value.type === 'float';
  return elementsOf(value).map((element) => {
    const { number } = element;
    if (!isFloat || !format || number === undefined) return element;
    if (!Object.is(roundToFormat(number, formats[format]), number)) return element;
    return { ...element, format, bits: toBits(number, formats[format]) };
  });
}
