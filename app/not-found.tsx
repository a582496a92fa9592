import Link from 'next/link';
import { BitLattice } from './components/bits/BitLattice';
import { PageHead } from './components/site/PageHead';

export default function NotFound() {
  return (
    <div className="page">
      <PageHead title="Not a page" kicker="404">
        <p>
          This address holds nothing that we know how to read. Try the <Link href="/lessons/">lessons</Link>, the{' '}
          <Link href="/exercises/">exercises</Link> or the <Link href="/lab/">lab</Link>.
        </p>
      </PageHead>
      <div style={{ maxWidth: 'var(--measure)' }}>
        <BitLattice format="float16" pattern={0x7e00} legend />
      </div>
    </div>
  );
}
