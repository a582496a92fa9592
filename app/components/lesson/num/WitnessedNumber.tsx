'use client';
import { lazy, Suspense, useCallback, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { warmUp } from '@/app/components/runner/session';
import type { Witness } from '@/app/content/witness/witness';
import styles from './Num.module.css';

const loadPanel = () => import('./WitnessPanel');
const WitnessPanel = lazy(loadPanel);

export interface WitnessedNumberProps {
  readonly expr: string;
  /** Runs before the expression. */
  readonly script: string;
  readonly witness: Witness;
  readonly children: React.ReactNode;
}

const never = () => () => undefined;
/** False while the server's HTML is on show: without JavaScript a number is plain text, not a button that does nothing. */
const useScripted = () =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );

export function WitnessedNumber({ expr, script, witness, children }: WitnessedNumberProps) {
  const scripted = useScripted();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const prepare = () => {
    warmUp();
    loadPanel().catch(() => undefined);
  };
  if (!scripted) return <span data-witness={expr}>{children}</span>;
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.number}
        data-witness={expr}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.text}>{children}</span>
      </button>
      {open
        ? createPortal(
            <Suspense fallback={null}>
              <WitnessPanel anchor={button} expr={expr} script={script} witness={witness} onClose={close} />
            </Suspense>,
            document.body,
          )
        : null}
    </>
  );
}
