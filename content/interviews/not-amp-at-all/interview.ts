import { catalogue } from '../kit/catalogue';
import { defineInterview, type Support } from '../kit/schema';

const MEAN = [
  ['reduction="sum"', 'reduction="mean"'],
  ['loss.detach() / BATCH', 'loss.detach()'],
] as const;
const RATE = 'RATE = 0.004';
const BATCH = 'BATCH = 128';

const changed = (change: string, shows: Support['shows'], says: string): Support => ({
  evidence: 'change',
  shows: (f, o) => f.change === change && shows(f, o),
  says,
  ask: { change },
});
const stillLost = (change: string, says: string): Support =>
  changed(change, (f) => Number(f.nonfinite_after) > 0, says);
/** The first loss is between 3 and 6; a run that trains ends below it or near it. */
const trains = (change: string, says: string): Support =>
  changed(change, (f) => f.nonfinite_after === 0 && Number(f.final_after) < 6, says);

const float32Fails = stillLost('float32', 'the same run without AMP, in float32, is lost as well');
const bfloat16Fails = stillLost('bfloat16', 'in bfloat16, with float32’s range, the run is lost as well');
const scaleOneFails = stillLost('scale-1', 'with a scale that starts at 1 the run is lost as well');
const ampTrains = trains('amp-old', 'with AMP, and batch and rate as before Tuesday, the run trains');
const rateTrains = trains('rate-only', 'with AMP, the new rate and the old batch, the run trains');
const batchTrains = trains('batch-only', 'with AMP, the new batch and the old rate, the run trains');
const meanTrains = trains('mean-rate', 'with the mean over the batch, and a rate for a mean, the run trains, with AMP');
const growsWithAmp: Support = {
  evidence: 'growth',
  shows: (f) => f.precision === 'amp' && f.grows === true && f.finite_before === true,
  says: 'gradient and update grow from update to update long before anything is inf',
  ask: { precision: 'amp' },
};
const growsInFloat32: Support = {
  evidence: 'growth',
  shows: (f) => f.precision === 'float32' && f.grows === true && Number(f.first_lost) >= 0,
  says: 'in float32 gradient and update grow in the same way, until the loss is lost',
  ask: { precision: 'float32' },
};
const firstUpdateLate: Support = {
  evidence: 'growth',
  shows: (f, o) => f.precision === 'amp' && f.first_update === o.early_skips && Number(f.first_update) > 0,
  says: 'no update has been made before the first skips end: the weights are those of the start',
  ask: { precision: 'amp' },
};
const settles: Support = {
  evidence: 'scale-sweep',
  shows: (f) => f.module === '' && f.step === 0 && f.nonfinite_at_1 === 0 && Number(f.nonfinite_at_65536) > 0,
  says: 'the gradients of the first batch are finite at small scales and aren’t at 65536',
  ask: { module: '', step: '0' },
};
const firstForwardFine: Support = {
  evidence: 'same-batch',
  shows: (f) => f.step === 0 && f.float16_finite === true && f.float16_gradients_finite === true,
  says: 'the first batch is finite in float16, loss and gradients, without a loss scale',
  ask: { step: '0' },
};
const isASum: Support = {
  evidence: 'batch-size',
  shows: (f) => Number(f.loss_ratio) > 7 && Number(f.gradient_ratio) > 4,
  says: 'loss and gradient grow with the number of articles: the loss is a sum, not a mean',
  ask: { step: '0' },
};
const sumInCode: Support = {
  evidence: 'code',
  shows: (f) => f.place === 'compute_loss',
  says: 'compute_loss takes the sum over the batch',
  ask: { place: 'compute_loss' },
};
const threeChanges: Support = {
  evidence: 'commit',
  shows: (f) => f.changed === 3,
  says: 'one commit switched AMP on, multiplied the batch by eight and the rate by eight',
  ask: {},
};
const cleanData: Support = {
  evidence: 'data',
  shows: (f) => f.nonfinite_features === 0 && Number(f.largest_features) < 10 && Number(f.largest_demand) < 50,
  says: 'no input of the run holds a NaN, an inf or anything far out',
  ask: {},
};

