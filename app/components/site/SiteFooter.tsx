import Link from 'next/link';
import { KeyboardMap } from './KeyboardMap';
import styles from './SiteFooter.module.css';

export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      <div className={`page ${styles.row}`}>
        <p>Everything runs in this tab: your Python, the engine, your GPU. Nothing that you write leaves it.</p>
        <div className={styles.links}>
          <KeyboardMap />
          <nav aria-label="Footer">
            <Link href="/lessons/">Lessons</Link>
            <Link href="/exercises/">Exercises</Link>
            <Link href="/lab/">Lab</Link>
          </nav>
        </div>
      </div>
    </footer>
  );
}
