'use client';
import Link from 'next/link';
import { useEffect, useState } from 'react';
import list from '@/app/components/site/ContentList.module.css';
import type { Course, CourseExercise } from '@/app/content/course';
import { type ExerciseProgress, type ExerciseState, stateOf } from '@/app/progress/attempts';
import { type Filter, filterOf, KINDS, matches, STATES, searchOf } from '@/app/progress/filter';
import { useReached } from '@/app/progress/useReached';
import styles from './ExerciseList.module.css';
import stateStyles from './state.module.css';

const LEVELS = { 'warm-up': 'warm-up', interview: 'interview', hard: 'hard' } as const;

/** All exercises with what has been reached, filtered by kind, state and lesson; the filter is in the address. */
export function ExerciseList({ course }: { readonly course: Course }) {
  const { exercises, lessons } = course;
  const reached = useReached();
  const [filter, setFilter] = useState<Filter>({});

  useEffect(() => {
    const read = () => setFilter(filterOf(location.search, lessons));
    read();
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, [lessons]);

  const choose = (next: Filter) => {
    setFilter(next);
    history.replaceState(history.state, '', `${location.pathname}${searchOf(next)}`);
  };
  const stateFor = ({ slug }: CourseExercise) => stateOf(reached?.exercises.get(slug), reached?.edited.has(slug));
  const shown = exercises.filter((e) => matches(e, stateFor(e), filter));
  const filtered = searchOf(filter) !== '';
  const count = (extra: Filter) => exercises.filter((e) => matches(e, stateFor(e), { ...filter, ...extra })).length;

  const kinds = Object.keys(KINDS).filter((kind) => exercises.some((e) => e.kind === kind)) as CourseExercise['kind'][];
  const topics = lessons.filter(({ slug }) => exercises.some((e) => e.prerequisites.includes(slug)));

  return (
    <>
      <form className={styles.filters} aria-label="Filter exercises" onSubmit={(event) => event.preventDefault()}>
        <Choice
          name="Kind"
          value={filter.kind}
          options={kinds.map((kind) => [kind, `${KINDS[kind]} (${count({ kind })})`])}
          onChange={(kind) => choose({ ...filter, kind: kind as Filter['kind'] })}
        />
        <Choice
          name="State"
          value={filter.state}
          options={(Object.keys(STATES) as ExerciseState[]).map((state) => [
            state,
            `${STATES[state]} (${count({ state })})`,
          ])}
          onChange={(state) => choose({ ...filter, state: state as Filter['state'] })}
        />
        <Choice
          name="Lesson"
          value={filter.lesson}
          options={topics.map(({ slug, title }) => [slug, `${title} (${count({ lesson: slug })})`])}
          onChange={(lesson) => choose({ ...filter, lesson })}
        />
        <p className={styles.count} role="status">
          {filtered ? `${shown.length} of ${exercises.length} exercises` : `${exercises.length} exercises`}
        </p>
        {filtered ? (
          <button type="button" className="button" onClick={() => choose({})}>
            Show all
          </button>
        ) : null}
      </form>
      {shown.length === 0 ? (
        <p className={styles.empty}>
          {exercises.length === 0
            ? 'There is no exercise yet.'
            : filter.state === 'solved' && count({ state: 'started' }) + count({ state: 'new' }) > 0
              ? 'Nothing solved here yet. The first one is a matter of minutes: show all and take one from the top.'
              : 'No exercise is all of that. Widen one of the filters, or show all.'}
        </p>
      ) : (
        <ol className={list.list}>
          {shown.map((exercise) => (
            <li key={exercise.slug} className={list.item} data-exercise={exercise.slug}>
              <span className={list.number} aria-hidden="true">
                {String(exercises.indexOf(exercise) + 1).padStart(2, '0')}
              </span>
              <div className={list.text}>
                <h2 className={list.title}>
                  <Link href={`/exercises/${exercise.slug}/`}>{exercise.title}</Link>
                </h2>
                <p>{exercise.summary}</p>
                <State state={stateFor(exercise)} progress={reached?.exercises.get(exercise.slug)} />
              </div>
              <div className={`${list.side} ${styles.side}`}>
                <span>{KINDS[exercise.kind]}</span>
                <span>{LEVELS[exercise.level]}</span>
                <span>{exercise.minutes} min</span>
              </div>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Choice({
  name,
  value,
  options,
  onChange,
}: {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, label: string])[];
  onChange(value: string | undefined): void;
}) {
  return (
    <label className={styles.choice}>
      <span>{name}</span>
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
        <option value="">All</option>
        {options.map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function State({
  state,
  progress,
}: {
  readonly state: ExerciseState;
  readonly progress: ExerciseProgress | undefined;
}) {
  const { submitted = 0, last } = progress ?? {};
  const attempts = submitted > 0 ? `, ${submitted} attempt${submitted === 1 ? '' : 's'}` : '';
  const reached = state === 'started' && last ? `, ${last.passed} of ${last.total} checks` : '';
  return (
    <p className={stateStyles.state} data-state={state}>
      <span className={stateStyles.mark} aria-hidden="true" />
      {STATES[state]}
      {reached}
      {attempts}
    </p>
  );
}
