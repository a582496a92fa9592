import { catalogue } from '../kit/catalogue';
import { defineInterview, type Support } from '../kit/schema';

// Changes to run.py that can be tried.
const FLOAT32_FIELDS = ['x = x.to(DTYPE)', 'x = x.float()'] as const;
const SHIFTED = [
  'e = torch.exp(scores.to(DTYPE))',
  'e = torch.exp(scores.to(DTYPE) - scores.to(DTYPE).amax(-1, keepdim=True))',
] as const;

const check = (module: string, step: 'overflow_step' | 'softmax_step') => ({ module, step: `{${step}}` });

/** At the step in question, `module` gets finite values and gives others. */
const breaks = (module: string, step: 'overflow_step' | 'softmax_step', says: string): Support => ({
  evidence: 'finite-check',
  shows: (f, o) => f.module === module && f.step === o[step] && f.inputs_finite === true && f.outputs_finite === false,
  says,
  ask: check(module, step),
});
const holds = (module: string, step: 'overflow_step' | 'softmax_step', says: string): Support => ({
  evidence: 'finite-check',
  shows: (f, o) => f.module === module && f.step === o[step] && f.outputs_finite === true,
  says,
  ask: check(module, step),
});
/** The batch is finite in float32 and bfloat16, and not in float16, with no loss scale at all. */
const onlyHalf = (step: 'overflow_step' | 'softmax_step'): Support => ({
  evidence: 'same-batch',
  shows: (f, o) =>
    f.step === o[step] && f.float32_finite === true && f.bfloat16_finite === true && f.float16_finite === false,
  says: 'the same batch with the same weights is finite in float32 and bfloat16, and not in float16, without any loss scale',
  ask: { step: `{${step}}` },
});
const cleanData: Support = {
  evidence: 'data',
  shows: (f) => f.nonfinite_fields === 0 && f.nonfinite_item === 0 && f.nonfinite_history === 0,
  says: 'no input holds a NaN or an inf in the whole run',
  ask: {},
};
const neverFinite: Support = {
  evidence: 'skipped-steps',
  shows: (f) => Number(f.skipped) > 0 && f.skipped_with_finite_loss === 0,
  says: 'every skipped step had a nonfinite loss already: none overflowed in the backward',
  ask: {},
};
const scaleFell: Support = {
  evidence: 'scale-trace',
  shows: (f) => Number(f.falls) >= 8 && Number(f.last) < Number(f.first) / 128,
  says: 'the scale is halved again and again and never grows: it ends far below where it began',
  ask: {},
};
const changed = (change: string, shows: Support['shows'], says: string): Support => ({
  evidence: 'change',
  shows: (f, o) => f.change === change && shows(f, o),
  says,
  ask: { change },
});
const revived: Support = {
  evidence: 'scale-sweep',
  shows: (f) => f.module === 'dwell' && Number(f.zero_share_at_1) > 0.5 && Number(f.zero_share_at_1024) < 0.5,
  says: 'the very same gradients of dwell are zero at scale 1 and alive at scale 1024',
  ask: { module: 'dwell', step: '{dead_step}' },
};
const allZero: Support = {
  evidence: 'gradients',
  shows: (f) => f.module === 'dwell' && f.zero_share === 1 && f.loss_finite === true && f.nonfinite === 0,
  says: 'the gradients of dwell are zero before unscale_ already, on a step whose loss is finite',
  ask: { module: 'dwell', step: '{dead_step}' },
};

