/** What stands at the top of a lesson.mdx or exercise.mdx, and the errors for what doesn't. */
import * as v from 'valibot';

const sentence = v.pipe(v.string(), v.trim(), v.nonEmpty('must not be empty'));
const slug = v.pipe(v.string(), v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be a slug such as "loss-scaling"'));

const shared = {
  title: sentence,
  /** One or two sentences for indexes and search results. */
  summary: sentence,
  /** Reading and doing, for someone who meets it for the first time. */
  minutes: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(120)),
  /** Slugs of lessons that this one builds on. */
  requires: v.optional(v.array(slug), []),
  /** What the reader can say or do afterwards; each completes "You will be able to …". */
  teaches: v.optional(v.array(sentence), []),
  /** Place in the course, ascending. Leave gaps: 10, 20, 30. */
  order: v.number(),
};

export const LessonFrontmatter = v.strictObject({
  ...shared,
  /** A bit pattern that stands for the lesson in indexes: "float16 0x7c00". */
  emblem: v.optional(
    v.pipe(v.string(), v.regex(/^(float16|bfloat16) 0x[0-9a-f]{4}$/, 'must look like "float16 0x7c00"')),
  ),
});
export const ExerciseFrontmatter = v.strictObject({
  ...shared,
  /** The lesson that prepares for it. */
  lesson: v.optional(slug),
});

export type LessonFrontmatter = v.InferOutput<typeof LessonFrontmatter>;
export type ExerciseFrontmatter = v.InferOutput<typeof ExerciseFrontmatter>;

/**
 * `data` checked against `schema`. Throws an Error that names the file and, line by line, each key that is missing, unknown or wrong.
 */
export function parseFrontmatter<Schema extends v.GenericSchema>(
  schema: Schema,
  data: unknown,
  file: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, data);
  if (result.success) return result.output;
  const lines = result.issues.map((issue) => {
    const key = v.getDotPath(issue) ?? '(top)';
    if (issue.expected === 'never') return `  ${key}: unknown key`;
    if (issue.received === 'undefined') return `  ${key}: missing`;
    return `  ${key}: ${issue.message}`;
  });
  throw new Error(`${file}: the frontmatter is not valid\n${lines.join('\n')}`);
}
