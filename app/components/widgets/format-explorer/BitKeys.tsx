'use client';
import { useRef, useState } from 'react';
import { nextDown, nextUp, toBits } from '@/engine/formats/float-format';
import styles from './BitKeys.module.css';
import { shortest } from './decimal';
import { Power } from './Power';
import { hexOf, type Rounded, toggleBit } from './rounding';
import { outcome } from './words';

interface Field {
  readonly name: 'sign' | 'exponent' | 'significand';
  /** Positions from the right, leftmost first. */
  readonly positions: readonly number[];
  /** What the field says. */
  readonly reading: React.ReactNode;
}

/**
 * The bits as keys. A click or Space toggles; the arrows left and right move, 0 and 1 write and move on, up and down go to the next value of
 * the format. One tab stop.
 */
export function BitKeys({ rounded, onBits }: { readonly rounded: Rounded; onBits(bits: number): void }) {
  const { format, bits } = rounded;
  const total = 1 + format.exponentBits + format.significandBits;
  const keys = useRef(new Map<number, HTMLButtonElement>());
  const [current, setCurrent] = useState(total - 1);
  const at = Math.min(current, total - 1);
  const focus = (position: number) => {
    const to = Math.max(0, Math.min(total - 1, position));
    setCurrent(to);
    keys.current.get(to)?.focus();
  };
  const isOne = (position: number) => Math.floor(bits / 2 ** position) % 2 === 1;

  const onKeyDown = (event: React.KeyboardEvent, position: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key === 'ArrowLeft') focus(position + 1);
    else if (key === 'ArrowRight') focus(position - 1);
    else if (key === 'Home') focus(total - 1);
    else if (key === 'End') focus(0);
    else if (key === '0' || key === '1') {
      if (isOne(position) !== (key === '1')) onBits(toggleBit(bits, position));
      focus(position - 1);
    } else if (key === 'ArrowUp' || key === 'ArrowDown') {
      const next = (key === 'ArrowUp' ? nextUp : nextDown)(rounded.value, format);
      onBits(toBits(next, format));
    } else return;
    event.preventDefault();
  };

  return (
    <div className={styles.keys} data-bits={hexOf(bits, format)}>
      {fieldsOf(rounded).map((field) => (
        <div
          key={field.name}
          className={`${styles.field} ${styles[field.name]}`}
          style={{ '--count': field.positions.length } as React.CSSProperties}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend of its own and can't be a flex row everywhere */}
          <div className={styles.row} role="group" aria-label={field.name}>
            {field.positions.map((position, index) => (
              <button
                key={position}
                ref={(element) => {
                  if (element) keys.current.set(position, element);
                  else keys.current.delete(position);
                }}
                type="button"
                className={styles.key}
                aria-pressed={isOne(position)}
                aria-label={keyName(field, index)}
                tabIndex={position === at ? 0 : -1}
                onFocus={() => setCurrent(position)}
                onClick={() => onBits(toggleBit(bits, position))}
                onKeyDown={(event) => onKeyDown(event, position)}
              >
                {isOne(position) ? '1' : '0'}
              </button>
            ))}
          </div>
          <p className={styles.reading}>
            <span className={styles.fieldName}>{field.name}</span> {field.reading}
          </p>
        </div>
      ))}
      <Readout rounded={rounded} />
    </div>
  );
}

/** What the bits say. */
function Readout({ rounded }: { readonly rounded: Rounded }) {
  const { tone, text } = outcome(rounded);
  return (
    <p className={styles.readout} role="status">
      <span className={styles.stored}>{shortest(rounded.value)}</span>
      <span className={styles.outcome} data-tone={tone}>
        {text}
      </span>
    </p>
  );
}

/** "exponent bit 4": bits are counted from 0 at the right, as their weights are. */
const keyName = (field: Field, index: number) =>
  field.name === 'sign' ? 'sign bit' : `${field.name} bit ${field.positions.length - 1 - index}`;

function fieldsOf(rounded: Rounded): readonly Field[] {
  const { format, sign, exponentField, significandField, exponent, kind } = rounded;
  const { exponentBits, significandBits } = format;
  const down = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i);
  const special = kind === 'infinity' || kind === 'nan';
  const fraction = significandField / 2 ** significandBits;
  const tiny = kind === 'subnormal' || kind === 'zero';
  return [
    { name: 'sign', positions: [exponentBits + significandBits], reading: sign === 1 ? '−' : '+' },
    {
      name: 'exponent',
      positions: down(exponentBits + significandBits - 1, exponentBits),
      reading: special ? (
        `${exponentField}: all ones`
      ) : (
        <>
          {tiny ? '0: subnormal, ' : `${exponentField} − ${format.bias}: `}
          <Power of={exponent} />
        </>
      ),
    },
    {
      name: 'significand',
      positions: down(significandBits - 1, significandBits),
      reading: special
        ? kind === 'nan'
          ? format.specials === 'ieee'
            ? 'not zero: nan'
            : 'all ones: nan'
          : 'zero: inf'
        : shortest((tiny ? 0 : 1) + fraction),
    },
  ];
}
