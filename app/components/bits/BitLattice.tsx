import { Fragment } from 'react';
import { type FormatName, formats, fromBits } from '@/engine/formats/float-format';
import styles from './BitLattice.module.css';

export interface BitLatticeProps {
  readonly format: FormatName;
  /** The bit pattern as an unsigned integer: 0x7c00. */
  readonly pattern: number;
  /** 'digits' for reading, 'squares' as an emblem. */
  readonly look?: 'digits' | 'squares';
  /** Names of the three fields underneath. */
  readonly legend?: boolean;
}

/** As Python spells it. */
const spell = (value: number) => String(value).replace('Infinity', 'inf').replace('NaN', 'nan');

/** One floating-point number as a row of bits: sign, exponent, significand. A picture to assistive technology. */
export function BitLattice({ format, pattern, look = 'digits', legend = false }: BitLatticeProps) {
  const { exponentBits, significandBits } = formats[format];
  const digits = (pattern >>> 0).toString(2).padStart(1 + exponentBits + significandBits, '0');
  const fields = [
    { name: 'sign', digits: digits.slice(0, 1) },
    { name: 'exponent', digits: digits.slice(1, 1 + exponentBits) },
    { name: 'significand', digits: digits.slice(1 + exponentBits) },
  ];
  const value = fromBits(pattern, formats[format]);
  const spoken = `${spell(value)} in ${format}: ${fields.map((field) => `${field.name} ${field.digits}`).join(', ')}`;
  // One column a bit, so that bits are the same size in all fields, and a narrow one between fields.
  const columns = fields.map((field) => `repeat(${field.digits.length}, var(--bit))`).join(' var(--gap) ');
  return (
    <div className={`${styles.lattice} ${styles[look]}`} role="img" aria-label={spoken}>
      <div className={styles.grid} style={{ gridTemplateColumns: columns }}>
        {fields.map((field, at) => (
          <Fragment key={field.name}>
            {[...field.digits].map((digit, index) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: a bit is its position
                key={index}
                className={`${styles.bit} ${styles[field.name]} ${digit === '1' ? styles.one : styles.zero}`}
              >
                {look === 'digits' ? digit : null}
              </span>
            ))}
            {at < 2 ? <span /> : null}
          </Fragment>
        ))}
        {legend
          ? fields.map((field, at) => (
              <span
                key={field.name}
                className={`${styles.legend} ${styles[field.name]}`}
                style={{ gridColumn: `span ${field.digits.length + (at < 2 ? 1 : 0)}` }}
              >
                {field.name.slice(0, 1)}
                <span className={field.digits.length === 1 ? styles.rest : undefined}>{field.name.slice(1)}</span>
              </span>
            ))
          : null}
      </div>
    </div>
  );
}
