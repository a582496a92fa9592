'use client';
import { useState } from 'react';
import type { AttemptSummary } from '@/app/interviews/store';
import { WARM_UP } from '@/app/interviews/warm-up';
import { questionsOf } from '@/content/interviews/kit/machine';
import { FORMATS, type Format, type Interview, type Mode } from '@/content/interviews/kit/schema';
import { DIMENSION_NAMES, DIMENSIONS } from '@/content/interviews/kit/score';
import { History } from './History';
import styles from './interview.module.css';

interface Props {
  readonly interview: Interview;
  readonly past: readonly AttemptSummary[];
  readonly starting: boolean;
  onBegin(format: Format, mode: Mode): void;
  onOpen(id: string): void;
  onChanged(): void;
}

const KINDS = {
  diagnose: 'diagnoses with repairs',
  order: 'an order',
  predict: 'numbers',
  fix: 'the fix, in code',
  explain: 'an explanation',
} as const;

/** The first screen: what it costs, what is judged, how it goes. Everything else is found inside. */
export function Lobby({ interview, past, starting, onBegin, onOpen, onChanged }: Props) {
  const [format, setFormat] = useState<Format>(30);
  const [mode, setMode] = useState<Mode>('practice');
  const unfinished = past.find((a) => !a.ended);
  const kinds = (f: Format) => [...new Set(questionsOf(interview, f).map((q) => KINDS[q.kind]))].join(', ');
  return (
    <div className={styles.lobby} data-stage="lobby">
      {unfinished ? (
        <section className={styles.resume} aria-label="Unfinished">
          <p>
            You have one unfinished: {unfinished.format} minutes, {unfinished.mode}, begun{' '}
            {new Date(unfinished.beganAt).toLocaleString('en')}.
            {unfinished.mode === 'strict' ? ' Its clock has gone on running.' : ' Its clock has stood since you left.'}
          </p>
          <button type="button" className="button button-primary" onClick={() => onOpen(unfinished.id)}>
            Go on
          </button>
        </section>
      ) : null}
      <form
        className={styles.choose}
        onSubmit={(event) => {
          event.preventDefault();
          if (!starting) onBegin(format, mode);
        }}
      >
        <fieldset className={styles.choices}>
          <legend>How long</legend>
          {FORMATS.map((f) => (
            <label key={f} className={styles.choice}>
              <input type="radio" name="format" checked={format === f} onChange={() => setFormat(f)} />
              <span>
                <b>{f} minutes</b>: {WARM_UP[f]} rapid questions, then {kinds(f)}
              </span>
            </label>
          ))}
        </fieldset>
        <fieldset className={styles.choices}>
          <legend>How strict</legend>
          <label className={styles.choice}>
            <input type="radio" name="mode" checked={mode === 'practice'} onChange={() => setMode('practice')} />
            <span>
              <b>Practice</b>: the clock can be paused, and stands while the page is closed
            </span>
          </label>
          <label className={styles.choice}>
            <input type="radio" name="mode" checked={mode === 'strict'} onChange={() => setMode('strict')} />
            <span>
              <b>Strict</b>: the clock runs until the end, page or no page
            </span>
          </label>
        </fieldset>
        <button type="submit" className={unfinished ? 'button' : 'button button-primary'} aria-disabled={starting}>
          {starting ? 'Preparing' : past.length > 0 ? 'Begin with another seed' : 'Begin'}
        </button>
      </form>
      <section className={styles.rules} aria-labelledby="rules">
        <h2 id="rules">How it goes</h2>
        <ul>
          <li>
            A run misbehaves; it really executes, in this browser. You ask for evidence from a menu, or write a probe of
            your own. <b>Each request costs one to three minutes of the interview</b>, useful or not; seeing it again is
            free.
          </li>
          <li>
            When you say what is wrong, and what to do about it, <b>cite what shows it</b>. A right answer with nothing
            behind it counts as a guess.
          </li>
          <li>The interviewer asks back and cuts in. When the time is up it is up, and the report follows.</li>
          <li>Everything you do is kept in this browser as you do it, and nowhere else.</li>
        </ul>
        <h2>What is judged</h2>
        <ul>
          {DIMENSIONS.map((d) => (
            <li key={d}>
              <b>{DIMENSION_NAMES[d]}</b>: {JUDGED[d]}
            </li>
          ))}
        </ul>
      </section>
      <History past={past} onOpen={onOpen} onChanged={onChanged} />
    </div>
  );
}

const JUDGED = {
  numerics: 'the warm-up, numbers that you predict, whether a repair repairs, the code that you write',
  diagnosis: 'what you say is wrong, in full only with evidence that shows it',
  method: 'whether you looked where it matters, paid for little else, and cited what bears on it',
  communication:
    'how you answer when you are asked back; a free explanation you score yourself, and it doesn’t move the verdict',
} as const;
