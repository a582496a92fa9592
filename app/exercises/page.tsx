import type { Metadata } from 'next';
import { ExerciseList } from '@/app/components/progress/ExerciseList';
import { NextUp } from '@/app/components/progress/NextUp';
import { PageHead } from '@/app/components/site/PageHead';
import { course } from '@/app/content/course';

export const metadata: Metadata = {
  title: 'Exercises',
  description: 'Broken training loops and unstable formulas to repair, graded to the bit.',
};

export default async function Exercises() {
  const all = await course();
  return (
    <div className="page">
      <PageHead title="Exercises">
        <p>Code as an interviewer would hand it to you. Run it as often as you like; submit when you can defend it.</p>
      </PageHead>
      <NextUp course={all} />
      <ExerciseList course={all} />
    </div>
  );
}
