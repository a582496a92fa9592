/** Lessons as they lie on disk: content/lessons/<slug>/lesson.mdx. A folder is a lesson; there is no list to edit. */
import { type Entry, entries } from './discover';
import { LessonFrontmatter } from './frontmatter';

export type Lesson = Entry<LessonFrontmatter>;

/** All lessons in course order. Throws if one is malformed, or requires a lesson that doesn't exist or comes later. */
export async function lessons(): Promise<readonly Lesson[]> {
  const all = await entries('content/lessons', 'lesson.mdx', LessonFrontmatter);
  for (const [index, lesson] of all.entries()) {
    for (const slug of lesson.frontmatter.requires) {
      const at = all.findIndex((other) => other.slug === slug);
      if (at < 0) throw new Error(`${lesson.file}: requires "${slug}", which is no lesson`);
      if (at >= index) throw new Error(`${lesson.file}: requires "${slug}", whose order is not lower than its own`);
    }
  }
  return all;
}
