import type { Metadata } from 'next';
import { LessonState } from '@/app/components/progress/LessonState';
import { NextUp } from '@/app/components/progress/NextUp';
import { ContentList } from '@/app/components/site/ContentList';
import { PageHead } from '@/app/components/site/PageHead';
import { course } from '@/app/content/course';
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
      <NextUp course={await course()} />
      <ContentList base="/lessons/" entries={await lessons()} state={(slug) => <LessonState slug={slug} />} />
    </div>
  );
}
