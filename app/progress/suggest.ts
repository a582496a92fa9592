/** What to do next, with the reason: from the course and from what has been reached. Pure, so that every rule has its test. */
import type { Course, CourseExercise } from '@/app/content/course';
import { type ExerciseProgress, stateOf } from './attempts';
import type { LessonPlace } from './store';

export interface Reached {
  readonly exercises: ReadonlyMap<string, ExerciseProgress>;
  /** When the drafts of exercises that aren't the starter were last changed. */
  readonly edited: ReadonlyMap<string, number>;
  readonly lessons: ReadonlyMap<string, LessonPlace>;
}

export const NOTHING_REACHED: Reached = { exercises: new Map(), edited: new Map(), lessons: new Map() };

export interface Suggestion {
  readonly href: string;
  readonly title: string;
  /** "Continue", "Read", "Try", "Again". */
  readonly action: string;
  /** One sentence. */
  readonly reason: string;
  readonly minutes?: number;
}

const LEVELS: readonly CourseExercise['level'][] = ['warm-up', 'interview', 'hard'];

const exerciseHref = ({ slug }: { readonly slug: string }) => `/exercises/${slug}/`;

/** Undefined only for a course without content. */
export function suggest(course: Course, reached: Reached): Suggestion | undefined {
  return (
    unfinished(course, reached) ??
    changedSince(course, reached) ??
    afterTheLesson(course, reached) ??
    nextLesson(course, reached) ??
    untried(course, reached) ??
    again(course, reached)
  );
}

const isSolved = (reached: Reached, slug: string) => reached.exercises.get(slug)?.solvedAt !== undefined;
const isNew = (reached: Reached, { slug }: CourseExercise) =>
  stateOf(reached.exercises.get(slug), reached.edited.has(slug)) === 'new';

/** What was begun last and isn't finished: an exercise or a lesson. */
function unfinished({ exercises, lessons }: Course, reached: Reached): Suggestion | undefined {
  const begun: { readonly at: number; readonly suggestion: Suggestion }[] = [];
  for (const exercise of exercises) {
    const { slug, title } = exercise;
    const last = reached.exercises.get(slug)?.last;
    const at = Math.max(last?.at ?? 0, reached.edited.get(slug) ?? 0);
    if (at === 0 || isSolved(reached, slug)) continue;
    const reason = last
      ? `You were at it: ${last.passed} of ${last.total} checks pass.`
      : 'You have begun it and not submitted it yet.';
    begun.push({ at, suggestion: { href: exerciseHref(exercise), title, action: 'Continue', reason } });
  }
  for (const { slug, title } of lessons) {
    const place = reached.lessons.get(slug);
    if (!place || place.finished) continue;
    const reason = place.heading ? `You stopped at “${place.heading.text}”.` : 'You have begun to read it.';
    const href = `/lessons/${slug}/${place.heading ? `#${place.heading.id}` : ''}`;
    begun.push({ at: place.at, suggestion: { href, title, action: 'Continue', reason } });
  }
  return begun.sort((a, b) => b.at - a.at)[0]?.suggestion;
}

/** A solved exercise whose checks have changed. */
function changedSince({ exercises }: Course, reached: Reached): Suggestion | undefined {
  const changed = exercises.find(
    ({ slug, version }) => (reached.exercises.get(slug)?.solvedVersion ?? Number.POSITIVE_INFINITY) < version,
  );
  return (
    changed && {
      href: exerciseHref(changed),
      title: changed.title,
      action: 'Again',
      reason: 'Its checks have changed since you solved it: submit your code once more.',
      minutes: 5,
    }
  );
}

const byLevel = (a: CourseExercise, b: CourseExercise) =>
  LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || a.minutes - b.minutes;

/** An exercise of a lesson that has been read, the latest first. */
function afterTheLesson({ exercises, lessons }: Course, reached: Reached): Suggestion | undefined {
  const read = lessons
    .filter(({ slug }) => reached.lessons.get(slug)?.finished)
    .sort((a, b) => (reached.lessons.get(b.slug)?.at ?? 0) - (reached.lessons.get(a.slug)?.at ?? 0));
  const isRead = (slug: string) => read.some((lesson) => lesson.slug === slug);
  for (const lesson of read) {
    const [exercise] = exercises
      .filter((e) => e.prerequisites[0] === lesson.slug && e.prerequisites.every(isRead) && isNew(reached, e))
      .sort(byLevel);
    if (exercise) {
      return {
        href: exerciseHref(exercise),
        title: exercise.title,
        action: 'Try',
        reason: `You have read “${lesson.title}”; here you use it.`,
        minutes: exercise.minutes,
      };
    }
  }
  return undefined;
}

function nextLesson({ lessons }: Course, reached: Reached): Suggestion | undefined {
  const lesson = lessons.find(({ slug }) => !reached.lessons.get(slug)?.finished);
  if (!lesson) return undefined;
  const read = lessons.filter(({ slug }) => reached.lessons.get(slug)?.finished).length;
  return {
    href: `/lessons/${lesson.slug}/`,
    title: lesson.title,
    action: 'Read',
    reason: read === 0 ? 'The course begins here.' : `Next in the course: you have read ${read} of ${lessons.length}.`,
    minutes: lesson.minutes,
  };
}

function untried({ exercises }: Course, reached: Reached): Suggestion | undefined {
  const [exercise] = exercises.filter((e) => !isSolved(reached, e.slug)).sort(byLevel);
  return (
    exercise && {
      href: exerciseHref(exercise),
      title: exercise.title,
      action: 'Try',
      reason: 'You have read every lesson, and not solved this one yet.',
      minutes: exercise.minutes,
    }
  );
}

/** When all is done: what took the most help, then the most attempts, then the longest ago. */
function again({ exercises }: Course, reached: Reached): Suggestion | undefined {
  const of = (e: CourseExercise) => reached.exercises.get(e.slug);
  const [exercise] = [...exercises].sort(
    (a, b) =>
      (of(b)?.hintsShown ?? 0) - (of(a)?.hintsShown ?? 0) ||
      (of(b)?.submitted ?? 0) - (of(a)?.submitted ?? 0) ||
      (of(a)?.solvedAt ?? 0) - (of(b)?.solvedAt ?? 0),
  );
  if (!exercise) return undefined;
  const hints = of(exercise)?.hintsShown ?? 0;
  const submitted = of(exercise)?.submitted ?? 0;
  const how =
    hints > 0 ? `with ${hints} hint${hints === 1 ? '' : 's'}` : `in ${submitted} attempt${submitted === 1 ? '' : 's'}`;
  return {
    href: exerciseHref(exercise),
    title: exercise.title,
    action: 'Again',
    reason: `All is solved. This one you solved ${how}: do it once more from the start.`,
    minutes: exercise.minutes,
  };
}
