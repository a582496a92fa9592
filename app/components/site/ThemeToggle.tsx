'use client';
import { useEffect, useState } from 'react';
import styles from './SiteHeader.module.css';
import { THEME_KEY, type Theme } from './theme';

const current = (): Theme =>
  (document.documentElement.dataset.theme as Theme | undefined) ??
  (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** Switches between the light and the dark theme and remembers the choice. */
export function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>();
  useEffect(() => {
    setTheme(current());
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(current());
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, []);

  const toggle = () => {
    const next: Theme = current() === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(THEME_KEY, next);
    } catch {
      // Storage is forbidden here: the choice holds for this page.
    }
    setTheme(next);
  };

  return (
    <button
      type="button"
      className={styles.theme}
      aria-pressed={theme === 'dark'}
      aria-label="Dark theme"
      onClick={toggle}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M10 2.75a7.25 7.25 0 0 1 0 14.5z" fill="currentColor" />
      </svg>
    </button>
  );
}