export default defineInterview({
  title: 'Since mixed precision, it diverges',
  summary:
    'A demand forecaster trained for a year. Since mixed precision was switched on, its loss is NaN within the hour.',
  order: 30,
  version: 1,
  seeds: [1, 2, 3, 4],
  steps: 40,
  brief: [
    'Our demand forecaster trained for a year without a hitch. On Tuesday a commit switched on mixed precision. Since then steps are skipped from the very beginning, the scale falls, and after a while the loss isn’t finite. It is in a float16 layer that the first inf appears, we have seen that much.',
    'The team wants to switch mixed precision off again, or to move to bfloat16. Convince me that this is the right thing, or that it isn’t. Ask for what you need; what you ask for costs time. When you tell me what it is, show me what it rests on.',
  ],
  opening: 'scenario.opening()',
  symptoms: [
    {
      says: 'the first steps are skipped, with an ordinary loss',
      shows: (f) => Number(f.early_skips) >= 4 && Number(f.first_loss) < 10,
    },
    {
      says: 'after some updates the loss isn’t finite, and stays so',
      shows: (f) => Number(f.first_lost) >= 10 && Number(f.lost) >= 5,
    },
    { says: 'the scale falls far below 1', shows: (f) => Number(f.last_scale) < 2 ** -10 },
  ],
  evidence: [
    ...catalogue({
      modules: ['wide', 'deep', 'deep.enter', 'deep.inner', 'deep.leave'].map((id) => ({ id, title: id })),
      inputs: ['features', 'demand'],
      places: ['Deep', 'Forecaster', 'build', 'batch_at', 'compute_loss', 'train_step'],
      changes: [
        { id: 'float32', title: 'AMP off: everything in float32', replace: [['AMP = True', 'AMP = False']] },
        {
          id: 'bfloat16',
          title: 'AMP in bfloat16',
          replace: [['DTYPE = torch.float16', 'DTYPE = torch.bfloat16']],
        },
        {
          id: 'scale-1',
          title: 'The loss scale starts at 1',
          replace: [['GradScaler("cuda", enabled=AMP)', 'GradScaler("cuda", init_scale=1.0, enabled=AMP)']],
        },
        {
          id: 'amp-old',
          title: 'AMP on, a batch of 16 at a rate of 0.0005',
          replace: [
            [BATCH, 'BATCH = 16'],
            [RATE, 'RATE = 0.0005'],
          ],
        },
        { id: 'rate-only', title: 'AMP on, a batch of 16 at a rate of 0.004', replace: [[BATCH, 'BATCH = 16']] },
        { id: 'batch-only', title: 'AMP on, a batch of 128 at a rate of 0.0005', replace: [[RATE, 'RATE = 0.0005']] },
        { id: 'mean', title: 'The mean over the batch, at a rate of 0.004', replace: MEAN },
        {
          id: 'mean-rate',
          title: 'The mean over the batch, at a rate of 0.064',
          replace: [...MEAN, [RATE, 'RATE = 0.064']],
        },
        {
          id: 'clip',
          title: 'Gradients are unscaled, and clipped to 1',
          replace: [
            [
              '    scaler.step(optimizer)\n',
              '    scaler.unscale_(optimizer)\n    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    scaler.step(optimizer)\n',
            ],
          ],
        },
        {
          id: 'init',
          title: 'Initial weights a tenth as large',
          replace: [
            [
              'model = Forecaster().to("cuda")\n',
              'model = Forecaster().to("cuda")\n    for p in model.parameters():\n        p.data.mul_(0.1)\n',
            ],
          ],
        },
        {
          id: 'clamp',
          title: 'Features clamped to ±2',
          replace: [['return features.to("cuda")', 'return features.clamp(-2, 2).to("cuda")']],
        },
      ],
    }),
    {
      id: 'commit',
      title: 'What else the commit changed',
      detail: 'The settings that Tuesday’s commit touched, before and since.',
      cost: 1,
      parameters: [],
      instrument: { kind: 'python', expression: 'scenario.commit()' },
    },
    {
      id: 'growth',
      title: 'Gradient and update at every update made',
      detail: 'Norms of the gradient that the optimizer sees, of the update and of the weights.',
      cost: 2,
      parameters: [
        {
          name: 'precision',
          title: 'Of the run',
          kind: 'choice',
          options: [
            { id: 'amp', title: 'as it is, with AMP' },
            { id: 'float32', title: 'in float32' },
          ],
        },
      ],
      instrument: { kind: 'python', expression: 'scenario.growth({precision})' },
    },
    {
      id: 'batch-size',
      title: 'Loss and gradient by size of the batch',
      detail: 'One batch, the same weights, in parts of 16, 32, 64 and 128 articles.',
      cost: 2,
      parameters: [{ name: 'step', title: 'At step', kind: 'step' }],
      instrument: { kind: 'python', expression: 'scenario.batch_size({step})' },
    },
  ],
  probeCost: 3,
  questions: [
    {
      id: 'amp',
      title: 'Is it mixed precision?',
      kind: 'diagnose',
      from: 15,
      prompt: 'At step {first_lost} the loss isn’t finite any more. What brought it there, and what do we do next?',
      diagnoses: [
        {
          id: 'itself',
          text: 'The run diverges by itself, in any format: each update is larger than the last, and float16 is only where it is noticed.',
        },
        {
          id: 'range',
          text: 'A layer leaves the range of float16: the same batch is finite in float32 and in bfloat16.',
          wrong: {
            contradictedBy: [float32Fails, bfloat16Fails, growsInFloat32],
            misconception: 'first-inf-is-cause',
            followUp: {
              question:
                'One batch, with the weights as they were at that step, is finite in float32. What does that say of a run in float32?',
              choices: [
                {
                  text: 'Little: it says that float32 can hold what these weights give, not that they are sound.',
                  right: true,
                  because: 'Look at the loss that it holds. How the weights got there takes a run to see.',
                },
                {
                  text: 'That it would have trained.',
                  because: 'Only a run in float32 can say that, and it costs three minutes.',
                  misconception: 'first-inf-is-cause',
                },
                {
                  text: 'That float16 rounded the weights wrongly.',
                  because: 'The weights are float32; float16 has no part in what is stored.',
                  misconception: 'first-inf-is-cause',
                },
              ],
            },
          },
        },
        {
          id: 'scale',
          text: 'The loss scale: it starts too high for these gradients and breaks the run.',
          wrong: {
            contradictedBy: [scaleOneFails, float32Fails],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'What does a step that is skipped for an overflow do to the weights?',
              choices: [
                {
                  text: 'Nothing. Whatever made them grow was done by steps that were taken.',
                  right: true,
                  because: 'So look at those: how large were they?',
                },
                {
                  text: 'It moves them by 65536 times too much.',
                  because: 'The optimizer isn’t called.',
                  misconception: 'skips-mean-scale',
                },
                {
                  text: 'It moves them a little at random.',
                  because: 'The optimizer isn’t called.',
                  misconception: 'skips-mean-scale',
                },
              ],
            },
          },
        },
        {
          id: 'underflow',
          text: 'The scale has fallen so far that gradients underflow, and the model drifts.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'gradients',
                shows: (f) => Number(f.step) >= 8 && f.loss_finite === true && Number(f.zero_share) < 0.05,
                says: 'when updates begin, hardly a gradient is zero',
                ask: { module: '', step: '9' },
              },
              float32Fails,
              growsWithAmp,
            ],
            misconception: 'underflow-diverges',
            followUp: {
              question: 'What would a model whose gradients underflow do?',
              choices: [
                {
                  text: 'Stand still: a zero gradient moves nothing.',
                  right: true,
                  because: 'Underflow makes a loss flat, not infinite.',
                },
                {
                  text: 'Diverge: the optimizer has lost its direction.',
                  because: 'With zeros it has no step to take.',
                  misconception: 'underflow-diverges',
                },
                {
                  text: 'Skip steps.',
                  because: 'Zeros are finite: nothing is skipped for them.',
                  misconception: 'underflow-diverges',
                },
              ],
            },
          },
        },
        {
          id: 'broken',
          text: 'One broken batch: some article with an absurd feature or demand.',
          wrong: {
            contradictedBy: [cleanData, growsWithAmp],
            misconception: 'blame-data',
            followUp: {
              question: 'How does a run look that one broken batch has spoilt?',
              choices: [
                {
                  text: 'Sound up to that batch, and lost from it on. This one grows over all its updates.',
                  right: true,
                  because: 'A jump and a growth have different causes.',
                },
                {
                  text: 'It grows from update to update.',
                  because: 'That is what a step that is too large looks like.',
                  misconception: 'blame-data',
                },
                {
                  text: 'It skips every step from the beginning.',
                  because: 'The batch would have to be the first, and all others.',
                  misconception: 'blame-data',
                },
              ],
            },
          },
        },
      ],
      needs: [
        [float32Fails, bfloat16Fails, growsInFloat32],
        [growsWithAmp, ampTrains, rateTrains, batchTrains, meanTrains],
      ],
      repairs: [
        {
          id: 'elsewhere',
          text: 'Leave mixed precision on, and look at what else has changed.',
          worth: 1,
          because: 'AMP with the old settings trains. The fault is in what came along with it.',
        },
        {
          id: 'float32',
          text: 'Switch mixed precision off again.',
          worth: 0,
          because: 'The run is lost in float32 as well, and sooner: there no step is skipped.',
          misconception: 'amp-came-last',
        },
        {
          id: 'bfloat16',
          text: 'Move to bfloat16.',
          worth: 0,
          because: 'It has the range of float32, and is lost as float32 is.',
          misconception: 'first-inf-is-cause',
        },
        {
          id: 'widen',
          text: 'Run the layer that overflows in float32.',
          worth: 0,
          because: 'Its output grows on, and the next layer is lost, or the loss itself.',
          misconception: 'first-inf-is-cause',
        },
        {
          id: 'scale',
          text: 'Start with a loss scale of 1.',
          worth: 0,
          because: 'Fewer steps are skipped, so the run is lost sooner.',
          misconception: 'skips-mean-scale',
        },
        {
          id: 'clip',
          text: 'Clip the gradients to 1, after unscale_.',
          worth: 0.4,
          because:
            'It stays finite. Nearly every step is clipped then, so the rate means nothing, and nobody knows why it is needed.',
          misconception: 'finite-is-right',
        },
      ],
      repairNeeds: [[float32Fails, bfloat16Fails, ampTrains, rateTrains, batchTrains, meanTrains, threeChanges]],
      deeper: {
        question:
          'In float32 the run is lost within a few steps; with AMP it lasts far longer. So mixed precision makes it more stable?',
        choices: [
          {
            text: 'No: it skips most steps, and a skipped step is an update not made. Counted in updates, both are lost alike.',
            right: true,
            because: 'It takes a handful in either. The scaler is a brake here, by accident.',
          },
          {
            text: 'Yes: rounding works like noise, and regularises.',
            because: 'Count the updates that are made: there are hardly any.',
            misconception: 'amp-came-last',
          },
          {
            text: 'Yes: the scale keeps gradients small.',
            because: 'It is divided out before the optimizer sees them.',
            misconception: 'skips-mean-scale',
          },
        ],
      },
    },
    {
      id: 'cause',
      title: 'What it is, then',
      kind: 'diagnose',
      from: 15,
      prompt: 'So it isn’t mixed precision. It trained for a year. What is it?',
      diagnoses: [
        {
          id: 'sum',
          text: 'The loss is a sum over the batch: eight times the batch had made the step eight times as large already, and the rate was multiplied by eight on top.',
        },
        {
          id: 'rule',
          text: 'The new rate by itself: 0.004 is too much for this model, with whatever batch.',
          wrong: {
            contradictedBy: [rateTrains],
            misconception: 'one-knob',
            followUp: {
              question: 'Two settings changed. Which runs tell whether one of them is enough to break it?',
              choices: [
                {
                  text: 'Each changed alone, with the other as before.',
                  right: true,
                  because: 'Two runs, and they also show whether it takes both.',
                },
                {
                  text: 'Both back as they were.',
                  because: 'That shows that it is among the two, and no more.',
                  misconception: 'one-knob',
                },
                {
                  text: 'Both changed, with another seed.',
                  because: 'That shows that it isn’t luck, and no more.',
                  misconception: 'one-knob',
                },
              ],
            },
          },
        },
        {
          id: 'batch',
          text: 'The larger batch by itself: large batches don’t train.',
          wrong: {
            contradictedBy: [batchTrains, meanTrains],
            misconception: 'one-knob',
            followUp: {
              question: 'What does a larger batch change in the gradient of a mean?',
              choices: [
                {
                  text: 'Its noise: its size hardly. In a sum it changes the size too.',
                  right: true,
                  because: 'Which is why the reduction matters as soon as the batch changes.',
                },
                {
                  text: 'Its size: it grows with the batch.',
                  because: 'That of a sum does; a mean divides by the batch.',
                  misconception: 'scaling-rule',
                },
                {
                  text: 'Its direction: it points elsewhere.',
                  because: 'It estimates the same direction, with less noise.',
                  misconception: 'one-knob',
                },
              ],
            },
          },
        },
        {
          id: 'outliers',
          text: 'Outliers among the features: a larger batch contains more of them.',
          wrong: {
            contradictedBy: [stillLost('clamp', 'with the features clamped to ±2 the run is lost as well'), cleanData],
            misconception: 'blame-data',
            followUp: {
              question: 'How do you show that outliers matter, or that they don’t?',
              choices: [
                {
                  text: 'Clamp them, change nothing else, and run it again.',
                  right: true,
                  because: 'A cause that can be taken away without any effect isn’t one.',
                },
                {
                  text: 'By the standard deviation.',
                  because: 'A statistic of the data says nothing of what the run does with it.',
                  misconception: 'blame-data',
                },
                {
                  text: 'By the loss of the worst batch.',
                  because: 'It is the last place where a fault shows.',
                  misconception: 'blame-data',
                },
              ],
            },
          },
        },
        {
          id: 'init',
          text: 'The initial weights are too large.',
          wrong: {
            contradictedBy: [stillLost('init', 'with initial weights a tenth as large the run is lost as well')],
            misconception: 'one-knob',
            followUp: {
              question: 'A step that is too large for the curvature: what do smaller initial weights change?',
              choices: [
                {
                  text: 'Little: growth by a factor per update doesn’t care where it starts.',
                  right: true,
                  because: 'The step is what is too large, not the start.',
                },
                {
                  text: 'They cure it.',
                  because: 'The run is lost with them as well.',
                  misconception: 'one-knob',
                },
                {
                  text: 'They make it worse.',
                  because: 'They change next to nothing: the step is as large.',
                  misconception: 'one-knob',
                },
              ],
            },
          },
        },
        {
          id: 'unscaled',
          text: 'There is no unscale_: the optimizer takes steps that are larger by the loss scale.',
          wrong: {
            contradictedBy: [float32Fails, scaleOneFails],
            misconception: 'step-forgets-unscale',
            followUp: {
              question: 'What does scaler.step(optimizer) do if unscale_ wasn’t called?',
              choices: [
                {
                  text: 'It calls it itself, then steps, or skips.',
                  right: true,
                  because:
                    'One calls unscale_ only to do something with true gradients before the step, as clipping does.',
                },
                {
                  text: 'It steps with the scaled gradients.',
                  because: 'It divides the scale out first.',
                  misconception: 'step-forgets-unscale',
                },
                {
                  text: 'It raises an error.',
                  because: 'It doesn’t: calling unscale_ twice would.',
                  misconception: 'step-forgets-unscale',
                },
              ],
            },
          },
        },
      ],
      needs: [
        [isASum, sumInCode],
        [threeChanges, rateTrains, batchTrains, meanTrains],
      ],
      repairs: [
        {
          id: 'mean',
          text: 'Take the mean over the batch, and set the rate for a mean: what 0.0005 did to a sum of 16, times eight.',
          worth: 1,
          because: 'Rate and batch are separate then, and the rule of scaling holds: it is about means.',
        },
        {
          id: 'rate',
          text: 'Keep the sum, and the old rate: the sum has scaled the step already.',
          worth: 0.7,
          because: 'The same steps as with the mean. The next change of the batch will do it again.',
        },
        {
          id: 'mean-only',
          text: 'Take the mean, and leave the rate of 0.004.',
          worth: 0.5,
          because: 'It trains, slowly: that rate was meant for a sum.',
          misconception: 'scaling-rule',
        },
        {
          id: 'clip',
          text: 'Clip the gradients to 1.',
          worth: 0.3,
          because: 'Finite, and a different optimizer: nearly every step has the same length.',
          misconception: 'finite-is-right',
        },
        {
          id: 'batch',
          text: 'Go back to batches of 16, at 0.004.',
          worth: 0.2,
          because: 'It trains, unsteadily, and gives up what the memory was freed for.',
          misconception: 'one-knob',
        },
        {
          id: 'init',
          text: 'Initialise smaller.',
          worth: 0,
          because: 'The run is lost with smaller initial weights as well.',
          misconception: 'one-knob',
        },
        {
          id: 'float32',
          text: 'Switch mixed precision off.',
          worth: 0,
          because: 'It is lost in float32 too.',
          misconception: 'amp-came-last',
        },
      ],
      repairNeeds: [[meanTrains, batchTrains, isASum, sumInCode]],
      deeper: {
        question:
          'The dashboard shows the loss per article, and looked the same for both batches. Why didn’t it warn us?',
        choices: [
          {
            text: 'It divides by the batch after the backward: the number is a mean, the gradient a sum’s.',
            right: true,
            because: 'Log what the optimizer sees: the norm of the gradient, and the update beside the weights.',
          },
          {
            text: 'Because it is rounded to float16.',
            because: 'The loss is float32 here.',
            misconception: 'amp-came-last',
          },
          {
            text: 'It should have: a sum has a larger loss.',
            because: 'What is logged has been divided by the batch.',
            misconception: 'scaling-rule',
          },
        ],
      },
    },
    {
      id: 'early',
      title: 'The first skips',
      kind: 'diagnose',
      from: 30,
      prompt:
        'The first {early_skips} steps are skipped, with an ordinary loss, before anything has grown. Is that the same fault?',
      diagnoses: [
        {
          id: 'level',
          text: 'No: 65536 times these gradients is beyond float16, so the scale comes down until they fit. That is what it is for, and it ends by itself.',
        },
        {
          id: 'diverging',
          text: 'Yes: the run is diverging from the first step on.',
          wrong: {
            contradictedBy: [firstUpdateLate],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'What must have happened before a run can diverge?',
              choices: [
                {
                  text: 'An update. There has been none: all those steps were skipped.',
                  right: true,
                  because: 'These skips are from the initial weights.',
                },
                {
                  text: 'A loss that isn’t finite.',
                  because: 'That is how it ends.',
                  misconception: 'first-inf-is-cause',
                },
                {
                  text: 'A large batch.',
                  because: 'It takes a step that is too large.',
                  misconception: 'one-knob',
                },
              ],
            },
          },
        },
        {
          id: 'forward',
          text: 'No: the forward overflows on the first batches.',
          wrong: {
            contradictedBy: [firstForwardFine],
            misconception: 'first-inf-is-cause',
            followUp: {
              question: 'Forward or backward: which of the two does the loss tell you about?',
              choices: [
                {
                  text: 'The forward, if nothing is masked: it is finite here, so the backward it is.',
                  right: true,
                  because: 'And the scale acts on the backward only.',
                },
                {
                  text: 'The backward.',
                  because: 'The loss is there before the backward begins.',
                  misconception: 'skips-mean-scale',
                },
                {
                  text: 'Neither.',
                  because: 'A loss that isn’t finite has seen a value that wasn’t.',
                  misconception: 'skips-mean-scale',
                },
              ],
            },
          },
        },
        {
          id: 'nan',
          text: 'No: some gradient is NaN whatever the scale is, until the right batch comes along.',
          wrong: {
            contradictedBy: [settles, firstForwardFine],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'How do you tell an overflow by the scale from a NaN that is there anyway?',
              choices: [
                {
                  text: 'The same batch at smaller scales: the overflow goes, the NaN stays.',
                  right: true,
                  because: 'One request settles it.',
                },
                {
                  text: 'By the loss.',
                  because: 'It is finite in both cases.',
                  misconception: 'skips-mean-scale',
                },
                {
                  text: 'By the number of skips.',
                  because: 'A NaN that comes and goes skips as many.',
                  misconception: 'skips-mean-scale',
                },
              ],
            },
          },
        },
      ],
      needs: [[settles], [firstUpdateLate, firstForwardFine, ampTrains, batchTrains, meanTrains]],
      repairs: [
        {
          id: 'leave',
          text: 'Leave it. The mean will spare most of these skips, since its gradients are smaller.',
          worth: 1,
          because: 'A few skips at the start are how a dynamic scale finds its level.',
        },
        {
          id: 'lower',
          text: 'Start the scale lower, where it settles.',
          worth: 0.6,
          because: 'It saves a handful of batches, and adds a number to keep up to date.',
        },
        {
          id: 'one',
          text: 'Start the scale at 1.',
          worth: 0.2,
          because:
            'No skips at the start; and small gradients are lost until it has grown, which takes thousands of steps.',
          misconception: 'skips-mean-scale',
        },
        {
          id: 'off',
          text: 'Switch the scaler off.',
          worth: 0,
          because: 'Then nothing stands between an inf and the weights.',
          misconception: 'skips-mean-scale',
        },
        {
          id: 'widen',
          text: 'Run the first layer in float32.',
          worth: 0,
          because: 'The forward is fine.',
          misconception: 'first-inf-is-cause',
        },
      ],
      repairNeeds: [[settles, meanTrains, firstUpdateLate, ampTrains, batchTrains]],
    },
    {
      id: 'chain',
      title: 'From a sum to an inf',
      kind: 'order',
      from: 30,
      prompt: 'Put in order how this run is lost, once its scale has found a level.',
      steps: [
        { id: 'sum', text: 'the gradient of a sum over 128 articles reaches the optimizer' },
        { id: 'update', text: 'the update is nearly as large as the weights' },
        { id: 'overshoot', text: 'the predictions overshoot the demand' },
        { id: 'larger', text: 'the next gradient is larger than the last' },
        { id: 'skips', text: 'gradients no longer fit under the scale, and steps are skipped' },
        { id: 'forward', text: 'an output leaves float16 in the forward' },
        { id: 'loss', text: 'the loss isn’t finite' },
        { id: 'stuck', text: 'every step is skipped from there on, whatever the scale is' },
      ],
      because: 'The inf in a float16 layer is the last but two. Widening it leaves everything before it as it is.',
    },
    {
      id: 'factor',
      title: 'How much larger',
      kind: 'predict',
      from: 15,
      prompt:
        'A batch of 16 becomes one of 128, the loss stays a sum, the rate is multiplied by eight. If all articles were alike, how many times as large would an update be?',
      truth: 'scenario.step_factor()',
      tolerance: { relative: 0.02 },
      because: 'Eight times the terms, times eight times the rate.',
    },
    {
      id: 'edge',
      title: 'The edge',
      kind: 'predict',
      from: 30,
      prompt: 'SGD without momentum on the loss w². Beyond which rate does every step take w further from 0?',
      truth: 'scenario.edge()',
      tolerance: { absolute: 0.02 },
      because:
        'The step is 2 · rate · w: at a rate of 1 it lands on -w, as far away as it was. The edge is 2 / curvature.',
    },
    {
      id: 'updates-to-inf',
      title: 'How long it takes',
      kind: 'predict',
      from: 45,
      prompt: 'An output is 1, and triples with every update. After how many updates is it inf in float16?',
      truth: 'next(k for k in range(1, 99) if torch.isinf(torch.tensor(3.0**k).half()).item())',
      tolerance: { absolute: 0 },
      because:
        'The tenth power of 3 is 59049, which fits; the eleventh doesn’t. In float32 it would take 81: the format decides when, not whether.',
    },
    {
      id: 'fix',
      title: 'The fix',
      kind: 'fix',
      from: 15,
      prompt:
        'Write the training step for a batch that comes in parts, so that neither their number nor their sizes matter.',
    },
    {
      id: 'explain',
      title: 'Two minutes for the team',
      kind: 'explain',
      from: 30,
      prompt:
        '“It broke when we switched AMP on, and the inf is in a float16 layer. Switch it off.” Answer, in two minutes.',
      seconds: 120,
      rubric: [
        {
          id: 'control',
          text: 'says that the same run in float32 is lost too, and that AMP with the old settings trains',
        },
        { id: 'three', text: 'says that the commit changed three things, and that it takes two of them together' },
        { id: 'sum', text: 'names the cause: a sum over the batch, times a rate scaled for a mean' },
        { id: 'inf', text: 'says why the first inf is in float16 all the same, and isn’t the cause' },
        { id: 'skips', text: 'tells the first skips (the scale finds its level) from the last (everything is lost)' },
        { id: 'repair', text: 'gives the repair, and what to log so that it is seen next time' },
      ],
      model:
        'I’d leave it on. The same run in float32 is lost within a few steps; and with AMP on, batch and rate as before Tuesday, it trains. That commit changed three things: AMP, a batch eight times as large, and a rate eight times as large. Each of the last two alone still trains; together they don’t, because our loss is a sum over the batch. The sum had made the step eight times as large already, and the rule that scales the rate with the batch is about means. Updates as large as the weights overshoot, and grow. float16 is where that ends first, since it ends at 65504; float32 only ends later, and by the number of updates not even that. The skips at the start are something else: 65536 times the gradients of a sum doesn’t fit, so the scale comes down, as it should. I’d take the mean, set the rate for a mean, and log the norm of the unscaled gradient and the update beside the weights: the loss per article hid all of this.',
    },
  ],
  interruptions: [
    {
      id: 'why-32768',
      when: { asked: 'scale-trace' },
      question: 'At the second step the scale is 32768. Why not 65536?',
      choices: [
        {
          text: 'Some gradient wasn’t finite at 65536. If that is only the scale, it will stop where they fit.',
          right: true,
          because: 'Whether it stops is the thing to look at.',
        },
        {
          text: '65536 isn’t representable in float16.',
          because: 'The scale is a float32 number.',
          misconception: 'scale-is-half',
        },
        {
          text: 'The loss went up, so the scaler went down.',
          because: 'It doesn’t look at the loss.',
          misconception: 'skips-mean-scale',
        },
      ],
    },
    {
      id: 'same-batch',
      when: { answered: 'amp' },
      question:
        'A colleague has seen it: at that step the batch is finite in float32 and bfloat16, and isn’t in float16. “Range,” she says. And?',
      choices: [
        {
          text: 'It is out of range: because the weights have run away. I’d ask what the float32 loss is.',
          right: true,
          because: 'A loss can be finite and so large that no run that gives it is sound.',
        },
        {
          text: 'Then it is range, and that layer has to be widened.',
          because: 'The run is lost in float32 too.',
          misconception: 'first-inf-is-cause',
        },
        {
          text: 'She must have made a mistake.',
          because: 'She hasn’t: it is what the three dtypes show at that step.',
          misconception: 'first-inf-is-cause',
        },
      ],
    },
    {
      id: 'clip',
      when: { elapsed: 0.55 },
      question: 'Why don’t we clip the gradients to 1, and be done?',
      choices: [
        {
          text: 'It would stay finite; but nearly every step would be clipped, and the rate would no longer mean what it says.',
          right: true,
          because: 'Clipping is for the rare large gradient, not for a step of the wrong size.',
        },
        {
          text: 'Because clipping doesn’t work with a GradScaler.',
          because: 'It does, after unscale_.',
          misconception: 'step-forgets-unscale',
        },
        {
          text: 'No reason. It is what clipping is for.',
          because: 'It hides a factor that nobody has understood.',
          misconception: 'finite-is-right',
        },
      ],
    },
  ],
  misconceptions: {
    'first-inf-is-cause': {
      title: 'Where the first inf is, there is the fault',
      text: 'It is the first thing that can’t be held. If what is before it grew for many updates, the fault is in the growth: run the same in float32.',
      lesson: 'three-failures',
    },
    'amp-came-last': {
      title: 'It broke with mixed precision, so mixed precision broke it',
      text: 'Ask what else changed, and try each by itself. Nonfinite in float32 too means: look at model, data and rate first.',
      lesson: 'three-failures',
    },
    'skips-mean-scale': {
      title: 'A skipped step means a wrong scale',
      text: 'A few skips at the start are the scale finding its level; skips without end have another cause. The weights don’t move in either.',
      lesson: 'gradscaler-ordering',
    },
    'underflow-diverges': {
      title: 'Underflow makes a run diverge',
      text: 'A gradient that is zero moves nothing. Underflow makes a loss flat.',
      lesson: 'range-versus-precision',
    },
    'blame-data': {
      title: 'The data must be to blame',
      text: 'A broken batch spoils a run at one step. What grows over all its updates isn’t the data’s doing.',
      lesson: 'three-failures',
    },
    'one-knob': {
      title: 'One setting is to blame',
      text: 'Two that are harmless alone may not be together. Change each by itself before naming one.',
      lesson: 'three-failures',
    },
    'scaling-rule': {
      title: 'Eight times the batch, eight times the rate, always',
      text: 'The rule is for the mean over a batch. The gradient of a sum has grown with the batch already.',
      lesson: 'gradscaler-ordering',
    },
    'finite-is-right': {
      title: 'Finite means right',
      text: 'Clipping every step keeps it finite, and hides why it had to be.',
      lesson: 'gradscaler-ordering',
    },
    'step-forgets-unscale': {
      title: 'Without unscale_ the optimizer sees scaled gradients',
      text: 'scaler.step() unscales first where nobody has. Calling unscale_ yourself is for what comes before the step: clipping, logging.',
      lesson: 'gradscaler-ordering',
    },
    'scale-is-half': {
      title: 'The loss scale must fit float16',
      text: 'It is a float32 number, and the loss that it multiplies is float32 under autocast.',
      lesson: 'gradscaler-ordering',
    },
  },
  expert: [
    {
      ask: { evidence: 'change', parameters: { change: 'float32' } },
      why: 'The control: everything as it is, without AMP. It is lost too.',
    },
    {
      ask: { evidence: 'growth', parameters: { precision: 'amp' } },
      why: 'The updates that were made: each larger than the last, long before the first inf. And none before the first skips end.',
    },
    { ask: { evidence: 'commit' }, why: 'What came along with AMP: batch and rate, each times eight.' },
    {
      ask: { evidence: 'batch-size', parameters: { step: '0' } },
      why: 'Eight times the articles, eight times the loss: it is a sum, and had scaled the step already.',
    },
    {
      ask: { evidence: 'scale-sweep', parameters: { module: '', step: '0' } },
      why: 'The first skips: finite at small scales, so only the scale is looking for its level.',
    },
  ],
});
