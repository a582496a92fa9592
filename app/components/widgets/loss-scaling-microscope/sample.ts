/** The stored run: made by scripts/widget-samples.ts with the same scripts on the reference engine. */
import type { Session } from '@/engine/session/session';
import { type Measurement, measure, type TrainingRun, train } from './measurement';

export interface Sample {
  readonly measurement: Measurement;
  readonly runs: readonly TrainingRun[];
}

/** GradScaler's own first scale is 2^16. */
export const FIRST_EXPONENT = 16;

export async function sampleOf(session: Session): Promise<Sample> {
  const { measurement } = await measure(session);
  if (!measurement) throw new Error('loss-scaling-microscope: the gradients could not be measured');
  const runs: TrainingRun[] = [];
  for (const [kind, exponent] of [
    ['float32', 0],
    ['unscaled', 0],
    ['scaled', FIRST_EXPONENT],
  ] as const) {
    const { run } = await train(session, kind, exponent);
    if (!run) throw new Error(`loss-scaling-microscope: the run "${kind}" did not end`);
    runs.push(run);
  }
  return { measurement, runs };
}
