import { loadGenerator } from '@/app/content/generator';
import { highlightPython } from '@/app/content/highlighter';
import { drawQuestion } from '@/content/questions/kit/draw';
import { Drill } from './Drill';

export interface QuestionProps {
  /** Slug of a folder in content/questions. */
  readonly generator: string;
  /** Which question comes first, on the page itself; a number. */
  readonly seed?: string;
  /** The address names the question that is shown: `#seed=7`. For the generator's own page. */
  readonly linked?: boolean;
}

/** A prediction question from a generator, and as many more as the reader likes. The first one is in the page, engine or no engine. */
export async function Question({ generator: slug, seed = '0', linked = false }: QuestionProps) {
  if (!/^\d+$/.test(seed))
    throw new Error(`<Question generator="${slug}">: seed must be a whole number, not "${seed}"`);
  const generator = await loadGenerator(slug).catch(() => {
    throw new Error(`<Question generator="${slug}">: there is no content/questions/${slug}/generator.ts`);
  });
  const first = drawQuestion(slug, generator, Number(seed));
  const html = await highlightPython(first.code);
  return <Drill title={generator.title} first={first} firstHtml={html} linked={linked} />;
}
