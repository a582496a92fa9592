import type { Metadata } from 'next';
import { ContentList } from '@/app/components/site/ContentList';
import { PageHead } from '@/app/components/site/PageHead';
import { lessons } from '@/app/content/lessons';

export const metadata: Metadata = {
  title: 'Lessons',
  description:
    'Mixed-precision training from the first overflow to the two-minute answer, each lesson with code that runs.',
};

export default async function Lessons() {
  return (
    <div className="page">
      <PageHead title="Lessons">
        <p>
          In order, each one builds on those before it. Every number in them is printed by a cell that you can run and
          change.
        </p>
      </PageHead>
      <ContentList base="/lessons/" entries={await lessons()} />
    </div>
  );
}