export default defineInterview({
  title: 'Three probes',
  summary:
    'A ranker got faster, loses a batch now and then, and one of its heads has stopped learning. A teammate wants a larger loss scale.',
  order: 10,
  version: 1,
  seeds: [3, 5, 8, 10, 2],
  steps: 48,
  brief: [
    'We turned on mixed precision in our click ranker on Tuesday. It is faster. But now and then the loss of a batch isn’t finite and the update is skipped, and the dwell-time head, which is trained beside the click, has stopped learning.',
    'A teammate says: the loss became inf, so make the loss scale larger. Before we do, I’d like your reading. There may be more than one thing wrong. Ask for what you need; what you ask for costs time. When you tell me what it is, show me what it rests on.',
  ],
  opening: 'scenario.opening()',
  symptoms: [
    {
      says: 'a step is lost to Fields alone',
      shows: (f) => Number(f.overflow_step) >= 0 && f.overflow_loss_finite === false,
    },
    {
      says: 'a step is lost to the attention alone',
      shows: (f) => Number(f.softmax_step) >= 0 && f.softmax_loss_finite === false,
    },
    {
      says: 'on a later step with a finite loss, dwell has no gradient at all',
      shows: (f) => Number(f.dead_step) >= 20 && f.dead_loss_finite === true,
    },
    { says: 'at least a sixth of the steps are lost', shows: (f) => Number(f.lost) >= 8 },
  ],
  evidence: catalogue({
    modules: ['query', 'fields', 'attention', 'mix', 'click', 'dwell'].map((id) => ({ id, title: id })),
    inputs: ['fields', 'history', 'item', 'clicked', 'stayed'],
    places: ['Fields', 'Attention', 'Ranker', 'build', 'batch_at', 'compute_loss', 'train_step'],
    changes: [
      {
        id: 'scale-2-20',
        title: 'The loss scale starts at 2^20',
        replace: [['init_scale=1024.0', 'init_scale=2.0**20']],
      },
      { id: 'no-scale', title: 'No loss scaling at all', replace: [['init_scale=1024.0', 'enabled=False']] },
      { id: 'fields-float32', title: 'Fields computes in float32', replace: [FLOAT32_FIELDS] },
      {
        id: 'attention-float32',
        title: 'The attention’s exp and sum in float32',
        replace: [['e = torch.exp(scores.to(DTYPE))', 'e = torch.exp(scores.float())']],
      },
      { id: 'attention-shift', title: 'The attention subtracts the row’s maximum', replace: [SHIFTED] },
      { id: 'both', title: 'Fields in float32, and the maximum subtracted', replace: [FLOAT32_FIELDS, SHIFTED] },
      {
        id: 'bfloat16',
        title: 'Everything in bfloat16',
        replace: [['DTYPE = torch.float16', 'DTYPE = torch.bfloat16']],
      },
    ],
  }),
  probeCost: 3,
  questions: [
    {
      id: 'overflow',
      title: 'The first lost batch',
      kind: 'diagnose',
      from: 15,
      prompt:
        'The loss of step {overflow_step} isn’t finite. What goes wrong on that batch, and what do we do about it?',
      diagnoses: [
        {
          id: 'square',
          text: 'Fields squares a value of about 10000 in float16: 1e8 is beyond 65504, so the size is inf, and everything after it is lost.',
        },
        {
          id: 'scale',
          text: 'The loss scale is too large for this batch: scaled gradients overflow in the backward.',
          wrong: {
            contradictedBy: [onlyHalf('overflow_step'), neverFinite],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'The loss itself isn’t finite. When, in a step, does the scale come into it?',
              choices: [
                {
                  text: 'After the forward: it multiplies a loss that is lost already.',
                  right: true,
                  because: 'So no scale, large or small, can be the reason.',
                },
                {
                  text: 'Before the forward: it multiplies the inputs.',
                  because: 'It multiplies the loss, once the forward has ended.',
                  misconception: 'scale-helps-forward',
                },
                {
                  text: 'In the optimizer: it multiplies the update.',
                  because: 'The optimizer sees unscaled gradients; scaling is between the two.',
                  misconception: 'scale-helps-forward',
                },
              ],
            },
          },
        },
        {
          id: 'data',
          text: 'The batch holds a NaN or an inf: the data is broken.',
          wrong: {
            contradictedBy: [cleanData, onlyHalf('overflow_step')],
            misconception: 'blame-data',
            followUp: {
              question: 'If the input held a NaN, what would the same batch give in float32?',
              choices: [
                {
                  text: 'A nonfinite loss as well.',
                  right: true,
                  because: 'And it doesn’t: a NaN survives every format.',
                },
                {
                  text: 'A finite loss: float32 has the range for it.',
                  because: 'A NaN is a NaN in every format; range has nothing to do with it.',
                  misconception: 'blame-data',
                },
                {
                  text: 'It depends on the seed.',
                  because: 'NaN propagates through sums and products whatever else they hold.',
                  misconception: 'blame-data',
                },
              ],
            },
          },
        },
        {
          id: 'softmax',
          text: 'The attention’s softmax: exp of a large score overflows.',
          wrong: {
            contradictedBy: [holds('attention', 'overflow_step', 'the attention’s output is finite on that batch')],
            misconception: 'one-fault',
            followUp: {
              question: 'How would you tell which of two suspects came first on one batch?',
              choices: [
                {
                  text: 'A finite check at the output of each, on that very batch.',
                  right: true,
                  because: 'The first nonfinite value in graph order is the cause; what comes after it is a symptom.',
                },
                {
                  text: 'The loss curve: the shape tells.',
                  because: 'The loss is the last place where a fault shows, and looks the same for both.',
                  misconception: 'look-at-the-loss',
                },
                {
                  text: 'Repair both and see.',
                  because: 'It may end the symptom, and you’d still not know what it was.',
                  misconception: 'one-fault',
                },
              ],
            },
          },
        },
        {
          id: 'diverged',
          text: 'The model diverges: the learning rate is too high, and mixed precision only shows it.',
          wrong: {
            contradictedBy: [onlyHalf('overflow_step')],
            misconception: 'blame-data',
            followUp: {
              question: 'What would the same weights and the same batch give in float32, if the model had diverged?',
              choices: [
                {
                  text: 'Values just as extreme: the weights are the same.',
                  right: true,
                  because: 'A finite float32 loss on those weights speaks for a problem of range.',
                },
                {
                  text: 'A finite loss, as always in float32.',
                  because: 'A diverged model overflows float32 as well, or gives a huge loss.',
                  misconception: 'blame-data',
                },
                {
                  text: 'One can’t know without training in float32 from the start.',
                  because: 'One forward with the weights as they were at that step is enough.',
                  misconception: 'look-at-the-loss',
                },
              ],
            },
          },
        },
      ],
      needs: [
        [
          breaks(
            'fields',
            'overflow_step',
            'Fields gets finite inputs on that batch and gives an inf: the first nonfinite value',
          ),
        ],
        [
          onlyHalf('overflow_step'),
          {
            evidence: 'data',
            shows: (f) => Number(f.largest_fields) === 10000,
            says: 'an input of the run reaches 10000, whose square is beyond 65504',
            ask: {},
          },
          changed(
            'fields-float32',
            (f) => Number(f.nonfinite_after) < Number(f.nonfinite_before),
            'with Fields in float32 fewer batches are lost',
          ),
        ],
      ],
      repairs: [
        {
          id: 'widen',
          text: 'Compute the size in float32, that operation and no other; or divide by the largest field first.',
          worth: 1,
          because: 'It reaches the operation that overflows, and leaves the rest fast.',
        },
        {
          id: 'bfloat16',
          text: 'Run everything in bfloat16.',
          worth: 0.5,
          because: 'It has the range. It also gives up three bits of significand everywhere, for one operation.',
        },
        {
          id: 'scale',
          text: 'Make the loss scale larger, as the teammate says.',
          worth: 0,
          because: 'The scale multiplies a loss that is lost already.',
          misconception: 'scale-helps-forward',
        },
        {
          id: 'smaller',
          text: 'Make the loss scale smaller.',
          worth: 0,
          because: 'The forward knows nothing of the scale.',
          misconception: 'scale-helps-forward',
        },
        {
          id: 'clip',
          text: 'Clip the gradients harder.',
          worth: 0,
          because: 'Clipping divides by an infinite norm: inf becomes NaN, and the step is skipped before that.',
          misconception: 'scale-helps-forward',
        },
        {
          id: 'nan-to-num',
          text: 'Replace nonfinite values by 65504 after the operation.',
          worth: 0.2,
          because: 'The loss is finite then, and the feature is wrong for exactly the items that matter.',
          misconception: 'finite-is-right',
        },
      ],
      repairNeeds: [
        [
          changed(
            'fields-float32',
            (f) => Number(f.nonfinite_after) < Number(f.nonfinite_before),
            'with Fields in float32 fewer batches are lost',
          ),
          changed('both', (f) => f.nonfinite_after === 0, 'with both repairs no batch is lost'),
          changed('bfloat16', (f) => f.nonfinite_after === 0, 'in bfloat16 no batch is lost'),
          onlyHalf('overflow_step'),
        ],
      ],
      deeper: {
        question: 'Fields gives a finite direction, x / size, even when size is inf. What does the model see then?',
        choices: [
          {
            text: 'A direction of zeros: the overflow would pass unnoticed but for the log.',
            right: true,
            because: 'x / inf is 0: finite, silent and wrong. The log of the size is what made it loud.',
          },
          {
            text: 'A direction of NaN.',
            because: 'A finite value divided by inf is 0, not NaN.',
            misconception: 'finite-is-right',
          },
          {
            text: 'The direction it should be: inf cancels.',
            because: 'Nothing cancels: x / inf is 0.',
            misconception: 'finite-is-right',
          },
        ],
      },
    },
    {
      id: 'softmax',
      title: 'The second lost batch',
      kind: 'diagnose',
      from: 15,
      prompt: 'Step {softmax_step} is lost as well. Is it the same thing?',
      diagnoses: [
        {
          id: 'exp',
          text: 'No: the hand-written softmax. exp of a score above 11.09 is inf in float16, and inf / inf is NaN.',
        },
        {
          id: 'same',
          text: 'Yes: the squares in Fields overflow on this batch too.',
          wrong: {
            contradictedBy: [holds('fields', 'softmax_step', 'the output of Fields is finite on that batch')],
            misconception: 'one-fault',
            followUp: {
              question: 'Two batches are lost with the same symptom. What would make it one fault?',
              choices: [
                {
                  text: 'The same first nonfinite value in both.',
                  right: true,
                  because: 'The symptom is the same for every fault; the first bad value isn’t.',
                },
                {
                  text: 'The same nonfinite loss.',
                  because: 'Every fault upstream ends in the same NaN.',
                  misconception: 'look-at-the-loss',
                },
                {
                  text: 'That both updates were skipped.',
                  because: 'The scaler skips whatever is nonfinite, and asks for no reason.',
                  misconception: 'skips-mean-scale',
                },
              ],
            },
          },
        },
        {
          id: 'scores',
          text: 'The product that gives the scores overflows: it accumulates in float16.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'finite-check',
                shows: (f, o) => f.module === 'attention' && f.step === o.softmax_step && f.inputs_finite === true,
                says: 'the scores are finite when the attention gets them',
                ask: check('attention', 'softmax_step'),
              },
            ],
            misconception: 'matmul-accumulates-half',
            followUp: {
              question: 'In which precision does a float16 matrix product usually accumulate?',
              choices: [
                {
                  text: 'float32, rounded once at the end; which kernel and flag decides.',
                  right: true,
                  because: 'So a product overflows only if its result does.',
                },
                {
                  text: 'float16, like its inputs.',
                  because: 'Tensor cores and the usual libraries accumulate in float32.',
                  misconception: 'matmul-accumulates-half',
                },
                {
                  text: 'float64.',
                  because: 'No: float32, rounded once at the end.',
                  misconception: 'matmul-accumulates-half',
                },
              ],
            },
          },
        },
        {
          id: 'autocast',
          text: 'Autocast runs exp in float16, where it overflows: its lists are wrong for attention.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'op-dtypes',
                shows: (f) => f.exp === 'float16' && f['exp autocast'] === 'not touched',
                says: 'exp runs in float16 and autocast didn’t touch it: the code has left autocast',
                ask: { step: '{softmax_step}' },
              },
              {
                evidence: 'code',
                shows: (f) => f.place === 'Attention',
                says: 'the attention switches autocast off and casts to float16 itself',
                ask: { place: 'Attention' },
              },
            ],
            misconception: 'amp-names-dtypes',
            followUp: {
              question: 'What does autocast do with exp on CUDA?',
              choices: [
                {
                  text: 'It runs it in float32: exp is on that list. So something here has left autocast.',
                  right: true,
                  because: '“AMP is on” doesn’t name the dtype of an op; ask for it.',
                },
                {
                  text: 'It runs it in float16, as everything.',
                  because: 'exp, log, softmax and sums are on the float32 list.',
                  misconception: 'amp-names-dtypes',
                },
                {
                  text: 'It depends on the input’s range.',
                  because: 'Autocast looks at the op’s name, never at values.',
                  misconception: 'amp-names-dtypes',
                },
              ],
            },
          },
        },
        {
          id: 'scale',
          text: 'The loss scale: it was still too large at that step.',
          wrong: {
            contradictedBy: [onlyHalf('softmax_step'), neverFinite],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'The loss itself isn’t finite. When, in a step, does the scale come into it?',
              choices: [
                {
                  text: 'After the forward: it multiplies a loss that is lost already.',
                  right: true,
                  because: 'So no scale, large or small, can be the reason.',
                },
                {
                  text: 'Before the forward: it multiplies the inputs.',
                  because: 'It multiplies the loss, once the forward has ended.',
                  misconception: 'scale-helps-forward',
                },
                {
                  text: 'In the optimizer: it multiplies the update.',
                  because: 'The optimizer sees unscaled gradients.',
                  misconception: 'scale-helps-forward',
                },
              ],
            },
          },
        },
      ],
      needs: [
        [
          breaks(
            'attention',
            'softmax_step',
            'the attention gets finite scores on that batch and gives NaN: the first nonfinite value',
          ),
        ],
        [
          {
            evidence: 'op-dtypes',
            shows: (f) => f.exp === 'float16',
            says: 'exp runs in float16, outside of autocast',
            ask: { step: '{softmax_step}' },
          },
          {
            evidence: 'code',
            shows: (f) => f.place === 'Attention',
            says: 'the code exponentiates float16 scores with nothing subtracted',
            ask: { place: 'Attention' },
          },
          changed(
            'attention-shift',
            (f) => Number(f.nonfinite_after) < Number(f.nonfinite_before),
            'with the maximum subtracted fewer batches are lost',
          ),
        ],
      ],
      repairs: [
        {
          id: 'shift',
          text: 'Subtract the row’s maximum before exp, or call torch.softmax.',
          worth: 1,
          because: 'The exponentials are at most 1 in any format.',
        },
        {
          id: 'float32',
          text: 'Compute exp and the sum in float32.',
          worth: 0.5,
          because: 'It moves the cliff from 11 to 88; the formula stays unstable.',
          misconception: 'wider-is-stable',
        },
        {
          id: 'bfloat16',
          text: 'Run everything in bfloat16.',
          worth: 0.4,
          because: 'The same cliff at 88, and three bits fewer everywhere.',
          misconception: 'wider-is-stable',
        },
        {
          id: 'clamp',
          text: 'Clamp the scores to 11.',
          worth: 0.1,
          because: 'It is finite, and another function: every score above 11 counts the same.',
          misconception: 'finite-is-right',
        },
        {
          id: 'scale',
          text: 'Make the loss scale larger.',
          worth: 0,
          because: 'The forward knows nothing of the scale.',
          misconception: 'scale-helps-forward',
        },
        {
          id: 'scores',
          text: 'Compute the scores in float32.',
          worth: 0,
          because: 'The scores are fine, and are cast to float16 before exp anyway.',
          misconception: 'matmul-accumulates-half',
        },
      ],
      repairNeeds: [
        [
          changed(
            'attention-shift',
            (f) => Number(f.nonfinite_after) < Number(f.nonfinite_before),
            'with the maximum subtracted fewer batches are lost',
          ),
          changed('both', (f) => f.nonfinite_after === 0, 'with both repairs no batch is lost'),
          changed(
            'attention-float32',
            (f) => Number(f.nonfinite_after) < Number(f.nonfinite_before),
            'with exp in float32 fewer batches are lost',
          ),
          changed('bfloat16', (f) => f.nonfinite_after === 0, 'in bfloat16 no batch is lost'),
          {
            evidence: 'finite-check',
            shows: (f, o) => f.module === 'attention' && f.step === o.softmax_step && Number(f.largest_input) > 11.09,
            says: 'the scores reach beyond 11.09, where exp leaves float16',
            ask: check('attention', 'softmax_step'),
          },
          {
            evidence: 'code',
            shows: (f) => f.place === 'Attention',
            says: 'the code exponentiates float16 scores with nothing subtracted',
            ask: { place: 'Attention' },
          },
        ],
      ],
      deeper: {
        question: 'Float32 repairs this batch as well. Why not just widen?',
        choices: [
          {
            text: 'It moves the cliff from 11 to 88. Subtracting the maximum removes it, and costs nothing.',
            right: true,
            because: 'The formula is what is unstable; the width only says where.',
          },
          {
            text: 'float32 is too slow for a softmax.',
            because: 'A softmax is bound by memory; the library computes in float32 inside anyway.',
            misconception: 'wider-is-stable',
          },
          {
            text: 'No reason: both are the same.',
            because: 'They differ from a score of 88 on.',
            misconception: 'wider-is-stable',
          },
        ],
      },
    },
    {
      id: 'dwell',
      title: 'The silent head',
      kind: 'diagnose',
      from: 15,
      prompt: 'At step {dead_step} the loss is finite, and yet every gradient of the dwell head is exactly 0. Why?',
      diagnoses: [
        {
          id: 'underflow',
          text: 'Underflow: its loss has weight 1e-7, and the scale has been halved so often that its gradients round to zero in float16.',
        },
        {
          id: 'detached',
          text: 'The head is cut off: its input is detached, so no gradient reaches it.',
          wrong: {
            contradictedBy: [revived],
            misconception: 'detach-stops-all',
            followUp: {
              question: 'dwell(x.detach()): which gradients does the detach remove?',
              choices: [
                {
                  text: 'Those that would flow on into x; the head’s own parameters get theirs.',
                  right: true,
                  because: 'The graph is cut before the head, not inside it.',
                },
                {
                  text: 'All of the head’s.',
                  because: 'Its weight and bias still take part in a recorded operation.',
                  misconception: 'detach-stops-all',
                },
                {
                  text: 'None: detach is only for values.',
                  because: 'It cuts the graph at x.',
                  misconception: 'detach-stops-all',
                },
              ],
            },
          },
        },
        {
          id: 'overflowed',
          text: 'Its gradients overflow, and the scaler sets them to zero.',
          wrong: {
            contradictedBy: [allZero, revived],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'What does GradScaler do with a nonfinite gradient?',
              choices: [
                {
                  text: 'It skips the whole step and halves the scale.',
                  right: true,
                  because: 'It replaces nothing; a zero gradient was a zero before.',
                },
                {
                  text: 'It sets it to zero.',
                  because: 'It never writes a value of its own into a gradient.',
                  misconception: 'skips-mean-scale',
                },
                {
                  text: 'It clips it.',
                  because: 'Clipping is a call of its own, and doesn’t help inf.',
                  misconception: 'skips-mean-scale',
                },
              ],
            },
          },
        },
        {
          id: 'storage',
          text: 'Its parameters are kept in float16, and updates of this size are lost when they are added.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'state-dtypes',
                shows: (f) => f.parameters_float32 === true,
                says: 'all parameters and all optimizer state are float32',
                ask: {},
              },
              allZero,
            ],
            misconception: 'storage-is-range',
            followUp: {
              question:
                'The gradient is exactly zero before the optimizer runs. What does that say of the parameters’ dtype?',
              choices: [
                {
                  text: 'Nothing: whatever was lost was lost in the backward.',
                  right: true,
                  because: 'Storage, range and precision are three questions.',
                },
                {
                  text: 'That it must be float16.',
                  because:
                    'A parameter’s dtype can’t make its gradient zero here; look where the gradient is computed.',
                  misconception: 'storage-is-range',
                },
                {
                  text: 'That Adam’s eps is too large.',
                  because: 'The optimizer hasn’t run yet.',
                  misconception: 'storage-is-range',
                },
              ],
            },
          },
        },
        {
          id: 'scale-high',
          text: 'The loss scale has grown too large for it.',
          wrong: {
            contradictedBy: [scaleFell, revived],
            misconception: 'skips-mean-scale',
            followUp: {
              question: 'What does a scale that is too large do to a gradient?',
              choices: [
                {
                  text: 'It makes it inf, never 0.',
                  right: true,
                  because: 'Zeros come from the other end of the range.',
                },
                {
                  text: 'It makes it 0.',
                  because: 'Multiplying by more can’t bring a value nearer to zero.',
                  misconception: 'skips-mean-scale',
                },
                {
                  text: 'It makes it too imprecise to be seen.',
                  because: 'A power of two changes the exponent only.',
                  misconception: 'skips-mean-scale',
                },
              ],
            },
          },
        },
      ],
      needs: [[allZero, revived], [scaleFell]],
      repairs: [
        {
          id: 'stop-skips',
          text: 'Repair the two forwards. Then the scale stays where it began, and dynamic scaling does its work.',
          worth: 1,
          because: 'The scale fell because of the other two faults: this one is their consequence.',
        },
        {
          id: 'scale-2-20',
          text: 'Start the loss scale at 2^20.',
          worth: 0.3,
          because: 'It buys ten more lost batches, then the head is silent again.',
          misconception: 'scale-helps-forward',
        },
        {
          id: 'island',
          text: 'Run the dwell head and its loss in float32, outside of autocast.',
          worth: 0.6,
          because: 'It saves this head. The scale keeps falling for all the others.',
        },
        {
          id: 'store',
          text: 'Keep the head’s parameters in float32.',
          worth: 0,
          because: 'They are in float32.',
          misconception: 'storage-is-range',
        },
        {
          id: 'rate',
          text: 'Give the head a larger learning rate.',
          worth: 0,
          because: 'Any rate times zero is zero.',
          misconception: 'storage-is-range',
        },
        {
          id: 'floor',
          text: 'Never let the scale fall below 1024.',
          worth: 0.4,
          because: 'The head lives. The skips go on, and now nothing warns of them.',
          misconception: 'skips-mean-scale',
        },
      ],
      repairNeeds: [
        [
          changed(
            'both',
            (f) => f.skipped_after === 0 && Number(f.last_scale) >= 1024,
            'with both forwards repaired nothing is skipped, and the scale stays at 1024',
          ),
          revived,
          neverFinite,
        ],
      ],
      deeper: {
        question: 'So a larger scale does help this head. Was the teammate right?',
        choices: [
          {
            text: 'For this head and for a while: the skips go on and halve whatever we start with.',
            right: true,
            because: 'Scaling repairs underflow as long as the forward is finite. The order matters: forward first.',
          },
          {
            text: 'Yes: start at 2^24 and it is over.',
            because: 'Each lost batch halves it; the lost batches stay.',
            misconception: 'scale-helps-forward',
          },
          {
            text: 'No: scaling never helps with gradients.',
            because: 'Underflow in the backward is what it is for.',
            misconception: 'storage-is-range',
          },
        ],
      },
    },
    {
      id: 'order',
      title: 'The step, in order',
      kind: 'order',
      from: 30,
      prompt: 'Put one training step with clipping and a GradScaler in order.',
      steps: [
        { id: 'zero', text: 'optimizer.zero_grad()' },
        { id: 'forward', text: 'forward and loss under autocast' },
        { id: 'backward', text: 'scaler.scale(loss).backward(), outside of autocast' },
        { id: 'unscale', text: 'scaler.unscale_(optimizer)' },
        { id: 'clip', text: 'clip_grad_norm_(parameters, 1.0)' },
        { id: 'step', text: 'scaler.step(optimizer)' },
        { id: 'update', text: 'scaler.update()' },
      ],
      because:
        'The threshold must meet true gradients, so unscale_ comes before clipping; step looks at what unscale_ found, and update changes the scale once, at the end.',
    },
    {
      id: 'square',
      title: 'Where squares end',
      kind: 'predict',
      from: 15,
      prompt: 'Up to which value x is x · x finite in float16? One decimal is enough.',
      truth: '(lambda x: x[torch.isfinite(x * x)].max().item())((torch.arange(2000, 2100) / 8).half())',
      tolerance: { absolute: 0.2 },
      because:
        'Results of 65520 and more round to inf: x is below √65520, about 255.97. The largest float16 below it is meant.',
    },
    {
      id: 'smallest-scale',
      title: 'The smallest scale that helps',
      kind: 'predict',
      from: 30,
      prompt:
        'A gradient is 1e-8. Which is the smallest power of two, as loss scale, at which it isn’t rounded to zero in float16?',
      truth: 'next(2.0**k for k in range(20) if torch.tensor(1e-8 * 2.0**k).half().item() > 0)',
      tolerance: { absolute: 0 },
      because: 'What is above half of the smallest subnormal, 2.98e-8, survives: 2e-8 doesn’t, 4e-8 does.',
    },
    {
      id: 'exp-limit',
      title: 'Where exp ends',
      kind: 'predict',
      from: 45,
      prompt: 'Up to which score is exp finite in float16? One decimal is enough.',
      truth: '(lambda x: x[torch.isfinite(torch.exp(x))].max().item())((torch.arange(1300, 1500) / 128).half())',
      tolerance: { absolute: 0.05 },
      because: 'ln 65504 is 11.09.',
    },
    {
      id: 'fix',
      title: 'The fix',
      kind: 'fix',
      from: 15,
      prompt: 'Write the two repairs: Fields and the attention’s weights, as functions.',
    },
    {
      id: 'explain',
      title: 'Two minutes for the teammate',
      kind: 'explain',
      from: 30,
      prompt: '“The loss became inf, so increase the loss scale.” Answer your teammate, in two minutes.',
      seconds: 120,
      rubric: [
        { id: 'three', text: 'names three separate faults, not one' },
        { id: 'forward', text: 'says that the scale acts after the forward, and can’t bring back a lost value' },
        { id: 'underflow', text: 'says what scaling is for: underflow in the backward, while the forward is finite' },
        { id: 'cause', text: 'says that the skips made the scale fall, and the fallen scale silenced the head' },
        { id: 'repairs', text: 'gives each fault its own repair' },
        { id: 'caveat', text: 'says that these operations had left autocast: not proof of what autocast would do' },
      ],
      model:
        'Three things are wrong, and the scale is the reason for none of them. On some batches a price of 10000 is squared in float16: 1e8 is beyond 65504, so the forward is inf before the scale is applied, and nothing later brings it back. On others a score above 11 goes through exp in float16: that is a formula to repair, by subtracting the maximum. Each such batch is skipped and halves the scale, and that is what silenced the dwell head: its gradients are about 1e-8 and round to zero once the scale is small. That third one is what scaling is for, and it comes back by itself when the first two are repaired; a larger start would only buy ten more lost batches. I’d widen the square, shift the softmax, keep dynamic scaling, and watch skipped steps beside the loss. And both overflows sit in code that left autocast, so this says nothing against autocast’s own choices.',
    },
  ],
  interruptions: [
    {
      id: 'why-1024',
      when: { asked: 'scale-trace' },
      question: 'The scale began at 1024. Why not at 65536, as by default?',
      choices: [
        {
          text: 'It hardly matters: it would have been halved as often, and would still be falling.',
          right: true,
          because: 'Six more halvings, and it is where it is now.',
        },
        {
          text: 'A larger one would have made the lost batches finite.',
          because: 'They are lost in the forward, which the scale doesn’t touch.',
          misconception: 'scale-helps-forward',
        },
        {
          text: '65536 isn’t representable in float16, so it can’t be used.',
          because: 'The scale is a float32 number; only what it multiplies has to fit.',
          misconception: 'scale-is-half',
        },
      ],
    },
    {
      id: 'limit',
      when: { answered: 'overflow' },
      question: 'The largest float16 is 65504. What becomes of 65510?',
      choices: [
        {
          text: '65504: inf begins at 65520, halfway to what the next one would be.',
          right: true,
          because: 'Rounding to nearest, as everywhere.',
        },
        {
          text: 'inf: it is larger than the largest.',
          because: 'It is nearer to 65504 than to the next step, 65536.',
          misconception: 'saturates',
        },
        {
          text: '65504, and so does everything larger: it saturates.',
          because: 'float16 doesn’t saturate: from 65520 on it is inf.',
          misconception: 'saturates',
        },
      ],
    },
    {
      id: 'bfloat16',
      when: { elapsed: 0.55 },
      question: 'Why don’t we simply train in bfloat16, and forget all this?',
      choices: [
        {
          text: 'Both overflows and the scaler go away; three bits of significand go with them, and exp still ends at 88.',
          right: true,
          because: 'A trade, not a cure.',
        },
        {
          text: 'We should: it is better in every way.',
          because: 'It has an eighth of float16’s precision: 1 + 0.001 is 1.',
          misconception: 'wider-is-stable',
        },
        {
          text: 'It has the same range as float16, so nothing would change.',
          because: 'It has float32’s exponents.',
          misconception: 'saturates',
        },
      ],
    },
  ],
  misconceptions: {
    'scale-helps-forward': {
      title: 'A loss scale can repair the forward',
      text: 'The scale multiplies the loss after the forward has ended; a value that is inf or 0 by then stays so.',
      lesson: 'three-failures',
    },
    'skips-mean-scale': {
      title: 'A skipped step means a wrong scale',
      text: 'The scaler skips whatever is nonfinite, and halves the scale without knowing why. Look where the first nonfinite value is.',
      lesson: 'gradscaler-ordering',
    },
    'blame-data': {
      title: 'The data or the model must be to blame',
      text: 'Finite in float32 and bfloat16 with the same weights, and not in float16, says range.',
      lesson: 'three-failures',
    },
    'one-fault': {
      title: 'One symptom, one fault',
      text: 'Different faults end in the same NaN. What tells them apart is the first nonfinite value of each batch.',
      lesson: 'three-failures',
    },
    'look-at-the-loss': {
      title: 'The loss tells what is wrong',
      text: 'It is the last place where a fault shows.',
      lesson: 'three-failures',
    },
    'matmul-accumulates-half': {
      title: 'Half-precision products accumulate in half precision',
      text: 'Usually they accumulate in float32 and round once.',
      lesson: 'range-versus-precision',
    },
    'amp-names-dtypes': {
      title: '“AMP is on” names the dtype of an op',
      text: 'Autocast has lists, and code may leave it. Ask for the dtype of the op.',
      lesson: 'three-failures',
    },
    'wider-is-stable': {
      title: 'A wider format repairs an unstable formula',
      text: 'It moves the cliff. Subtracting the maximum removes it.',
      lesson: 'stable-softmax',
    },
    'finite-is-right': {
      title: 'Finite means right',
      text: 'Clamping and replacing make a wrong value finite, and a division by inf makes a silent zero.',
      lesson: 'stable-softmax',
    },
    'storage-is-range': {
      title: 'Where a value is stored decides where it underflows',
      text: 'Range, precision and storage are three questions: this gradient was lost where it was computed.',
      lesson: 'range-versus-precision',
    },
    'detach-stops-all': {
      title: 'detach() stops the gradients of what follows',
      text: 'It stops those that would flow back through it. Parameters after it still get theirs.',
      lesson: 'three-failures',
    },
    'scale-is-half': {
      title: 'The loss scale must fit float16',
      text: 'It is a float32 number, and the loss that it multiplies is float32 under autocast.',
      lesson: 'gradscaler-ordering',
    },
    saturates: {
      title: 'float16 ends sharply, or saturates',
      text: 'Values below 65520 round to 65504; from there on they are inf.',
      lesson: 'range-versus-precision',
    },
  },
  expert: [
    {
      ask: { evidence: 'finite-check', parameters: check('fields', 'overflow_step') },
      why: 'The first nonfinite value of the first lost batch: Fields gives inf from finite inputs.',
    },
    {
      ask: { evidence: 'finite-check', parameters: check('attention', 'softmax_step') },
      why: 'The other lost batch breaks elsewhere: finite scores go into the attention, NaN comes out.',
    },
    {
      ask: { evidence: 'same-batch', parameters: { step: '{overflow_step}' } },
      why: 'Finite in float32 and bfloat16, not in float16, with no scale at all: range, and not the scale.',
    },
    {
      ask: { evidence: 'code', parameters: { place: 'Attention' } },
      why: 'It has left autocast, and exponentiates float16 with nothing subtracted.',
    },
    { ask: { evidence: 'scale-trace' }, why: 'Every skip has halved the scale.' },
    {
      ask: { evidence: 'scale-sweep', parameters: { module: 'dwell', step: '{dead_step}' } },
      why: 'The silent head is alive at 1024: underflow, a consequence of the fallen scale.',
    },
  ],
});
