/** Reads exercise folders from the file system (Node only: the gate and the site's build). There is no list of exercises to keep. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Exercise } from './schema';

export interface ExerciseFolder {
  readonly slug: string;
  readonly exercise: Exercise;
  readonly starter: string;
  readonly solution: string;
  /** Sources of mistakes/*.py by name. */
  readonly mistakes: Readonly<Record<string, string>>;
}

const ROOT = path.join(process.cwd(), 'exercises');

/** Slugs of all exercise folders, sorted. A folder is one if it holds exercise.ts. */
export function exerciseSlugs(root = ROOT): string[] {
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((e) => e.isDirectory() && fs.existsSync(path.join(root, e.name, 'exercise.ts')))
    .map((e) => e.name)
    .sort();
}

/** Slugs of all lessons, for what an exercise says of them. */
export function lessonSlugs(root = path.join(process.cwd(), 'content', 'lessons')): string[] {
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((e) => e.isDirectory())
    .map((e) => e.name)
    .sort();
}

/** The Python files of an exercise, without loading exercise.ts. */
export function exerciseSources(slug: string, root = ROOT): Omit<ExerciseFolder, 'exercise'> {
  const dir = path.join(root, slug);
  const read = (name: string): string => {
    const file = path.join(dir, name);
    if (!fs.existsSync(file)) throw new Error(`exercises/${slug}/${name} is missing`);
    return fs.readFileSync(file, 'utf8');
  };
  const folder = path.join(dir, 'mistakes');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((f) => f.endsWith('.py')) : [];
  return {
    slug,
    starter: read('starter.py'),
    solution: read('solution.py'),
    mistakes: Object.fromEntries(names.sort().map((f) => [f.slice(0, -3), read(path.join('mistakes', f))])),
  };
}

/** Loads one folder; says which file is missing or doesn't fit. */
export async function loadExercise(slug: string, root = ROOT): Promise<ExerciseFolder> {
  const sources = exerciseSources(slug, root);
  const module = (await import(
    /* turbopackIgnore: true */ pathToFileURL(path.join(root, slug, 'exercise.ts')).href
  )) as { default?: Exercise };
  const exercise = module.default;
  if (!exercise)
    throw new Error(`exercises/${slug}/exercise.ts has no default export; use export default defineExercise({...})`);
  for (const name of Object.keys(exercise.mistakes)) {
    if (!(name in sources.mistakes)) throw new Error(`exercises/${slug}: mistake "${name}" has no mistakes/${name}.py`);
  }
  for (const name of Object.keys(sources.mistakes)) {
    if (!(name in exercise.mistakes))
      throw new Error(`exercises/${slug}: mistakes/${name}.py isn't described in exercise.ts`);
  }
  return { ...sources, exercise };
}
