import type { Metadata } from 'next';
import { InterviewList } from '@/app/components/interview/InterviewList';
import { PageHead } from '@/app/components/site/PageHead';
import { interviews } from '@/app/content/interviews';

export const metadata: Metadata = {
  title: 'Mock interviews',
  description:
    'A run that misbehaves, an interviewer who asks back, a clock: diagnose it with evidence, write the fix, and get a verdict made of what you did.',
};

export default async function Interviews() {
  const all = (await interviews()).map(({ slug, interview: { title, summary } }) => ({ slug, title, summary }));
  return (
    <div className="page">
      <PageHead title="Mock interviews">
        <p>
          A training run misbehaves, and an interviewer wants to know why. Ask for evidence, each piece at a price in
          minutes; say what is wrong and cite what shows it; write the fix. The verdict is made of what you did.
        </p>
      </PageHead>
      <InterviewList entries={all} />
    </div>
  );
}
