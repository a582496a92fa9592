'use client';
import { useEffect, useRef, useState } from 'react';
import { clockText } from '@/app/interviews/clock';
import styles from './interview.module.css';

/** Minutes left at which the clock speaks up. */
const SAID = [20, 10, 5, 2, 1];

/** The time that is left, for everyone to see; read aloud only now and then. */
export function RoomClock({ left, standing }: { readonly left: number; readonly standing: boolean }) {
  const [said, say] = useState('');
  const before = useRef(left);
  useEffect(() => {
    const passed = SAID.find((m) => before.current > m * 60_000 && left <= m * 60_000);
    if (passed) say(passed === 1 ? 'One minute left' : `${passed} minutes left`);
    before.current = left;
  }, [left]);
  return (
    <>
      <p className={styles.clock} role="timer" aria-label="Time left" data-late={left <= 120_000 || undefined}>
        <span data-clock={Math.ceil(left / 1000)}>{clockText(left)}</span>
        <span className={styles.clockNote}>{standing ? 'standing' : 'left'}</span>
      </p>
      <p className="visually-hidden" aria-live="polite">
        {said}
      </p>
    </>
  );
}
