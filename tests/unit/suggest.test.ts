import { expect, test } from 'vitest';
import type { Course, CourseExercise } from '@/app/content/course';
import { type ExerciseProgress, noProgress } from '@/app/progress/attempts';
import { filterOf, matches, searchOf } from '@/app/progress/filter';
import type { LessonPlace } from '@/app/progress/store';
import { NOTHING_REACHED, type Reached, suggest } from '@/app/progress/suggest';

const exercise = (slug: string, more: Partial<CourseExercise> = {}): CourseExercise => ({
  slug,
  title: `Exercise ${slug}`,
  summary: '',
  minutes: 10,
  kind: 'repair',
  level: 'interview',
  prerequisites: ['one'],
  version: 1,
  ...more,
});
const course: Course = {
  lessons: ['one', 'two'].map((slug) => ({ slug, title: `Lesson ${slug}`, minutes: 20 })),
  exercises: [
    exercise('hard', { level: 'hard' }),
    exercise('long', { minutes: 30 }),
    exercise('short', { kind: 'find' }),
    exercise('both', { prerequisites: ['two', 'one'] }),
  ],
};
const reached = (
  exercises: readonly Partial<ExerciseProgress>[],
  lessons: readonly Partial<LessonPlace>[],
  edited: Readonly<Record<string, number>> = {},
): Reached => ({
  exercises: new Map(exercises.map((p) => [p.slug ?? '', { ...noProgress(p.slug ?? ''), ...p }])),
  lessons: new Map(lessons.map((p) => [p.slug ?? '', { slug: '', at: 1, finished: false, ...p }])),
  edited: new Map(Object.entries(edited)),
});
const solved = (slug: string, more: Partial<ExerciseProgress> = {}) => ({
  slug,
  solvedAt: 1,
  solvedVersion: 1,
  ...more,
});

test('a newcomer begins with the first lesson', () => {
  expect(suggest(course, NOTHING_REACHED)).toMatchObject({ href: '/lessons/one/', action: 'Read' });
});

test('what was left last comes first: the lesson at its section, the exercise with its checks', () => {
  const place = { slug: 'one', at: 5, heading: { id: 'why', text: 'Why' } };
  const tried = { slug: 'long', submitted: 1, last: { at: 4, passed: 2, total: 9 } };
  expect(suggest(course, reached([tried], [place]))).toMatchObject({
    href: '/lessons/one/#why',
    action: 'Continue',
    reason: 'You stopped at “Why”.',
  });
  expect(suggest(course, reached([{ ...tried, last: { at: 6, passed: 2, total: 9 } }], [place]))).toMatchObject({
    href: '/exercises/long/',
    reason: 'You were at it: 2 of 9 checks pass.',
  });
  expect(suggest(course, reached([], [place], { hard: 9 }))).toMatchObject({ href: '/exercises/hard/' });
});

test('after a lesson comes its easiest and shortest exercise that needs no unread lesson', () => {
  const read = { slug: 'one', finished: true };
  expect(suggest(course, reached([], [read]))).toMatchObject({
    href: '/exercises/short/',
    action: 'Try',
    reason: 'You have read “Lesson one”; here you use it.',
  });
  expect(suggest(course, reached([solved('short')], [read]))?.href).toBe('/exercises/long/');
});

test('with the exercises of the read lessons done, the next lesson is due', () => {
  const done = ['hard', 'long', 'short'].map((slug) => solved(slug));
  expect(suggest(course, reached(done, [{ slug: 'one', finished: true }]))).toMatchObject({
    href: '/lessons/two/',
    reason: 'Next in the course: you have read 1 of 2.',
  });
});

test('an exercise whose checks have changed since is to be submitted again', () => {
  const changed = { ...course, exercises: [exercise('short', { version: 2 })] };
  expect(suggest(changed, reached([solved('short')], []))).toMatchObject({
    action: 'Again',
    href: '/exercises/short/',
  });
});

test('when all is solved, what took the most hints is done again', () => {
  const read = course.lessons.map(({ slug }) => ({ slug, finished: true }));
  const all = course.exercises.map(({ slug }) => solved(slug, { hintsShown: slug === 'long' ? 2 : 0 }));
  expect(suggest(course, reached(all, read))).toMatchObject({
    href: '/exercises/long/',
    reason: 'All is solved. This one you solved with 2 hints: do it once more from the start.',
  });
});

test('a course without content suggests nothing', () => {
  expect(suggest({ lessons: [], exercises: [] }, NOTHING_REACHED)).toBeUndefined();
});

test('a filter comes from the address and goes back into it', () => {
  const filter = filterOf('?kind=find&state=solved&lesson=one', course.lessons);
  expect(filter).toEqual({ kind: 'find', state: 'solved', lesson: 'one' });
  expect(searchOf(filter)).toBe('?kind=find&state=solved&lesson=one');
  expect(searchOf({})).toBe('');
});

test('what the address cannot mean is no filter', () => {
  expect(filterOf('?kind=toString&state=x&lesson=three', course.lessons)).toEqual({});
});

test('an exercise is shown if it has the kind, the state and one of the lessons', () => {
  const [, , short, both] = course.exercises;
  expect(matches(short, 'new', { kind: 'find' })).toBe(true);
  expect(matches(short, 'new', { kind: 'find', state: 'solved' })).toBe(false);
  expect(matches(both, 'new', { lesson: 'one' })).toBe(true);
  expect(matches(short, 'new', { lesson: 'two' })).toBe(false);
});
