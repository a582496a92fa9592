/**
 * Numbers that witness themselves. Authors write
 *
 *     The largest finite float16 is <Num expr="torch.finfo(torch.float16).max">65504</Num>.
 *
 * The build runs the expression on the reference backend (scripts/witness.ts) and fails if the prose disagrees (shown.ts has the rule);
 * PyTorch's own value stands in torch-facts.json beside the MDX file. This remark plugin finds the numbers, and hands both values to the
 * component as its attribute `witness`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PyValue } from '@/engine/session/session';

/** Where scripts/witness.ts keeps the reference's values: { [key]: PyValue }. */
export const REFERENCE_VALUES = 'app/generated/witnesses.json';

/** One number as written. */
export interface SourceWitness {
  /** What is evaluated: plain PyTorch, without a device. */
  readonly expr: string;
  /** Statements before it, separated by semicolons or line breaks. */
  readonly setup: string;
  /** The text of the prose. */
  readonly shown: string;
  /** Line of the tag in the MDX source, frontmatter included, 1-based. */
  readonly line: number;
}

/** What PyTorch gave, recorded by `npm run facts`. */
export interface TorchFacts {
  /** torch.__version__. */
  readonly torch: string;
  readonly facts: Readonly<Record<string, PyValue>>;
}

/** What the component gets. */
export interface Witness {
  readonly reference: PyValue;
  readonly torch?: { readonly version: string; readonly value: PyValue };
}

/** Names that every expression may use. */
export const PRELUDE = 'import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n';

/** One name for one computation, in the generated file and in torch-facts.json. */
export const keyOf = ({ expr, setup }: Pick<SourceWitness, 'expr' | 'setup'>): string =>
  setup ? `${setup}; ${expr}` : expr;

/** The facts beside an MDX file; undefined if none were recorded. */
export const factsFile = (mdxFile: string): string => join(dirname(mdxFile), 'torch-facts.json');

const readJson = <T>(file: string): T | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;

export const readFacts = (mdxFile: string): TorchFacts | undefined => readJson<TorchFacts>(factsFile(mdxFile));

/** The parts of an mdast node that are read here. */
interface Node {
  type: string;
  name?: string;
  value?: string;
  attributes?: { type: string; name: string; value?: unknown }[];
  children?: Node[];
  position?: { start: { line: number } };
}

const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join('');

/** remark plugin; appends what it finds to `witnesses`. Throws on a Num without an expression or without text. */
export function remarkWitnesses(options: { file: string; witnesses: SourceWitness[] }) {
  const { file, witnesses } = options;
  const convert = (node: Node, values: Readonly<Record<string, PyValue>>, facts: TorchFacts | undefined): void => {
    const line = node.position?.start.line ?? 0;
    const fault = (what: string) => new Error(`${file}:${line}: <Num> ${what}`);
    const attribute = (name: string): string => {
      const value = node.attributes?.find((a) => a.name === name)?.value;
      if (value !== undefined && typeof value !== 'string')
        throw fault(`takes ${name}="…" as plain text, without braces`);
      return value?.trim() ?? '';
    };
    const expr = attribute('expr');
    if (!expr) throw fault('needs expr="…", the Python expression that gives the number');
    const shown = textOf(node).trim();
    if (!shown) throw fault(`"${expr}" needs the number as its text: <Num expr="${expr}">65504</Num>`);
    const witness: SourceWitness = { expr, setup: attribute('setup'), shown, line };
    witnesses.push(witness);
    const key = keyOf(witness);
    const reference = values[key];
    // Without a value (the file was edited after the last run of scripts/witness.ts) the component says so.
    if (!reference) return;
    const value = facts?.facts[key];
    const found: Witness = { reference, ...(facts && value ? { torch: { version: facts.torch, value } } : {}) };
    node.attributes?.push({ type: 'mdxJsxAttribute', name: 'witness', value: JSON.stringify(found) });
  };
  return (tree: Node) => {
    const values = readJson<Record<string, PyValue>>(REFERENCE_VALUES) ?? {};
    const facts = readFacts(file);
    const visit = (node: Node): void => {
      if (node.name === 'Num') convert(node, values, facts);
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
  };
}
