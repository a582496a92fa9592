'use client';
import { useEffect, useRef, useState } from 'react';
import { KEY_MAP, written } from '@/app/components/runner/shortcuts';
import styles from './KeyboardMap.module.css';

/** Every shortcut in a dialog: by "?" where nobody is typing, or by its button. */
export function KeyboardMap() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [mac, setMac] = useState(false);

  useEffect(() => {
    setMac(/Mac|iP(hone|ad)/.test(navigator.platform));
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      event.preventDefault();
      if (!dialog.current?.open) dialog.current?.showModal();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <>
      <button type="button" className={styles.open} onClick={() => dialog.current?.showModal()}>
        Keyboard
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; the click is for its backdrop */}
      <dialog
        ref={dialog}
        className={styles.dialog}
        aria-labelledby="keyboard-map"
        onClick={(event) => event.target === dialog.current && dialog.current.close()}
      >
        <div className={styles.inner}>
          <div className={styles.head}>
            <h2 id="keyboard-map">Keyboard</h2>
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          {KEY_MAP.map(({ title, keys }) => (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <dl>
                {keys.map((shortcut) => (
                  <div key={shortcut.keys}>
                    <dt>
                      {written(shortcut.keys, mac).map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{shortcut.does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </dialog>
    </>
  );
}
