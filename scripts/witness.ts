/**
 * Runs the expression of every <Num> on the reference backend and writes the values for the pages (app/generated/witnesses.json).
 * prepare.mjs calls it. A number that its prose contradicts fails the build; `--lenient` (the development server) only says so.
 *
 *     npm run facts -- PYTHON     records what PyTorch gives, with a Python that has it, in torch-facts.json beside each MDX file
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { disagreement } from '../app/content/witness/shown';
import { evaluate, failure, mdxFiles, witnessesOf } from '../app/content/witness/verify';
import {
  factsFile,
  keyOf,
  PRELUDE,
  REFERENCE_VALUES,
  type SourceWitness,
  type TorchFacts,
} from '../app/content/witness/witness';
import { NodeSession } from '../engine/session/node';
import type { PyValue } from '../engine/session/session';

async function allWitnesses() {
  const all = new Map<string, readonly SourceWitness[]>();
  for (const file of mdxFiles()) all.set(file, await witnessesOf(file));
  return all;
}

async function writeReferenceValues(lenient: boolean): Promise<void> {
  const session = new NodeSession();
  const values: Record<string, PyValue> = {};
  const faults: string[] = [];
  for (const [file, witnesses] of await allWitnesses()) {
    for (const witness of witnesses) {
      try {
        const value = (values[keyOf(witness)] ??= await evaluate(session, witness));
        const wrong = disagreement(witness.shown, value);
        if (wrong)
          faults.push(failure(file, witness, `the page says "${witness.shown}"; on the reference backend, ${wrong}`));
      } catch (error) {
        faults.push(failure(file, witness, error));
      }
    }
  }
  session.close();
  mkdirSync(dirname(REFERENCE_VALUES), { recursive: true });
  writeFileSync(REFERENCE_VALUES, JSON.stringify(values));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0 && !lenient) process.exitCode = 1;
}

async function recordFacts(python: string): Promise<void> {
  for (const [file, witnesses] of await allWitnesses()) {
    const to = factsFile(file);
    if (witnesses.length === 0) {
      rmSync(to, { force: true });
      continue;
    }
    const wanted = witnesses.map((witness) => ({ key: keyOf(witness), expr: witness.expr, setup: witness.setup }));
    const child = spawnSync(python, ['scripts/record_facts.py'], {
      input: JSON.stringify({ prelude: PRELUDE, wanted }),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (child.error || child.status !== 0) {
      throw new Error(`${file}: ${python} could not record the facts${child.error ? `: ${child.error.message}` : ''}`);
    }
    const { torch, facts } = JSON.parse(child.stdout) as TorchFacts;
    // One line a fact, sorted: two people's changes merge.
    const lines = Object.keys(facts)
      .sort()
      .map((key) => `    ${JSON.stringify(key)}: ${JSON.stringify(facts[key])}`);
    writeFileSync(to, `{\n  "torch": ${JSON.stringify(torch)},\n  "facts": {\n${lines.join(',\n')}\n  }\n}\n`);
    console.log(`${to}: ${lines.length} facts of PyTorch ${torch}`);
  }
}

const [command, python] = process.argv.slice(2);
try {
  if (command === 'facts') {
    if (!python) throw new Error('npm run facts -- PYTHON: name a Python that has PyTorch, /opt/torch/bin/python say');
    await recordFacts(python);
  } else await writeReferenceValues(command === '--lenient');
} catch (error) {
  console.error(`witness: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
