/** Exercises as they lie on disk: exercises/<slug>/exercise.mdx holds the prompt; the rest of the folder belongs to exercises/kit. */
import { type Entry, entries } from './discover';
import { ExerciseFrontmatter } from './frontmatter';

export type ExercisePage = Entry<ExerciseFrontmatter>;

export const exercises = (): Promise<readonly ExercisePage[]> =>
  entries('exercises', 'exercise.mdx', ExerciseFrontmatter);
