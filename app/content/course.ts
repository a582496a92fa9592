/** The whole course as lists and suggestions need it: plain data that may cross to the browser. */
import { exerciseSlugs } from '@/exercises/kit/discover';
import type { Exercise } from '@/exercises/kit/schema';
import { exercises } from './exercises';
import { lessons } from './lessons';

export interface CourseLesson {
  readonly slug: string;
  readonly title: string;
  readonly minutes: number;
}

export interface CourseExercise {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly minutes: number;
  readonly kind: Exercise['kind'];
  readonly level: Exercise['level'];
  /** Slugs of lessons, the closest first. */
  readonly prerequisites: readonly string[];
  readonly version: number;
}

export interface Course {
  /** In course order. */
  readonly lessons: readonly CourseLesson[];
  readonly exercises: readonly CourseExercise[];
}

export async function course(): Promise<Course> {
  const [allLessons, pages] = await Promise.all([lessons(), exercises()]);
  const folders = new Set(exerciseSlugs());
  return {
    lessons: allLessons.map(({ slug, frontmatter: { title, minutes } }) => ({ slug, title, minutes })),
    exercises: await Promise.all(
      pages
        .filter(({ slug }) => folders.has(slug))
        .map(async ({ slug, frontmatter: { title, summary, minutes } }) => {
          const { default: exercise } = (await import(`@/exercises/${slug}/exercise`)) as { default: Exercise };
          const { kind, level, prerequisites, version } = exercise;
          return { slug, title, summary, minutes, kind, level, prerequisites, version };
        }),
    ),
  };
}
