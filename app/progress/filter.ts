/** Which exercises a list shows: kind, state and lesson, as the address has them. */
import type { CourseExercise } from '@/app/content/course';
import type { ExerciseState } from './attempts';

export interface Filter {
  readonly kind?: CourseExercise['kind'];
  readonly state?: ExerciseState;
  /** Slug of a lesson that prepares for it. */
  readonly lesson?: string;
}

/** What each kind asks for, as a list says it. */
export const KINDS: Readonly<Record<CourseExercise['kind'], string>> = {
  implement: 'Implement',
  repair: 'Repair',
  order: 'Put in order',
  find: 'Find the fault',
  defend: 'Defend with tests',
  break: 'Break it',
  golf: 'Precision golf',
};

export const STATES: Readonly<Record<ExerciseState, string>> = {
  new: 'Not started',
  started: 'In progress',
  solved: 'Solved',
};

const KEYS = ['kind', 'state', 'lesson'] as const;

/** From "?kind=repair&state=new"; what isn't known is no filter. */
export function filterOf(search: string, lessons: readonly { readonly slug: string }[]): Filter {
  const query = new URLSearchParams(search);
  const [kind, state, lesson] = KEYS.map((key) => query.get(key) ?? '');
  return {
    ...(Object.hasOwn(KINDS, kind) ? { kind: kind as Filter['kind'] } : {}),
    ...(Object.hasOwn(STATES, state) ? { state: state as Filter['state'] } : {}),
    ...(lessons.some((l) => l.slug === lesson) ? { lesson } : {}),
  };
}

/** "?kind=repair", or "" without a filter. */
export function searchOf(filter: Filter): string {
  const query = new URLSearchParams();
  for (const key of KEYS) if (filter[key] !== undefined) query.set(key, filter[key]);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export const matches = (exercise: CourseExercise, state: ExerciseState, filter: Filter): boolean =>
  (filter.kind === undefined || exercise.kind === filter.kind) &&
  (filter.state === undefined || state === filter.state) &&
  (filter.lesson === undefined || exercise.prerequisites.includes(filter.lesson));
