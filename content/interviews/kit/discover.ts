/** Reads interview folders from the file system (Node only: the gate and the site's build). There is no list of interviews to keep. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ExerciseFolder, loadExercise } from '@/exercises/kit/discover';
import type { RunSources } from './evidence';
import type { Interview } from './schema';

export interface InterviewFolder {
  readonly slug: string;
  readonly interview: Interview;
  readonly sources: RunSources;
  /** The fix, an exercise of its own in the folder fix/. */
  readonly fix: ExerciseFolder;
}

const ROOT = path.join(process.cwd(), 'content', 'interviews');

/** Slugs of all interviews, sorted. A folder is one if it holds interview.ts. */
export function interviewSlugs(root = ROOT): string[] {
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((e) => e.isDirectory() && fs.existsSync(path.join(root, e.name, 'interview.ts')))
    .map((e) => e.name)
    .sort();
}

/** The Python of an interview's run. */
export function runSources(slug: string, root = ROOT): RunSources {
  const read = (...parts: string[]): string => {
    const file = path.join(root, ...parts);
    if (!fs.existsSync(file)) throw new Error(`content/interviews/${parts.join('/')} is missing`);
    return fs.readFileSync(file, 'utf8');
  };
  return {
    run: read(slug, 'run.py'),
    scenario: read(slug, 'scenario.py'),
    instruments: read('kit', 'instruments.py'),
  };
}

/** The root under which the kit of exercises finds an interview's fix as the exercise "fix". */
export const fixRoot = (slug: string, root = ROOT): string => path.join(root, slug);

/** Loads one folder; says which file is missing or doesn't fit. */
export async function loadInterview(slug: string, root = ROOT): Promise<InterviewFolder> {
  const module = (await import(
    /* turbopackIgnore: true */ pathToFileURL(path.join(root, slug, 'interview.ts')).href
  )) as { default?: Interview };
  if (!module.default) {
    throw new Error(
      `content/interviews/${slug}/interview.ts has no default export; use export default defineInterview({...})`,
    );
  }
  return {
    slug,
    interview: module.default,
    sources: runSources(slug, root),
    fix: await loadExercise('fix', fixRoot(slug, root)),
  };
}
