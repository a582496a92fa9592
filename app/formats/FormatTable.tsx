import { hashOf } from '@/app/components/widgets/format-explorer/address';
import { brief, shortest } from '@/app/components/widgets/format-explorer/decimal';
import { Power } from '@/app/components/widgets/format-explorer/Power';
import { ORDER } from '@/app/components/widgets/format-explorer/rounding';
import { type FloatFormat, formats } from '@/engine/formats/float-format';
import styles from './formats.module.css';

interface Row {
  readonly name: string;
  readonly of: (format: FloatFormat) => React.ReactNode;
}

/** A value of the format, which opens it in the explorer. */
function Value({ x, format }: { readonly x: number; readonly format: FloatFormat }) {
  const full = shortest(x);
  return <a href={hashOf({ text: full, format: format.name })}>{full.length <= 8 ? full : brief(x, 4)}</a>;
}

/** Finite values, both zeros counted once: 2^bits patterns, without those of infinity and NaN, and without -0. */
function finiteValues({ bits, significandBits, specials }: FloatFormat): number {
  const special = specials === 'ieee' ? 2 * 2 ** significandBits : 2;
  return 2 ** bits - special - 1;
}

const ROWS: readonly Row[] = [
  { name: 'sign + exponent + significand bits', of: (f) => `1 + ${f.exponentBits} + ${f.significandBits}` },
  { name: 'bytes in memory', of: (f) => (f.name === 'tf32' ? '4, as float32' : f.bits / 8) },
  { name: 'largest finite', of: (f) => <Value x={f.max} format={f} /> },
  { name: 'smallest normal', of: (f) => <Value x={f.smallestNormal} format={f} /> },
  { name: 'as a power of two', of: (f) => <Power of={f.minExponent} /> },
  { name: 'smallest subnormal', of: (f) => <Value x={f.smallestSubnormal} format={f} /> },
  { name: 'as a power of two', of: (f) => <Power of={f.minExponent - f.significandBits} /> },
  { name: 'eps: from 1 to the next value', of: (f) => <Value x={f.eps} format={f} /> },
  { name: 'decimal digits', of: (f) => brief((f.significandBits + 1) * Math.log10(2), 2) },
  { name: 'whole numbers exact up to', of: (f) => (2 ** (f.significandBits + 1)).toLocaleString('en') },
  {
    name: 'past the largest',
    of: (f) =>
      f.specials === 'ieee' ? (
        <>
          inf, from{' '}
          <a href={hashOf({ text: shortest(f.max + 2 ** (f.maxExponent - f.significandBits - 1)), format: f.name })}>
            {brief(f.max + 2 ** (f.maxExponent - f.significandBits - 1), 5)}
          </a>
        </>
      ) : (
        `stays ${f.max}`
      ),
  },
  { name: 'finite values', of: (f) => finiteValues(f).toLocaleString('en') },
];

/** What to know by heart, computed from the formats' own definitions. */
export function FormatTable() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, so a keyboard must reach it
    // biome-ignore lint/a11y/useSemanticElements: as app/content/blocks.ts does for tables of lessons
    <div className={styles.scroll} role="group" aria-label="Table" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <td />
            {ORDER.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a constant list
            <tr key={index}>
              <th scope="row">{row.name}</th>
              {ORDER.map((name) => (
                <td key={name}>{row.of(formats[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
