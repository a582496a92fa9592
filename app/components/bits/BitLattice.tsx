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
  const spoken = `${value} in ${format}: ${fields.map((field) => `${field.name} ${field.digits}`).join(', ')}`;
  return (
    <div className={`${styles.lattice} ${styles[look]}`} role="img" aria-label={spoken}>
      {fields.map((field) => (
        <div
          key={field.name}
          className={`${styles.field} ${styles[field.name]}`}
          style={{ flexGrow: field.digits.length, flexBasis: 0 }}
        >
          <div className={styles.bits}>
            {[...field.digits].map((digit, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a bit is its position
              <span key={index} className={digit === '1' ? styles.one : styles.zero}>
                {look === 'digits' ? digit : null}
              </span>
            ))}
          </div>
          {legend ? <div className={styles.legend}>{field.name}</div> : null}
        </div>
      ))}
    </div>
  );
}
