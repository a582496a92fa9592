import type { Metadata } from 'next';
import Link from 'next/link';
import { MisconceptionsMet } from '@/app/components/question/MisconceptionsMet';
import list from '@/app/components/site/ContentList.module.css';
import { PageHead } from '@/app/components/site/PageHead';
import { questions } from '@/app/content/questions';

export const metadata: Metadata = {
  title: 'Questions',
  description:
    'Predict what half precision prints. Endless questions, answered by the engine; every wrong answer says what it would take to believe it.',
};

export default async function Questions() {
  const all = await questions();
  return (
    <div className="page">
      <PageHead title="Questions">
        <p>
          Predict before you run. Each kind draws as many questions as you like, and every wrong answer names the belief
          behind it.
        </p>
      </PageHead>
      <ol className={list.list}>
        {all.map(({ slug, title, summary }, index) => (
          <li key={slug} className={list.item}>
            <span className={list.number} aria-hidden="true">
              {String(index + 1).padStart(2, '0')}
            </span>
            <div className={list.text}>
              <h2 className={list.title}>
                <Link href={`/questions/${slug}/`}>{title}</Link>
              </h2>
              <p>{summary}</p>
            </div>
          </li>
        ))}
      </ol>
      <MisconceptionsMet titles={Object.fromEntries(all.map(({ slug, title }) => [slug, title]))} />
    </div>
  );
}
