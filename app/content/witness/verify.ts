/** Every <Num> of every MDX file: found, run on the reference backend, compared with its prose and with PyTorch's recorded value. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formats, ulpDistance } from '@/engine/formats/float-format';
import type { PyValue, Session } from '@/engine/session/session';
import { compileMdx } from '../mdx';
import { disagreement } from './shown';
import { elementsOf } from './value';
import { keyOf, PRELUDE, readFacts, type SourceWitness, type TorchFacts } from './witness';

/** Every MDX file that may hold a Num. */
export function mdxFiles(): readonly string[] {
  return ['content', 'exercises']
    .filter((root) => existsSync(root))
    .flatMap((root) => readdirSync(root, { recursive: true }).map((name) => join(root, String(name))))
    .filter((file) => file.endsWith('.mdx'))
    .sort();
}

export const witnessesOf = async (file: string): Promise<readonly SourceWitness[]> =>
  (await compileMdx(file)).witnesses;

/** file:line: <Num expr="…"> …, as every fault begins. */
const place = (file: string, { line, expr }: SourceWitness): string => `${file}:${line}: <Num expr="${expr}">`;

/** The value of one expression. Rejects with an Error that ends in Python's own message. */
export async function evaluate(
  session: Session,
  { expr, setup }: Pick<SourceWitness, 'expr' | 'setup'>,
): Promise<PyValue> {
  const ran = await session.run(`${PRELUDE}${setup}\n`);
  const result = ran.status === 'done' ? await session.evaluate(expr) : ran;
  if ('value' in result && result.value) return result.value;
  throw new Error(
    result.error ? `${result.error.type}: ${result.error.message}` : (result.reason ?? 'it gave no value'),
  );
}

/**
 * PyTorch's maths library and ours round float32 exp, log, sin and pow differently in the last places (docs/goldens.md: up to 4 ulp).
 * Sixteen-bit results are equal to the bit.
 */
const FLOAT32_ULP = 4;

function differsFromTorch(reference: PyValue, torch: PyValue): string | undefined {
  const ours = elementsOf(reference);
  const theirs = elementsOf(torch);
  const dtype = (value: PyValue) =>
    value.kind === 'tensor' ? `${value.dtype} [${value.shape.join(', ')}]` : value.kind;
  if (dtype(reference) !== dtype(torch) || ours.length !== theirs.length) {
    return `the reference gives ${dtype(reference)}, PyTorch ${dtype(torch)}`;
  }
  const bad = ours.findIndex((element, i) => {
    const other = theirs[i];
    if (element.text === other.text) return false;
    if (element.format !== 'float32' || element.number === undefined || other.number === undefined) return true;
    return ulpDistance(element.number, other.number, formats.float32) > FLOAT32_ULP;
  });
  return bad < 0 ? undefined : `element ${bad}: the reference gives ${ours[bad].text}, PyTorch ${theirs[bad].text}`;
}

/** What is wrong with one number; empty if nothing is. */
export function faultsOf(
  file: string,
  witness: SourceWitness,
  reference: PyValue,
  facts: TorchFacts | undefined,
): readonly string[] {
  const faults: string[] = [];
  const at = place(file, witness);
  const prose = disagreement(witness.shown, reference);
  if (prose) faults.push(`${at}: the page says "${witness.shown}"; on the reference backend, ${prose}`);
  const recorded = facts?.facts[keyOf(witness)];
  if (!facts || !recorded) {
    faults.push(
      `${at}: no PyTorch value is recorded; \`npm run facts -- PYTHON\` with a Python that has PyTorch records it`,
    );
    return faults;
  }
  const different = differsFromTorch(reference, recorded);
  if (different) faults.push(`${at}: ${different}`);
  const torchProse = different ? undefined : disagreement(witness.shown, recorded);
  if (torchProse && !prose)
    faults.push(`${at}: the page says "${witness.shown}"; with PyTorch ${facts.torch}, ${torchProse}`);
  return faults;
}

/** Facts beside `file` that no number needs any more. */
export function unusedFacts(file: string, witnesses: readonly SourceWitness[]): readonly string[] {
  const used = new Set(witnesses.map(keyOf));
  return Object.keys(readFacts(file)?.facts ?? {}).filter((key) => !used.has(key));
}

export const failure = (file: string, witness: SourceWitness, error: unknown): string =>
  `${place(file, witness)}: ${error instanceof Error ? error.message : String(error)}`;
