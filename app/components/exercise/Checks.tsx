'use client';
import { formats } from '@/engine/formats/float-format';
import type { ValueBits } from '@/exercises/kit/compare';
import type { CheckResult, PlannedCheck } from '@/exercises/kit/grade';
import styles from './exercise.module.css';

const WORD = { pass: 'passed', fail: 'failed', skipped: 'not tried', waiting: 'waiting' } as const;

/** The checks of one submission, grouped by task; those still to come are listed as waiting. */
export function Checks({
  tasks,
  planned,
  results,
  grading,
  complete,
  goToLine,
}: {
  tasks: readonly { readonly id: string; readonly title: string }[];
  planned: readonly PlannedCheck[];
  results: readonly CheckResult[];
  grading: boolean;
  /** A verdict stands. */
  complete: boolean;
  /** Puts the cursor on a line of the learner's code. */
  goToLine(line: number): void;
}) {
  const byId = new Map(results.map((r) => [r.id, r]));
  // One reason for all of them: said once.
  const untried = results.find((r) => r.status === 'skipped')?.message;
  const passed = results.filter((r) => r.status === 'pass').length;
  const begin = grading ? undefined : beginWith(results);
  return (
    <section
      className={styles.checks}
      aria-label="Checks"
      data-verdict={grading ? 'grading' : complete ? 'complete' : 'none'}
    >
      <p className={styles.summary} role="status">
        {results.length === 0 && !grading
          ? `${planned.length} checks run when you submit.`
          : grading
            ? `Checking: ${results.length} of ${planned.length}`
            : `${passed} of ${planned.length} checks passed.`}
        {untried ? ` ${untried}` : ''}
        {begin ? ` Begin with “${begin}”: one fault can fail several checks.` : ''}
      </p>
      {tasks.map((task) => (
        <div key={task.id}>
          <h3 className={styles.task}>
            {task.title}
            {results.length > 0 ? (
              <span>
                {' '}
                {planned.filter((c) => c.task === task.id && byId.get(c.id)?.status === 'pass').length} /{' '}
                {planned.filter((c) => c.task === task.id).length}
              </span>
            ) : null}
          </h3>
          <ul className={styles.list}>
            {planned
              .filter((c) => c.task === task.id)
              .map((c) => (
                <CheckItem key={c.id} planned={c} result={byId.get(c.id)} goToLine={goToLine} />
              ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** Of several failures the one to look at: where a known mistake was recognised, else the first. */
export function beginWith(results: readonly CheckResult[]): string | undefined {
  const failed = results.filter((r) => r.status === 'fail');
  return failed.length < 2 ? undefined : (failed.find((r) => r.fingerprint) ?? failed[0])?.title;
}

function CheckItem({
  planned,
  result,
  goToLine,
}: {
  planned: PlannedCheck;
  result: CheckResult | undefined;
  goToLine(line: number): void;
}) {
  const status = result?.status ?? 'waiting';
  return (
    <li className={styles.check} data-check={planned.id} {...(result ? { 'data-status': result.status } : {})}>
      <span className={styles.mark} data-mark={status} aria-hidden="true" />
      <div className={styles.body}>
        <span className={styles.title}>{planned.title}</span> <span className={styles.word}>{WORD[status]}</span>
        {result?.status === 'fail' ? <Failure result={result} goToLine={goToLine} /> : null}
      </div>
    </li>
  );
}

/** What was expected of which call, what came, its bits, and the rule behind the tolerance. */
function Failure({ result, goToLine }: { result: CheckResult; goToLine(line: number): void }) {
  const { line } = result;
  const c = result.counterexample;
  return (
    <div className={styles.failure}>
      <p>{result.message}</p>
      {result.fingerprint ? (
        <p className={styles.fingerprint} data-fingerprint={result.fingerprint.mistake}>
          {result.fingerprint.message}
        </p>
      ) : null}
      {line ? (
        <p className={styles.line}>
          {result.quote ? <code>{result.quote}</code> : null}
          <button type="button" className={styles.small} onClick={() => goToLine(line)}>
            Go to line {line} of your code
          </button>
        </p>
      ) : null}
      {c ? (
        <>
          <pre className={styles.call}>
            <code>{c.call}</code>
          </pre>
          {c.expected && c.got ? (
            <table className={styles.comparison}>
              <caption>
                {c.index && c.index.length > 0 ? `Element [${c.index.join(', ')}]` : 'The value'}
                {c.ulps === undefined ? '' : `, ${c.ulps.toLocaleString('en')} ulp apart`}
              </caption>
              <tbody>
                <BitsRow name="expected" value={c.expected} />
                <BitsRow name="got" value={c.got} />
              </tbody>
            </table>
          ) : null}
        </>
      ) : null}
      <details className={styles.rule}>
        <summary>Which results are legal</summary>
        <p>{result.rule}</p>
      </details>
    </div>
  );
}

function BitsRow({ name, value }: { name: string; value: ValueBits }) {
  const { bits, exponentBits } = formats[value.dtype];
  const pattern = Number.parseInt(value.bits, 16).toString(2).padStart(bits, '0');
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value.text}</td>
      <td>0x{value.bits}</td>
      <td className={styles.bits} aria-hidden="true">
        <b data-field="sign">{pattern[0]}</b>
        <b data-field="exponent">{pattern.slice(1, 1 + exponentBits)}</b>
        <b data-field="significand">{pattern.slice(1 + exponentBits)}</b>
      </td>
    </tr>
  );
}
