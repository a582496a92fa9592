/** Two small rehype plugins: second-level headings for the table of contents, and a scrollable box around each table. */

export interface Heading {
  readonly id: string;
  readonly text: string;
}

interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

const textOf = (node: Node): string =>
  node.type === 'text' ? (node.value ?? '') : (node.children ?? []).map(textOf).join('');

/** Runs after rehype-slug, which makes the ids. */
export function rehypeHeadings(headings: Heading[]) {
  return (tree: Node) => {
    for (const node of tree.children ?? []) {
      if (node.tagName === 'h2') headings.push({ id: String(node.properties?.id), text: textOf(node) });
    }
  };
}

/** On a phone a wide table scrolls by itself; a keyboard can reach it, and a screen reader hears what it is. */
export function rehypeTables() {
  return (tree: Node) => {
    const visit = (node: Node) => {
      node.children = node.children?.map((child) => {
        visit(child);
        return child.tagName === 'table'
          ? {
              type: 'element',
              tagName: 'div',
              properties: { className: ['table'], role: 'group', ariaLabel: 'Table', tabIndex: 0 },
              children: [child],
            }
          : child;
      });
    };
    visit(tree);
  };
}
