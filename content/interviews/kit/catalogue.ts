/**
 * The evidence that every interview offers: what the instruments of instruments.py can say of any run. A scenario names its modules, its inputs and
 * the changes that may be tried; it adds instruments of its own (scenario.py) beside these. Costs are in interview minutes.
 */
import type { Evidence, EvidenceOption, Parameter } from './schema';

export interface CatalogueOptions {
  /** Submodules of the model, as get_submodule names them. */
  readonly modules: readonly EvidenceOption[];
  /** Names of what batch_at returns, in order. */
  readonly inputs: readonly string[];
  /** Definitions of run.py whose code can be asked for. */
  readonly places: readonly string[];
  /** Changes to the run that can be tried: lines replaced. */
  readonly changes: readonly (EvidenceOption & {
    readonly replace: readonly (readonly [from: string, to: string])[];
  })[];
}

const STEP: Parameter = { name: 'step', title: 'At step', kind: 'step' };

export function catalogue({ modules, inputs, places, changes }: CatalogueOptions): Evidence[] {
  const module: Parameter = { name: 'module', title: 'Of', kind: 'choice', options: modules };
  const moduleOrAll: Parameter = {
    name: 'module',
    title: 'Of',
    kind: 'choice',
    options: [{ id: '', title: 'the whole model' }, ...modules],
  };
  const python = (expression: string) => ({ kind: 'python', expression }) as const;
  return [
    {
      id: 'loss-curve',
      title: 'Loss curve',
      detail: 'The loss of every step.',
      cost: 1,
      parameters: [],
      instrument: python('instruments.loss_curve()'),
    },
    {
      id: 'scale-trace',
      title: 'Loss scale',
      detail: 'The scale that every step used.',
      cost: 1,
      parameters: [],
      instrument: python('instruments.scale_trace()'),
    },
    {
      id: 'skipped-steps',
      title: 'Skipped steps',
      detail: 'Updates taken and skipped, and whether the loss was finite when they were.',
      cost: 1,
      parameters: [],
      instrument: python('instruments.skipped_steps()'),
    },
    {
      id: 'data',
      title: 'Data statistics',
      detail: 'Range, mean, spread of every input, and the largest value by step.',
      cost: 1,
      parameters: [],
      instrument: python(`instruments.data_statistics(${JSON.stringify(inputs)})`),
    },
    {
      id: 'code',
      title: 'The code',
      detail: 'One definition of run.py, as it is.',
      cost: 1,
      parameters: [{ name: 'place', title: 'Of', kind: 'choice', options: places.map((id) => ({ id, title: id })) }],
      instrument: { kind: 'code' },
    },
    {
      id: 'finite-check',
      title: 'Finite check at a module',
      detail: 'What goes in and what comes out in one forward pass: dtype, NaN, inf, zeros, largest value.',
      cost: 1,
      parameters: [module, STEP],
      instrument: python('instruments.finite_check({step}, {module})'),
    },
    {
      id: 'op-dtypes',
      title: 'Dtypes of every op',
      detail: 'Each op of one forward pass with the dtypes of its inputs and output, and what autocast did.',
      cost: 1,
      parameters: [STEP],
      instrument: { kind: 'op-dtypes' },
    },
    {
      id: 'state-dtypes',
      title: 'Dtypes of parameters and optimizer state',
      detail: 'What is stored, in which format.',
      cost: 1,
      parameters: [],
      instrument: python('instruments.state_dtypes()'),
    },
    {
      id: 'gradients',
      title: 'Gradient histogram',
      detail: 'Gradients by binary exponent, before and after unscale_, with zeros and nonfinite values counted.',
      cost: 2,
      parameters: [moduleOrAll, STEP],
      instrument: python('instruments.gradient_histogram({step}, {module})'),
    },
    {
      id: 'scale-sweep',
      title: 'Gradients under other loss scales',
      detail: 'Zeros and nonfinite values among the gradients of one batch, for scales from 1 to 2^24.',
      cost: 2,
      parameters: [moduleOrAll, STEP],
      instrument: python('instruments.scale_sweep({step}, {module})'),
    },
    {
      id: 'same-batch',
      title: 'The same batch in three dtypes',
      detail: 'One batch, the same weights, in float32, float16 and bfloat16: loss, and whether everything is finite.',
      cost: 2,
      parameters: [STEP],
      instrument: python('instruments.same_batch({step})'),
    },
    ...(changes.length === 0
      ? []
      : [
          {
            id: 'change',
            title: 'The run with one thing changed',
            detail: 'The whole run again: loss, skipped steps and last scale beside the run as it is.',
            cost: 3,
            parameters: [{ name: 'change', title: 'Change', kind: 'choice', options: changes }] as const,
            instrument: python(`instruments.compare_change(${JSON.stringify(changes)}, {change})`),
          },
        ]),
  ];
}
