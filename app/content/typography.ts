/** remark plugin: "straight" quotes and apostrophes in running text become “curly” ones, and 6 × 10⁻⁸ stays in one line. Code and formulas keep theirs. */

interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

/** Nodes whose text is quoted exactly. */
const LITERAL = new Set(['code', 'inlineCode', 'math', 'inlineMath', 'mdxTextExpression', 'mdxFlowExpression', 'yaml']);
/** Nodes inside a line of text: what stands before them decides whether a quote opens. */
const INLINE = new Set(['text', 'emphasis', 'strong', 'delete', 'link', 'mdxJsxTextElement', ...LITERAL]);

/** `text` with curly quotes, where `before` is the character in front of it ("" at the start of a block). */
export function curl(text: string, before = ''): string {
  let previous = before;
  let result = '';
  for (const character of text) {
    const opens = previous === '' || /[\s([{“‘–—]/.test(previous);
    const curled = character === '"' ? (opens ? '“' : '”') : character === "'" ? (opens ? '‘' : '’') : character;
    result += curled;
    previous = curled;
  }
  return result;
}

/** A product of numbers is not broken at its ×. */
export const unbroken = (text: string): string => text.replace(/(\d) × (?=\d)/g, '$1\u00a0×\u00a0');

export function remarkTypography() {
  return (tree: Node) => {
    let before = '';
    const visit = (node: Node) => {
      if (!INLINE.has(node.type)) before = '';
      if (node.type === 'text' && node.value) {
        node.value = unbroken(curl(node.value, before));
        before = node.value.at(-1) ?? before;
      } else if (LITERAL.has(node.type)) {
        before = 'x';
      }
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
  };
}
