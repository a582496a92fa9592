'use client';
import Link from 'next/link';
import { usePathname } from 'next/navigation';

/** A link of the main navigation; says when it is where the reader is. */
export function NavLink({ href, children }: { readonly href: string; readonly children: React.ReactNode }) {
  const path = usePathname();
  const here = path === href ? 'page' : path.startsWith(href) ? 'true' : undefined;
  return (
    <Link href={href} aria-current={here}>
      {children}
    </Link>
  );
}
