/**
 * Runnable cells in MDX. Authors write
 *
 *     <Cell id="forward-overflow" title="A forward overflow">
 *     ```python
 *     print(…)
 *     ```
 *     ```output
 *     inf
 *     ```
 *     </Cell>
 *
 * and this remark plugin turns the fences into the attributes `code` and `expected`. The Python fence stays as the still picture
 * that a reader without JavaScript sees; the output fence goes, since Cell shows it. Gates read the same list and run it.
 */

/** One cell as written: what runs, what it must print, and where it stands. */
export interface SourceCell {
  readonly id: string;
  readonly code: string;
  /** Exactly what Python prints; undefined if the author gave no output fence. */
  readonly expected: string | undefined;
  /** Line of the Cell tag in the MDX source, frontmatter included, 1-based. */
  readonly line: number;
}

/** The parts of an mdast node that are read here. */
interface Node {
  type: string;
  name?: string;
  lang?: string | null;
  value?: string;
  attributes?: { type: string; name: string; value?: unknown }[];
  children?: Node[];
  position?: { start: { line: number } };
}

const attribute = (node: Node, name: string) => node.attributes?.find((a) => a.name === name)?.value;

/** remark plugin; appends what it finds to `cells`. Throws on a cell without id, with a used id, or without exactly one Python fence. */
export function remarkCells(options: { file: string; cells: SourceCell[] }) {
  const { file, cells } = options;
  const visit = (node: Node): void => {
    if (node.name === 'Cell') convert(node);
    for (const child of node.children ?? []) visit(child);
  };
  const convert = (node: Node): void => {
    const line = node.position?.start.line ?? 0;
    const fault = (what: string) => new Error(`${file}:${line}: <Cell> ${what}`);
    const id = attribute(node, 'id');
    if (typeof id !== 'string' || !id) throw fault('needs an id="…" of its own: a reader’s edits are kept under it');
    if (cells.some((cell) => cell.id === id)) throw fault(`has the id "${id}", which an earlier cell has too`);
    const fences = (node.children ?? []).filter((child) => child.type === 'code');
    const python = fences.filter((fence) => fence.lang === 'python');
    const outputs = fences.filter((fence) => fence.lang === 'output');
    if (python.length !== 1) throw fault(`"${id}" must hold exactly one \`\`\`python fence, has ${python.length}`);
    if (outputs.length > 1) throw fault(`"${id}" may hold one \`\`\`output fence, has ${outputs.length}`);
    const code = python[0].value ?? '';
    const expected = outputs.length === 1 ? `${outputs[0].value ?? ''}\n` : undefined;
    node.children = node.children?.filter((child) => child !== outputs[0]);
    node.attributes?.push({ type: 'mdxJsxAttribute', name: 'code', value: code });
    if (expected !== undefined) node.attributes?.push({ type: 'mdxJsxAttribute', name: 'expected', value: expected });
    cells.push({ id, code, expected, line });
  };
  return (tree: Node) => visit(tree);
}
