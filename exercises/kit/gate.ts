/**
 * The exercise gate: what must hold for a folder before anyone is graded by it. Everything is proved by running: the solution passes, the starter
 * runs and doesn't, every known mistake fails its own check with its own message and no other's, and mutants that no exercise may accept fail.
 */
import type { Session } from '../../engine/session/session';
import { type ExerciseFolder, lessonSlugs } from './discover';
import { grade, type Verdict } from './grade';

export interface GateResult {
  readonly claim: string;
  readonly passed: boolean;
  /** What happened instead. */
  readonly why?: string;
}

/** Fixed, so that a red gate is red again; learners' submissions draw fresh ones. */
const SEEDS = [1, 20261130, 0x7ffffffe];

/** Wrong versions of any function, made from the solution: none may pass anywhere. */
const MUTANTS: Readonly<Record<string, (fn: string) => string>> = {
  'returns a constant': (fn) => `def ${fn}(*args, **kwargs):\n    import torch\n    return torch.zeros(())\n`,
  'returns its first input': (fn) => `def ${fn}(first, *args, **kwargs):\n    return first\n`,
  'returns the wrong dtype': (fn) =>
    `_right_${fn} = ${fn}\ndef ${fn}(*args, **kwargs):\n    return _right_${fn}(*args, **kwargs).double()\n`,
  'returns the wrong shape': (fn) =>
    `_right_${fn} = ${fn}\ndef ${fn}(*args, **kwargs):\n    return _right_${fn}(*args, **kwargs).unsqueeze(0)\n`,
  'returns a broadcastable shape': (fn) =>
    `_right_${fn} = ${fn}\ndef ${fn}(*args, **kwargs):\n    y = _right_${fn}(*args, **kwargs)\n    return y.reshape(1, *y.shape)\n`,
  'returns NaN': (fn) =>
    `_right_${fn} = ${fn}\ndef ${fn}(*args, **kwargs):\n    return _right_${fn}(*args, **kwargs) * float("nan")\n`,
  'returns nothing': (fn) => `def ${fn}(*args, **kwargs):\n    return None\n`,
};

export async function* gate(folder: ExerciseFolder, session: Session): AsyncGenerator<GateResult> {
  const { exercise, mistakes } = folder;
  const attempt = (code: string, seed: number, shrinking = false): Promise<Verdict> =>
    grade(exercise, code, session, { seed, mistakes, shrinking });

  yield* parts(folder);

  for (const seed of SEEDS) {
    const verdict = await attempt(folder.solution, seed);
    yield claim(`the solution is graded solved (seed ${seed})`, verdict.solved, () => failures(verdict));
  }

  const starter = await attempt(folder.starter, SEEDS[0] as number, true);
  yield claim('the starter runs', starter.checks.find((c) => c.id === 'runs')?.status === 'pass', () =>
    failures(starter),
  );
  yield claim('the starter is not solved', !starter.solved, () => 'it passes every check');

  yield claim(
    'there are at least four known mistakes',
    Object.keys(mistakes).length >= 4,
    () => `there are ${Object.keys(mistakes).length}`,
  );
  for (const [name, source] of Object.entries(mistakes)) {
    const expected = exercise.mistakes[name];
    if (!expected) continue;
    const verdict = await attempt(source, SEEDS[0] as number);
    const check = verdict.checks.find((c) => c.id === expected.fails);
    yield claim(`mistake ${name} fails "${expected.fails}"`, check?.status === 'fail', () => failures(verdict));
    const shown = verdict.checks.flatMap((c) => (c.fingerprint ? [c.fingerprint.mistake] : []));
    // The kit's own checks say it themselves; everything else is recognised by its bits.
    const recognised = expected.fails === 'own-work' ? shown.length === 0 : shown.length === 1 && shown[0] === name;
    yield claim(
      `mistake ${name} gets its own message and no other's`,
      recognised,
      () => `messages shown: ${shown.join(', ') || 'none'}; ${failures(verdict)}`,
    );
  }

  for (const fn of exercise.functions) {
    for (const [what, mutate] of Object.entries(MUTANTS)) {
      const verdict = await attempt(`${folder.solution}\n\n${mutate(fn)}`, SEEDS[0] as number);
      yield claim(`a ${fn} that ${what} is not solved`, !verdict.solved, () => 'it passes every check');
    }
  }
}

/** What a learner is shown around the checks, where it can be wrong: nothing of it runs. */
function* parts({ exercise, starter, solution }: ExerciseFolder): Generator<GateResult> {
  yield claim('it has at least two hints', exercise.hints.length >= 2, () => `it has ${exercise.hints.length}`);
  yield claim(
    'it says what an interviewer asks next',
    exercise.followUps.length >= 2,
    () => `followUps has ${exercise.followUps.length}, wanted at least two`,
  );
  const lessons = lessonSlugs();
  const unknown = exercise.prerequisites.filter((slug) => !lessons.includes(slug));
  yield claim(
    'its prerequisites are lessons',
    exercise.prerequisites.length > 0 && unknown.length === 0,
    () => `no such lesson: ${unknown.join(', ') || '(none is named)'}`,
  );
  const strange = exercise.stages.filter((stage) => !`\n${solution}`.includes(`\n${stage.code}\n`));
  yield claim(
    'the code of each stage stands in solution.py as it is',
    strange.length === 0,
    () => `not in solution.py: ${strange.map((s) => s.title).join(', ')}`,
  );
  const lines = (text: string) => text.split('\n').map((line) => line.trimEnd());
  const known = new Set([...lines(starter), ...exercise.stages.flatMap((s) => lines(s.code))]);
  const untold = lines(functionsOf(solution)).filter((line) => !known.has(line));
  yield claim(
    'the stages hold every line of the functions that the starter lacks',
    exercise.stages.length >= 2 && untold.length === 0,
    () => (untold.length === 0 ? 'there are fewer than two stages' : `in no stage: ${untold.join(' ⏎ ')}`),
  );
}

/** The top-level functions of a script, without what it runs itself. */
function functionsOf(source: string): string {
  let inside = false;
  return source
    .split('\n')
    .filter((line) => {
      if (/^\S/.test(line)) inside = line.startsWith('def ');
      return inside;
    })
    .join('\n');
}

const claim = (text: string, passed: boolean, why: () => string): GateResult =>
  passed ? { claim: text, passed } : { claim: text, passed, why: why() };

const failures = (verdict: Verdict): string =>
  verdict.checks
    .filter((c) => c.status !== 'pass')
    .map(
      (c) =>
        `${c.id} ${c.status}: ${c.message ?? ''}${c.counterexample ? ` [${c.counterexample.call} → ${c.counterexample.result ?? ''}]` : ''}`,
    )
    .join('; ') || 'every check passes';
