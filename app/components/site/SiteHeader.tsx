import Link from 'next/link';
import { BitLattice } from '../bits/BitLattice';
import { NavLink } from './NavLink';
import styles from './SiteHeader.module.css';
import { ThemeToggle } from './ThemeToggle';

/** Skip link's successor: the wordmark (2^-24, the smallest float16 above zero, is its emblem), the main navigation, the theme. */
export function SiteHeader() {
  return (
    <header className={styles.header}>
      <div className={`page ${styles.row}`}>
        <Link href="/" className={styles.brand}>
          <span className={styles.emblem} aria-hidden="true">
            <BitLattice format="float16" pattern={0x0001} look="squares" />
          </span>
          Subnormal
        </Link>
        <nav aria-label="Main" className={styles.nav}>
          <NavLink href="/lessons/">Lessons</NavLink>
          <NavLink href="/exercises/">Exercises</NavLink>
          <NavLink href="/questions/">Questions</NavLink>
          <NavLink href="/interview/">Interview</NavLink>
          <NavLink href="/lab/">Lab</NavLink>
          <NavLink href="/formats/">Formats</NavLink>
        </nav>
        <ThemeToggle />
      </div>
    </header>
  );
}
