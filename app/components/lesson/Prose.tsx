import { evaluateMdx } from '@/app/content/mdx';
import { vocabulary } from './vocabulary';

/** Compiled MDX with the course's vocabulary. */
export function Prose({ code }: { readonly code: string }) {
  const Content = evaluateMdx(code);
  return (
    <div className="prose">
      <Content components={vocabulary} />
    </div>
  );
}
