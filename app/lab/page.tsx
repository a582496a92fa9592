import type { Metadata } from 'next';
import { PageHead } from '@/app/components/site/PageHead';
import { highlightPython } from '@/app/content/highlighter';
import { labExamples } from './examples';
import { Lab } from './Lab';

export const metadata: Metadata = {
  title: 'Lab',
  description:
    'Run any script against torch, in your browser. Share it by link: whoever opens it sees the code before it runs.',
};

export default async function LabPage() {
  const examples = await Promise.all(
    labExamples().map(async (example) => ({ ...example, html: await highlightPython(example.code) })),
  );
  return (
    <div className="page">
      <PageHead title="Lab">
        <p>Any script, against torch, in your browser. Nothing is sent anywhere.</p>
      </PageHead>
      <Lab examples={examples} />
    </div>
  );
}
