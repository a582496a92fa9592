/**
 * The softmax of one row, stage by stage, naive and shifted, computed by the engine's own op records: what the widget shows is what the
 * learner's tensors do.
 */

import type { HostTensor } from '@/engine/formats/dtype';
import { formats, toBits } from '@/engine/formats/float-format';
import { readElements, writeElements } from '@/engine/formats/host-elements';
import '@/engine/ops';
import { type Attrs, opTable } from '@/engine/ops/record';

export type StageDtype = 'float16' | 'bfloat16' | 'float32';

export interface StageValue {
  /** Index in the row; 0 for the sum. */
  readonly position: number;
  readonly value: number;
  /** Bit pattern. */
  readonly bits: number;
}

export interface Stage {
  readonly name: 'logits' | 'shifted' | 'exp' | 'sum' | 'probabilities';
  readonly values: readonly StageValue[];
}

/** Runs one record of the op table on host tensors of one dtype. */
function run(name: string, inputs: readonly HostTensor[], attrs: Attrs = {}): HostTensor {
  const record = opTable.get(name);
  if (!record) throw new Error(`softmax-stages: the engine has no op "${name}"`);
  const outputs = record.infer(inputs, attrs);
  const [data] = record.reference(inputs, attrs, outputs);
  const [spec] = outputs;
  if (!data || !spec) throw new Error(`softmax-stages: op "${name}" gave nothing`);
  return { dtype: spec.dtype, shape: spec.shape, data };
}

const one = { value: 1, kind: 'int' } as const;

/** logits → (shifted →) exp → sum → probabilities, each rounded to `dtype` as torch rounds it. */
export function softmaxStages(logits: readonly number[], dtype: StageDtype, shift: boolean): Stage[] {
  const x: HostTensor = { dtype, shape: [logits.length], data: writeElements(dtype, logits) };
  const over = { dim: [0], keepdim: true, dtype: null };
  const shifted = shift ? run('sub', [x, run('amax', [x], over)], { alpha: one }) : x;
  const e = run('exp', [shifted]);
  const sum = run('sum', [e], over);
  const y = run('div', [e, sum], { rounding_mode: null });
  const stage = (name: Stage['name'], t: HostTensor): Stage => ({
    name,
    values: Array.from(readElements(t), (value, position) => ({
      position,
      value,
      bits: toBits(value, formats[dtype]),
    })),
  });
  return [
    stage('logits', x),
    ...(shift ? [stage('shifted', shifted)] : []),
    stage('exp', e),
    stage('sum', sum),
    stage('probabilities', y),
  ];
}
