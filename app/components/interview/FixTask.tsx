'use client';
import { useCallback, useRef, useState } from 'react';
import { Checks } from '@/app/components/exercise/Checks';
import { PythonCode } from '@/app/components/question/PythonCode';
import { Runner, type RunnerHandle } from '@/app/components/runner/Runner';
import type { RunTask } from '@/app/components/runner/useRun';
import type { LoadedInterview } from '@/app/interviews/load';
import type { GradedCode } from '@/content/interviews/kit/machine';
import { type CheckResult, plannedChecks } from '@/exercises/kit/grade';
import styles from './interview.module.css';

interface Props {
  readonly attempt: string;
  readonly loaded: LoadedInterview;
  onGraded(graded: GradedCode): void;
}

/** The fix: an exercise, graded by the exercise kit, without hints. Its draft belongs to this attempt. */
export function FixTask({ attempt, loaded, onGraded }: Props) {
  const { fix, sources } = loaded;
  const runner = useRef<RunnerHandle>(null);
  const [results, setResults] = useState<readonly CheckResult[]>([]);
  const [grading, setGrading] = useState(false);
  const [complete, setComplete] = useState(false);
  const [fault, setFault] = useState<string>();
  const submit = useCallback(
    (code: string): RunTask =>
      async (session, onOutput) => {
        setGrading(true);
        setComplete(false);
        setResults([]);
        setFault(undefined);
        try {
          const { grade } = await import('@/exercises/kit/grade');
          const onCheck = (result: CheckResult) => setResults((all) => [...all, result]);
          const made = await grade(fix, code, session, { mistakes: sources.fix.mistakes, onOutput, onCheck });
          setResults(made.checks);
          setComplete(true);
          onGraded({
            code,
            solved: made.solved,
            checks: made.checks.map(({ title, status, message, fingerprint }) => ({
              title,
              status,
              ...(status === 'fail' ? { message: fingerprint?.message ?? message ?? '' } : {}),
            })),
          });
          return { ...made.run, milliseconds: made.milliseconds, kernels: made.kernels };
        } catch (error) {
          setFault(error instanceof Error ? error.message : String(error));
          throw error;
        } finally {
          setGrading(false);
        }
      },
    [fix, sources, onGraded],
  );
  return (
    <Runner
      ref={runner}
      id="fix"
      draftKey={`interview:${attempt}:fix`}
      label={fix.title}
      code={sources.fix.starter}
      submit={submit}
      panel={
        <div className={styles.fixPanel}>
          <Checks
            tasks={fix.tasks}
            planned={plannedChecks(fix)}
            results={results}
            grading={grading}
            complete={complete}
            goToLine={(line) => runner.current?.goToLine(line)}
          />
          {fault ? (
            <p role="alert" className={styles.missing}>
              Your code could not be checked: {fault}. It is kept; submit it again.
            </p>
          ) : null}
        </div>
      }
    >
      <PythonCode code={sources.fix.starter} />
    </Runner>
  );
}
