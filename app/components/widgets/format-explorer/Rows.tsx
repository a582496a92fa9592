'use client';
import { shortest } from './decimal';
import styles from './Rows.module.css';
import { hexOf, type Rounded } from './rounding';
import type { Explorer } from './useExplorer';
import { outcome } from './words';

/** The widest exponent of the six formats: the picture has a column for each bit, aligned where exponent and significand meet. */
const EXPONENT = 8;

/** The number in every format, one under the other: what each keeps of range (to the left) and of precision (to the right). */
export function Rows({ explorer }: { readonly explorer: Explorer }) {
  return (
    <section aria-label="In every format" className={styles.rows}>
      {explorer.all.map((rounded) => (
        <Row
          key={rounded.format.name}
          rounded={rounded}
          selected={rounded.format.name === explorer.format}
          onSelect={() => explorer.select(rounded.format.name)}
        />
      ))}
    </section>
  );
}

function Row({
  rounded,
  selected,
  onSelect,
}: {
  readonly rounded: Rounded;
  readonly selected: boolean;
  onSelect(): void;
}) {
  const { format, value, bits } = rounded;
  const { tone, text } = outcome(rounded);
  return (
    <div className={styles.row} data-format={format.name} data-selected={selected}>
      <button type="button" className={styles.name} aria-pressed={selected} onClick={onSelect}>
        {format.name}
        <span className={styles.layout}>
          1 + {format.exponentBits} + {format.significandBits}
        </span>
      </button>
      <Picture rounded={rounded} />
      <span className={styles.value} data-value>
        <span data-number>{shortest(value)}</span>
        <span className={styles.hex}>{hexOf(bits, format)}</span>
      </span>
      <span className={styles.outcome} data-tone={tone}>
        {text}
      </span>
    </div>
  );
}

function Picture({ rounded }: { readonly rounded: Rounded }) {
  const { format, bits } = rounded;
  const { exponentBits, significandBits } = format;
  const digits = bits.toString(2).padStart(1 + exponentBits + significandBits, '0');
  const start = EXPONENT - exponentBits;
  return (
    <span className={styles.picture} aria-hidden="true">
      {[...digits].map((digit, index) => {
        const field = index === 0 ? 'sign' : index <= exponentBits ? 'exponent' : 'significand';
        // Columns: sign, a gap, exponents to the right of their field, a gap, significand.
        const column =
          field === 'sign' ? 1 : field === 'exponent' ? 2 + start + index : 3 + EXPONENT + index - exponentBits;
        return (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a bit is its position
            key={index}
            data-field={field}
            data-one={digit === '1'}
            style={{ gridColumn: column }}
          />
        );
      })}
    </span>
  );
}
