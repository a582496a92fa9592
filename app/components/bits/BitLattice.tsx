import styles from './BitLattice.module.css';

/** How many exponent bits stand after the sign; the rest is significand. */
const EXPONENT_BITS = { float16: 5, bfloat16: 8, float32: 8 } as const;
const BITS = { float16: 16, bfloat16: 16, float32: 32 } as const;

export type LatticeFormat = keyof typeof EXPONENT_BITS;

export interface BitLatticeProps {
  readonly format: LatticeFormat;
  /** The bit pattern as an unsigned integer: 0x7c00. */
  readonly pattern: number;
  /** What the pattern means, for those who don't see it: "inf". */
  readonly means: string;
  /** 'digits' for reading, 'squares' as an emblem. */
  readonly look?: 'digits' | 'squares';
  /** Names of the three fields underneath. */
  readonly legend?: boolean;
}

/** One floating-point number as a row of bits: sign, exponent, significand. A picture to assistive technology. */
export function BitLattice({ format, pattern, means, look = 'digits', legend = false }: BitLatticeProps) {
  const digits = (pattern >>> 0).toString(2).padStart(BITS[format], '0');
  const exponent = EXPONENT_BITS[format];
  const fields = [
    { name: 'sign', digits: digits.slice(0, 1) },
    { name: 'exponent', digits: digits.slice(1, 1 + exponent) },
    { name: 'significand', digits: digits.slice(1 + exponent) },
  ];
  const spoken = `${format} ${means}: ${fields.map((field) => `${field.name} ${field.digits}`).join(', ')}`;
  return (
    <div className={`${styles.lattice} ${styles[look]}`} role="img" aria-label={spoken} data-format={format}>
      {fields.map((field) => (
        <div key={field.name} className={`${styles.field} ${styles[field.name]}`} style={{ flexGrow: field.digits.length }}>
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
