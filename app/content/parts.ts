/**
 * What a text is made of, as written: its components in order, its links, its headings, how it opens, and how many words it has.
 * The gate of the lessons (lesson-parts.ts) reads it. A remark plugin, run before those that change the tree.
 */

/** One component of the vocabulary, where it stands. */
export interface SourcePart {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether there is text inside. */
  readonly filled: boolean;
  /** Line of its tag in the MDX source, frontmatter included, 1-based. */
  readonly line: number;
}

export interface SourceLink {
  readonly href: string;
  readonly line: number;
}

export interface SourceParts {
  readonly parts: SourcePart[];
  readonly links: SourceLink[];
  /** Running text before the first heading and the first component that stands by itself. */
  opening: string;
  /** Words of prose, see `wordsOf`. */
  words: number;
}

/** Attributes that the reader reads as text. */
const SPOKEN = new Set(['question', 'choices', 'says', 'q', 'caption', 'title']);
/** Not prose: what Python runs and prints, and formulas. */
const SILENT = new Set(['code', 'math', 'inlineMath', 'yaml', 'html']);
/** A line of text is made of these; any other node is a block of its own. */
const INLINE = new Set(['text', 'inlineCode', 'emphasis', 'strong', 'delete', 'link', 'mdxJsxTextElement', 'break']);

/** The parts of an mdast node that are read here. */
interface Node {
  type: string;
  name?: string | null;
  url?: string;
  value?: string;
  attributes?: { type: string; name?: string; value?: unknown }[];
  children?: Node[];
  position?: { start: { line: number } };
}

const isComponent = (node: Node): boolean => /^mdxJsx(Flow|Text)Element$/.test(node.type);

function textOf(node: Node): string {
  if (SILENT.has(node.type)) return '';
  if (node.value !== undefined) return node.value;
  return (node.children ?? []).map((child) => (INLINE.has(child.type) ? textOf(child) : ` ${textOf(child)} `)).join('');
}

/**
 * Words of prose: runs of characters between spaces that hold a letter or a digit, in headings, paragraphs, lists, tables and the texts of
 * components, questions and choices included. Code, its output and formulas are no prose; `float16` within a sentence is a word.
 */
export const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export const noParts = (): SourceParts => ({ parts: [], links: [], opening: '', words: 0 });

/** remark plugin; fills `into`. */
export function remarkParts(into: SourceParts) {
  return (tree: Node) => {
    const visit = (node: Node): void => {
      const line = node.position?.start.line ?? 0;
      if (node.type === 'link' && node.url !== undefined) into.links.push({ href: node.url, line });
      if (isComponent(node) && node.name) {
        const attributes = Object.fromEntries(
          (node.attributes ?? []).flatMap((a) => (a.name && typeof a.value === 'string' ? [[a.name, a.value]] : [])),
        );
        into.parts.push({ name: node.name, attributes, filled: textOf(node).trim() !== '', line });
        for (const [name, value] of Object.entries(attributes)) if (SPOKEN.has(name)) into.words += wordsOf(value);
      }
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
    into.words += wordsOf(textOf(tree));
    const blocks = tree.children ?? [];
    const end = blocks.findIndex((block) => block.type === 'heading' || block.type === 'mdxJsxFlowElement');
    into.opening = blocks
      .slice(0, end < 0 ? blocks.length : end)
      .map(textOf)
      .join(' ')
      .trim();
  };
}
