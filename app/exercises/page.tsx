import type { Metadata } from 'next';
import { ContentList } from '@/app/components/site/ContentList';
import { PageHead } from '@/app/components/site/PageHead';
import { exercises } from '@/app/content/exercises';

export const metadata: Metadata = {
  title: 'Exercises',
  description: 'Broken training loops and unstable formulas to repair, graded to the bit.',
};

export default async function Exercises() {
  return (
    <div className="page">
      <PageHead title="Exercises">
        <p>Code as an interviewer would hand it to you. Run it as often as you like; submit when you can defend it.</p>
      </PageHead>
      <ContentList base="/exercises/" entries={await exercises()} />
    </div>
  );
}
