import { catalogue } from '../kit/catalogue';
import { defineInterview, type Support } from '../kit/schema';

const changed = (change: string, shows: Support['shows'], says: string): Support => ({
  evidence: 'change',
  shows: (f, o) => f.change === change && shows(f, o),
  says,
  ask: { change },
});

// What the evidence can show. Every batch has padding, so any step will do.
const badAtEveryScale: Support = {
  evidence: 'scale-sweep',
  shows: (f) => f.module === '' && Number(f.nonfinite_at_1) > 0 && f.nonfinite_at_1 === f.nonfinite_at_65536,
  says: 'at scale 1 as many gradients aren’t finite as at 65536',
  ask: { module: '', step: '0' },
};
const skipsAtOne = changed(
  'scale-1',
  (f) => f.skipped_after === f.skipped_before,
  'with a scale that starts at 1, every step is skipped just as before',
);
const badWhenSmall: Support = {
  evidence: 'gradients',
  shows: (f) => Number(f.scale) < 1 && Number(f.nonfinite) > 0 && f.zero_share !== 1 && f.loss_finite === true,
  says: 'the scale has fallen below 1, and gradients still aren’t finite',
  ask: { module: '', step: '20' },
};
const bornInNorm: Support = {
  evidence: 'backward',
  shows: (f) => f.born === 'norm',
  says: 'a finite gradient arrives at the output of norm, and NaN leaves through its input',
  ask: { step: '1' },
};
const normBreaks: Support = {
  evidence: 'finite-check',
  shows: (f) => f.module === 'norm' && f.inputs_finite === true && f.outputs_finite === false,
  says: 'norm gets finite values in the forward and gives some that aren’t, though the loss is finite',
  ask: { module: 'norm', step: '1' },
};
const headIsFine: Support = {
  evidence: 'gradients',
  shows: (f) => f.module === 'head' && f.nonfinite === 0 && Number(f.scale) >= 1024,
  says: 'the gradients of head are finite on a step that is skipped, at a scale in the thousands',
  ask: { module: 'head', step: '1' },
};
const lossFinite: Support = {
  evidence: 'loss-curve',
  shows: (f) => f.nonfinite === 0,
  says: 'the loss of every step is finite',
  ask: {},
};
const neverStepped: Support = {
  evidence: 'skipped-steps',
  shows: (f) => f.skipped === f.steps && f.skipped_with_finite_loss === f.steps,
  says: 'every step is skipped, with a finite loss: no weight has ever changed',
  ask: {},
};
const cleanData: Support = {
  evidence: 'data',
  shows: (f) => f.nonfinite_tokens === 0 && Number(f.largest_tokens) < 255,
  says: 'no input holds a NaN or an inf in the whole run, and none is large',
  ask: {},
};
const onlyHalf: Support = {
  evidence: 'same-batch',
  shows: (f) =>
    f.float32_gradients_finite === true && f.bfloat16_gradients_finite === true && f.float16_gradients_finite === false,
  says: 'the same batch with the same weights has finite gradients in float32 and bfloat16, and not in float16, with no loss scale at all',
  ask: { step: '0' },
};
const paddingBreaks: Support = {
  evidence: 'token-rows',
  shows: (f) =>
    f.module === 'norm' &&
    Number(f.padding_rows) > 0 &&
    f.padding_nonfinite === f.padding_rows &&
    f.real_nonfinite === 0,
  says: 'norm’s output is NaN for every padded token and for no real one',
  ask: { module: 'norm', step: '1' },
};
const paddingWeighsNothing: Support = {
  evidence: 'token-rows',
  shows: (f) => f.padding_weight === 0,
  says: 'no padded token has any weight in the pool',
  ask: { module: 'norm', step: '1' },
};
const noEmptyTicket: Support = {
  evidence: 'token-rows',
  shows: (f) => f.empty_tickets === 0,
  says: 'no ticket of the batch is all padding',
  ask: { module: 'norm', step: '1' },
};
const epsIsZero: Support = {
  evidence: 'constants',
  shows: (f) => f.eps_float16 === 0 && Number(f.eps_bfloat16) > 0,
  says: 'eps is 0 in float16, and isn’t in bfloat16 or float32',
  ask: {},
};
const wideNorm = changed(
  'norm-float32',
  (f) => f.skipped_after === 0,
  'with the norm computed in float32 nothing is skipped, and the scale stays where it starts',
);
const inBfloat16 = changed('bfloat16', (f) => f.skipped_after === 0, 'in bfloat16 nothing is skipped');
const smallEps = changed(
  'eps-1e-5',
  (f) => f.skipped_after === f.skipped_before,
  'with eps 1e-5, which float16 can hold, every step is skipped just as before',
);
const normCode: Support = {
  evidence: 'code',
  shows: (f) => f.place === 'RMSNorm',
  says: 'the norm leaves autocast, squares in float16 and adds an eps of 1e-8 there',
  ask: { place: 'RMSNorm' },
};
const resumedSilent: Support = {
  evidence: 'resume',
  shows: (f) => f.scaler === 'checkpoint' && f.zero_share === 1 && f.nonfinite === 0 && f.skipped === 0,
  says: 'resumed with the scaler of the checkpoint, nothing is skipped and every gradient is exactly zero',
  ask: { scaler: 'checkpoint' },
};
const resumedFresh: Support = {
  evidence: 'resume',
  shows: (f) => f.scaler === 'fresh' && Number(f.fall) > 0.2 && f.skipped === 0,
  says: 'the same weights and the same code with a new scaler: the loss falls',
  ask: { scaler: 'fresh' },
};
const scaleAtNothing: Support = {
  evidence: 'scale-trace',
  shows: (f) => Number(f.last) < 2 ** -20 && f.rises === 0,
  says: 'the scale is halved at every step and ends below a millionth',
  ask: {},
};

export default defineInterview({
  title: 'The scale that halves to nothing',
  summary: 'The loss scale of a ticket router is halved at every step. The loss is finite, and doesn’t move.',
  order: 20,
  version: 1,
  seeds: [1, 2, 3, 5],
  steps: 40,
  brief: [
    'We route support tickets: a small network over a ticket’s tokens, a norm of our own, a pool, a head. Last week we switched to mixed precision, with a GradScaler as the manual has it. Since then the loss scale is halved at every step until there is nothing left of it. The loss is an ordinary number at every step. It just doesn’t fall.',
    'On the table is a change that starts the scale at 1, “since it wants to go down anyway”. I’d like to hear first what halves it. Ask for what you need; what you ask for costs time. When you tell me what it is, show me what it rests on.',
  ],
  opening: 'scenario.opening()',
  symptoms: [
    { says: 'the scale is halved at every single step', shows: (f) => f.falls === 39 && f.first_scale === 65536 },
    { says: 'the loss of every step is finite', shows: (f) => f.loss_finite === true },
    { says: 'the loss never falls far below that of a guess', shows: (f) => Number(f.lowest) > 1.3 },
  ],
  evidence: [
    ...catalogue({
      modules: ['project', 'up', 'down', 'norm', 'pool', 'pool.score', 'head'].map((id) => ({ id, title: id })),
      inputs: ['tokens', 'padded', 'desk'],
      places: ['RMSNorm', 'Pool', 'Router', 'build', 'batch_at', 'compute_loss', 'train_step'],
      changes: [
        {
          id: 'scale-1',
          title: 'The loss scale starts at 1',
          replace: [['GradScaler("cuda")', 'GradScaler("cuda", init_scale=1.0)']],
        },
        {
          id: 'no-scale',
          title: 'No loss scaling at all',
          replace: [['GradScaler("cuda")', 'GradScaler("cuda", enabled=False)']],
        },
        { id: 'rate', title: 'A tenth of the learning rate', replace: [['lr=1e-2', 'lr=1e-3']] },
        { id: 'eps-1e-5', title: 'eps is 1e-5', replace: [['eps=1e-8', 'eps=1e-5']] },
        { id: 'eps-1e-3', title: 'eps is 1e-3', replace: [['eps=1e-8', 'eps=1e-3']] },
        {
          id: 'norm-float32',
          title: 'The norm computes in float32',
          replace: [['            x = x.to(DTYPE)\n', '            x = x.float()\n']],
        },
        {
          id: 'nan-to-num',
          title: 'NaN in the norm’s output becomes 0',
          replace: [['return x * r * self.gain.to(DTYPE)', 'return torch.nan_to_num(x * r * self.gain.to(DTYPE))']],
        },
        {
          id: 'mask-product',
          title: 'The pool multiplies by the mask',
          replace: [
            ['x = x.masked_fill(padded.unsqueeze(-1), 0.0)\n', 'x = x * (~padded).unsqueeze(-1).to(x.dtype)\n'],
          ],
        },
        {
          id: 'bfloat16',
          title: 'Everything in bfloat16',
          replace: [['DTYPE = torch.float16', 'DTYPE = torch.bfloat16']],
        },
      ],
    }),
    {
      id: 'backward',
      title: 'The backward, module by module',
      detail:
        'Nonfinite values in the gradient that arrives at each module’s output, and in what leaves through its input.',
      cost: 2,
      parameters: [{ name: 'step', title: 'At step', kind: 'step' }],
      instrument: { kind: 'python', expression: 'scenario.backward({step})' },
    },
    {
      id: 'token-rows',
      title: 'Real tokens and padding apart',
      detail: 'What a module gives for real tokens and for padding, and what either weighs in the pool.',
      cost: 2,
      parameters: [
        {
          name: 'module',
          title: 'Output of',
          kind: 'choice',
          options: ['project', 'down', 'norm'].map((id) => ({ id, title: id })),
        },
        { name: 'step', title: 'At step', kind: 'step' },
      ],
      instrument: { kind: 'python', expression: 'scenario.token_rows({step}, {module})' },
    },
    {
      id: 'constants',
      title: 'Constants as each dtype stores them',
      detail: 'The constants of run.py in float32, float16 and bfloat16.',
      cost: 1,
      parameters: [],
      instrument: { kind: 'python', expression: 'scenario.constants()' },
    },
    {
      id: 'resume',
      title: 'Repaired, and resumed from the checkpoint',
      detail:
        'A run whose gradients are finite again, on from the last checkpoint, with that scaler or with a new one.',
      cost: 2,
      parameters: [
        {
          name: 'scaler',
          title: 'Scaler',
          kind: 'choice',
          options: [
            { id: 'checkpoint', title: 'from the checkpoint' },
            { id: 'fresh', title: 'a new one' },
          ],
        },
      ],
      instrument: { kind: 'python', expression: 'scenario.resume({scaler})' },
    },
  ],
  probeCost: 3,
  questions: [
    {
      id: 'halves',
      title: 'What halves the scale',
      kind: 'diagnose',
      from: 15,
      prompt: 'The scale begins at 65536 and is halved at every step. What is wrong, and where would you look further?',
      diagnoses: [
        {
          id: 'messenger',
          text: 'Nothing is wrong with the scale: a module makes some gradients NaN in the backward, whatever the scale is, and the scaler reports it.',
        },
        {
          id: 'scale-high',
          text: '65536 is far too large for this model: scaled gradients overflow, and the scaler is looking for its level.',
          wrong: {
            contradictedBy: [badAtEveryScale, skipsAtOne, badWhenSmall],
            misconception: 'scale-is-cause',
            followUp: {
              question: 'If scaled gradients overflowed, where would the fall of the scale end?',
              choices: [
                {
                  text: 'At the first scale under which the largest of them fits: the halving would stop by itself.',
                  right: true,
                  because: 'It is how the scaler finds its level. This one passes 1, and goes on.',
                },
                {
                  text: 'Nowhere: once it falls, it falls.',
                  because: 'Each halving halves the gradients as well. An overflow ends when they fit.',
                  misconception: 'scale-is-cause',
                },
                {
                  text: 'At 1, where the scaler stops.',
                  because: 'The scaler has no floor.',
                  misconception: 'scaler-has-floor',
                },
              ],
            },
          },
        },
        {
          id: 'forward',
          text: 'The loss overflows in the forward: logits leave the range of float16.',
          wrong: {
            contradictedBy: [
              lossFinite,
              neverStepped,
              {
                evidence: 'finite-check',
                shows: (f) => f.module === 'head' && f.outputs_finite === true && Number(f.largest_output) < 1000,
                says: 'the logits are finite and small',
                ask: { module: 'head', step: '1' },
              },
            ],
            misconception: 'finite-loss',
            followUp: {
              question: 'What does the scaler look at when it decides to skip a step?',
              choices: [
                {
                  text: 'The gradients, not the loss: a step with a finite loss can be skipped.',
                  right: true,
                  because: 'And here each one is.',
                },
                {
                  text: 'The loss: where it isn’t finite, the step is skipped.',
                  because: 'It never sees the loss again after scale(). It tests gradients.',
                  misconception: 'finite-loss',
                },
                {
                  text: 'The weights after the update.',
                  because: 'The decision comes before the update.',
                  misconception: 'finite-loss',
                },
              ],
            },
          },
        },
        {
          id: 'data',
          text: 'The data is broken: some tokens are NaN, or far too large.',
          wrong: {
            contradictedBy: [cleanData, onlyHalf],
            misconception: 'blame-data',
            followUp: {
              question: 'If tokens were NaN, what would the loss be?',
              choices: [
                {
                  text: 'NaN, in every format. It is an ordinary number here.',
                  right: true,
                  because: 'Unless something masks it; and then float32 would fail too.',
                },
                {
                  text: 'An ordinary number: the mean evens it out.',
                  because: 'Any sum with a NaN in it is NaN.',
                  misconception: 'blame-data',
                },
                {
                  text: 'Finite in float16, which has no NaN.',
                  because: 'float16 has NaN, as every IEEE format.',
                  misconception: 'blame-data',
                },
              ],
            },
          },
        },
        {
          id: 'diverged',
          text: 'The model has diverged: the learning rate of 1e-2 is too high for mixed precision.',
          wrong: {
            contradictedBy: [
              neverStepped,
              changed(
                'rate',
                (f) => f.skipped_after === f.skipped_before,
                'at a tenth of the learning rate every step is skipped just as before',
              ),
            ],
            misconception: 'blame-rate',
            followUp: {
              question: 'What has the learning rate done so far in a run all of whose steps were skipped?',
              choices: [
                {
                  text: 'Nothing: the weights are those of the start.',
                  right: true,
                  because: 'A skipped step is no step. Whatever is wrong is wrong at the initial weights.',
                },
                {
                  text: 'It has moved the weights out of range.',
                  because: 'No weight has moved: optimizer.step() was never called.',
                  misconception: 'blame-rate',
                },
                {
                  text: 'It has shrunk with the scale.',
                  because: 'The scale is divided out before the optimizer. The two don’t know each other.',
                  misconception: 'blame-rate',
                },
              ],
            },
          },
        },
        {
          id: 'underflow',
          text: 'Gradients underflow to zero in float16, and the scaler lowers the scale because of it.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'gradients',
                shows: (f) => Number(f.nonfinite) > 0 && Number(f.zero_share) < 0.05,
                says: 'the gradients of a skipped step are NaN, and hardly one of them is zero',
                ask: { module: '', step: '1' },
              },
              badAtEveryScale,
            ],
            misconception: 'scale-is-cause',
            followUp: {
              question: 'What does a GradScaler do when gradients underflow to zero?',
              choices: [
                {
                  text: 'Nothing at once: zeros are finite. It counts the step as clean, and may grow.',
                  right: true,
                  because: 'It only ever falls for inf and NaN.',
                },
                {
                  text: 'It lowers the scale.',
                  because: 'That would make the underflow worse.',
                  misconception: 'scale-is-cause',
                },
                {
                  text: 'It skips the step.',
                  because: 'It skips for nonfinite gradients, and a zero is finite.',
                  misconception: 'scale-is-cause',
                },
              ],
            },
          },
        },
      ],
      needs: [
        [badAtEveryScale, skipsAtOne, badWhenSmall],
        [bornInNorm, normBreaks, headIsFine],
      ],
      repairs: [
        {
          id: 'find',
          text: 'Leave the scaler as it is, and repair the operation that makes the first NaN.',
          worth: 1,
          because: 'The scaler has kept the weights unharmed. It will find its level when the gradients are finite.',
        },
        {
          id: 'scale-1',
          text: 'Start the scale at 1, as proposed.',
          worth: 0,
          because: 'NaN times 1 is NaN: every step is skipped as before.',
          misconception: 'scale-is-cause',
        },
        {
          id: 'floor',
          text: 'Never let the scale fall below 1024.',
          worth: 0,
          because: 'The number on the dashboard stops falling, and every step is still skipped.',
          misconception: 'scaler-has-floor',
        },
        {
          id: 'no-scaler',
          text: 'Switch the scaler off: the loss is finite, so nothing can happen.',
          worth: 0,
          because: 'The first update would write NaN into the weights. The scaler is what prevents it.',
          misconception: 'finite-loss',
        },
        {
          id: 'clip',
          text: 'Clip the gradients harder, right after unscale_.',
          worth: 0,
          because: 'The norm of gradients with a NaN is NaN: clipping by it makes all of them NaN.',
          misconception: 'finite-is-right',
        },
        {
          id: 'zero-grads',
          text: 'Replace NaN by 0 in the gradients before the step.',
          worth: 0.1,
          because:
            'Pool and head learn then; everything below the norm has lost its whole gradient, and nobody notices.',
          misconception: 'finite-is-right',
        },
      ],
      repairNeeds: [
        [
          badAtEveryScale,
          skipsAtOne,
          badWhenSmall,
          changed(
            'no-scale',
            (f) => Number(f.nonfinite_after) > 0 && f.nonfinite_before === 0,
            'without a scaler the first update spoils the weights, and the loss is NaN from then on',
          ),
        ],
      ],
      deeper: {
        question: 'So the loss is finite and the forward isn’t. How can both be?',
        choices: [
          {
            text: 'What isn’t finite is masked out before it reaches the loss.',
            right: true,
            because: 'A finite loss says that nothing bad reached it, not that nothing bad was there.',
          },
          {
            text: 'They can’t: a NaN in the forward always ends in the loss.',
            because: 'It doesn’t, where masked_fill, where or an index leaves it out.',
            misconception: 'finite-loss',
          },
          {
            text: 'Cross entropy ignores NaN.',
            because: 'It doesn’t: one NaN logit makes its loss NaN.',
            misconception: 'finite-loss',
          },
        ],
      },
    },
    {
      id: 'norm',
      title: 'Where the NaN is born',
      kind: 'diagnose',
      from: 15,
      prompt:
        'The NaN comes out of the backward of norm. Padding is filled with 0 in the pool before anything is summed. So what makes the NaN?',
      diagnoses: [
        {
          id: 'eps',
          text: 'For padding the mean square is 0, and eps is 0 too in float16: rsqrt(0) is inf. The pool hides the value, but the backward multiplies its zero gradient by inf.',
        },
        {
          id: 'square',
          text: 'A token is so large that its square leaves float16.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'finite-check',
                shows: (f) => f.module === 'norm' && Number(f.largest_input) < 255,
                says: 'nothing that goes into norm is near 256, where squares leave float16',
                ask: { module: 'norm', step: '1' },
              },
            ],
            misconception: 'blame-range-top',
            followUp: {
              question: 'A square that overflows gives a mean of inf. What would rsqrt make of it?',
              choices: [
                {
                  text: '0: the token would vanish silently. That isn’t NaN.',
                  right: true,
                  because: '1 / √inf is 0. It is the other end of the range that gives inf here.',
                },
                {
                  text: 'inf.',
                  because: 'rsqrt(inf) is 0; rsqrt(0) is inf.',
                  misconception: 'blame-range-top',
                },
                {
                  text: 'An error.',
                  because: 'Floating point goes on with inf and NaN, and says nothing.',
                  misconception: 'blame-range-top',
                },
              ],
            },
          },
        },
        {
          id: 'tiny',
          text: 'Real tokens are so small that their squares underflow, and their norm is 0.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'token-rows',
                shows: (f) => f.module === 'norm' && f.real_nonfinite === 0 && Number(f.real_rows) > 0,
                says: 'norm’s output is finite for every real token',
                ask: { module: 'norm', step: '1' },
              },
            ],
            misconception: 'one-population',
            followUp: {
              question: 'How would you tell whether it is the real tokens or the padding?',
              choices: [
                {
                  text: 'Look at the two apart, at the output of norm.',
                  right: true,
                  because: 'Half of finding a bad value is to ask which rows have it.',
                },
                {
                  text: 'Look at the mean of all tokens.',
                  because: 'A mean over both says nothing of either.',
                  misconception: 'one-population',
                },
                {
                  text: 'By the loss: padding would show in it.',
                  because: 'Padding is masked out of it.',
                  misconception: 'finite-loss',
                },
              ],
            },
          },
        },
        {
          id: 'leak',
          text: 'The mask leaks: padded tokens have weight in the pool, so their NaN is summed.',
          wrong: {
            contradictedBy: [
              paddingWeighsNothing,
              {
                evidence: 'finite-check',
                shows: (f) => f.module === 'pool' && f.inputs_finite === false && f.outputs_finite === true,
                says: 'NaN goes into the pool, and none comes out',
                ask: { module: 'pool', step: '1' },
              },
            ],
            misconception: 'masked-is-gone',
            followUp: {
              question: 'If one padded NaN were summed, even with weight 0, what would the loss be?',
              choices: [
                {
                  text: 'NaN: 0 · NaN is NaN. It is finite, so nothing leaks.',
                  right: true,
                  because: 'Which is why the pool fills and doesn’t multiply.',
                },
                {
                  text: 'Finite: a weight of 0 takes it out.',
                  because: '0 · NaN is NaN.',
                  misconception: 'masked-is-gone',
                },
                {
                  text: 'A little too large.',
                  because: 'NaN isn’t large. It spreads to every sum that it enters.',
                  misconception: 'masked-is-gone',
                },
              ],
            },
          },
        },
        {
          id: 'softmax',
          text: 'The softmax of the pool: a ticket that is all padding gives 0 / 0.',
          wrong: {
            contradictedBy: [noEmptyTicket, bornInNorm],
            misconception: 'wrong-suspect',
            followUp: {
              question: 'In which order does a backward reach head, pool and norm?',
              choices: [
                {
                  text: 'head, pool, norm: and what leaves the pool is finite still.',
                  right: true,
                  because: 'The first module that gets finite gradients and passes on others is the one.',
                },
                {
                  text: 'norm, pool, head.',
                  because: 'A backward goes from the loss to the inputs.',
                  misconception: 'wrong-suspect',
                },
                {
                  text: 'All at once.',
                  because: 'Each needs the gradient of what came after it.',
                  misconception: 'wrong-suspect',
                },
              ],
            },
          },
        },
        {
          id: 'autocast',
          text: 'Autocast runs rsqrt in float16: it should be on the list of float32 ops.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'op-dtypes',
                shows: (f) => f.rsqrt === 'float16' && f['rsqrt autocast'] === 'not touched',
                says: 'rsqrt runs in float16 and autocast didn’t touch it: the code has left autocast',
                ask: { step: '0' },
              },
              normCode,
            ],
            misconception: 'amp-names-dtypes',
            followUp: {
              question: 'What does autocast do with rsqrt on CUDA?',
              choices: [
                {
                  text: 'It runs it in float32. So this code has left autocast.',
                  right: true,
                  because: 'rsqrt is on that list, with pow and log. A region with enabled=False has no list.',
                },
                {
                  text: 'It runs it in float16, as everything.',
                  because: 'Autocast has a list of float32 ops, and rsqrt is on it.',
                  misconception: 'amp-names-dtypes',
                },
                {
                  text: 'It leaves out whatever would overflow.',
                  because: 'It goes by the op’s name and never looks at values.',
                  misconception: 'amp-names-dtypes',
                },
              ],
            },
          },
        },
      ],
      needs: [[paddingBreaks], [epsIsZero, normCode, wideNorm, inBfloat16]],
      repairs: [
        {
          id: 'widen',
          text: 'Compute the norm in float32, squares to product, and cast its result.',
          worth: 1,
          because: 'eps is there again, forward and backward, and the rest stays fast.',
        },
        {
          id: 'pack',
          text: 'Take the padding out before the norm: pack the real tokens.',
          worth: 0.8,
          because: 'No padding, no NaN. A real token that is all zeros would bring it back.',
        },
        {
          id: 'bfloat16',
          text: 'Run everything in bfloat16.',
          worth: 0.5,
          because: 'eps survives there. It gives up three bits of significand everywhere, for one constant.',
        },
        {
          id: 'eps-1e-3',
          text: 'Raise eps to 1e-3.',
          worth: 0.3,
          because:
            'It works, and changes the model: small tokens are no longer normalised, nor is a checkpoint the same.',
          misconception: 'any-eps',
        },
        {
          id: 'eps-1e-5',
          text: 'Raise eps to 1e-5, which float16 can hold.',
          worth: 0,
          because:
            'The forward is finite then. The backward of rsqrt takes its third power, which still leaves float16: 0 · inf again.',
          misconception: 'any-eps',
        },
        {
          id: 'nan-to-num',
          text: 'Replace NaN by 0 in the norm’s output.',
          worth: 0,
          because: 'The output is finite then, and the backward multiplies by the same inf.',
          misconception: 'finite-is-right',
        },
        {
          id: 'mask-product',
          text: 'Multiply by the mask in the pool instead of filling.',
          worth: 0,
          because: '0 · NaN is NaN: now the loss is lost too.',
          misconception: 'masked-is-gone',
        },
      ],
      repairNeeds: [[wideNorm, inBfloat16, smallEps, epsIsZero, normCode, onlyHalf]],
      deeper: {
        question: 'masked_fill gave those rows a gradient of exactly 0. Why doesn’t that end the matter?',
        choices: [
          {
            text: 'The chain rule multiplies it by the local derivative, which is inf there: 0 · inf is NaN.',
            right: true,
            because:
              'To be safe the value must be finite before it is masked: mask what goes in, not only what comes out.',
          },
          {
            text: 'It does: masked positions can’t pass anything on.',
            because: 'They pass on 0 times the derivative, and 0 · inf isn’t 0.',
            misconception: 'masked-is-gone',
          },
          {
            text: 'masked_fill has no backward.',
            because: 'It has: zero where it filled. What is done with the zero is the matter.',
            misconception: 'masked-is-gone',
          },
        ],
      },
    },
    {
      id: 'resume',
      title: 'Repaired, and still flat',
      kind: 'diagnose',
      from: 30,
      prompt:
        'Say your repair is merged, and the run goes on from last night’s checkpoint: weights, optimizer and scaler. Nothing is skipped any more. The loss doesn’t fall either. Why?',
      diagnoses: [
        {
          id: 'old-scale',
          text: 'The scaler came along in the checkpoint: under a scale of almost nothing every gradient underflows to zero, and clean steps double it only once in 2000.',
        },
        {
          id: 'still-nan',
          text: 'The repair is incomplete: gradients are still NaN.',
          wrong: {
            contradictedBy: [
              {
                evidence: 'resume',
                shows: (f) => f.nonfinite === 0 && f.skipped === 0,
                says: 'after the repair no gradient is NaN and no step is skipped',
                ask: { scaler: 'checkpoint' },
              },
            ],
            misconception: 'no-skip-no-fault',
            followUp: {
              question: 'How would a NaN gradient show, with a scaler?',
              choices: [
                {
                  text: 'As a skipped step. Nothing is skipped, so look for zeros.',
                  right: true,
                  because: 'The scaler reports one end of the range and not the other.',
                },
                {
                  text: 'As a flat loss, with every step taken.',
                  because: 'A step that is taken with NaN spoils the weights; with a scaler it isn’t taken.',
                  misconception: 'no-skip-no-fault',
                },
                {
                  text: 'Not at all.',
                  because: 'It is the one thing that a scaler shows.',
                  misconception: 'no-skip-no-fault',
                },
              ],
            },
          },
        },
        {
          id: 'poisoned',
          text: 'The checkpoint is poisoned: weights or AdamW’s moments have held NaN since last night.',
          wrong: {
            contradictedBy: [neverStepped, resumedFresh],
            misconception: 'skip-poisons',
            followUp: {
              question: 'What does a skipped step write into weights and optimizer state?',
              choices: [
                {
                  text: 'Nothing: optimizer.step() isn’t called.',
                  right: true,
                  because: 'The one thing that a skipped step changes is the scaler.',
                },
                {
                  text: 'NaN into the moments, and nothing into the weights.',
                  because: 'The moments are updated in optimizer.step(), which isn’t called.',
                  misconception: 'skip-poisons',
                },
                {
                  text: 'Zeros into both.',
                  because: 'Nothing at all is written.',
                  misconception: 'skip-poisons',
                },
              ],
            },
          },
        },
        {
          id: 'rate-low',
          text: 'The learning rate is too low from here on.',
          wrong: {
            contradictedBy: [resumedFresh],
            misconception: 'blame-rate',
            followUp: {
              question: 'With gradients that are exactly zero, which learning rate makes AdamW learn?',
              choices: [
                {
                  text: 'None.',
                  right: true,
                  because: 'Its moments stay 0; only the weight decay still moves anything.',
                },
                {
                  text: 'A larger one: Adam normalises gradients by their size.',
                  because: '0 / (0 + eps) is 0.',
                  misconception: 'blame-rate',
                },
                {
                  text: 'A smaller one.',
                  because: 'Any rate times zero is zero.',
                  misconception: 'blame-rate',
                },
              ],
            },
          },
        },
        {
          id: 'recovers',
          text: 'Nothing is wrong: dynamic scaling has to find its level again, which takes a few steps.',
          wrong: {
            contradictedBy: [
              resumedSilent,
              {
                evidence: 'scale-trace',
                shows: scaleAtNothing.shows,
                says: 'the scale has been halved some forty times, and each halving takes 2000 clean steps to undo',
                ask: {},
              },
            ],
            misconception: 'grows-fast',
            followUp: {
              question: 'It halves after one bad step. When does it double?',
              choices: [
                {
                  text: 'After 2000 clean steps in a row, by default.',
                  right: true,
                  because: 'Down in one step, up in 2000: what fell in a minute takes days to come back.',
                },
                {
                  text: 'After one clean step.',
                  because: 'Then it would overflow at every other step.',
                  misconception: 'grows-fast',
                },
                {
                  text: 'When it sees an underflow.',
                  because: 'It never looks for zeros.',
                  misconception: 'grows-fast',
                },
              ],
            },
          },
        },
      ],
      needs: [[resumedSilent], [scaleAtNothing, resumedFresh]],
      repairs: [
        {
          id: 'fresh',
          text: 'Resume the weights with a new scaler.',
          worth: 1,
          because: 'No weight was harmed, and 65536 suits the repaired run: nothing is skipped.',
        },
        {
          id: 'update',
          text: 'Load it, and set the scale by hand once: scaler.update(new_scale).',
          worth: 0.9,
          because: 'The same, with one more call to forget.',
        },
        {
          id: 'interval',
          text: 'Set growth_interval to 1 until it has recovered.',
          worth: 0.4,
          because: 'It comes back in some forty steps, overflows, and has to be set back by someone who remembers.',
        },
        {
          id: 'restart',
          text: 'Start over from random weights.',
          worth: 0.3,
          because: 'Here it loses nothing, as no step was ever taken; in a run that had learned it would.',
        },
        {
          id: 'wait',
          text: 'Wait.',
          worth: 0,
          because: '2000 clean steps a doubling.',
          misconception: 'grows-fast',
        },
        {
          id: 'rate',
          text: 'A larger learning rate.',
          worth: 0,
          because: 'Any rate times zero is zero.',
          misconception: 'blame-rate',
        },
      ],
      repairNeeds: [[resumedSilent, resumedFresh]],
    },
    {
      id: 'chain',
      title: 'From padding to a lower scale',
      kind: 'order',
      from: 30,
      prompt: 'Put in order what happens to a padded token in one step of this run, from the forward to the scaler.',
      steps: [
        { id: 'square', text: 'its mean square is 0, and eps adds nothing' },
        { id: 'rsqrt', text: 'rsqrt gives inf' },
        { id: 'product', text: '0 · inf: the norm’s output is NaN' },
        { id: 'fill', text: 'the pool fills it with 0' },
        { id: 'loss', text: 'the loss is finite' },
        { id: 'zero', text: 'its gradient is 0 when it reaches the norm' },
        { id: 'nan', text: '0 · inf: the gradient below the norm is NaN' },
        { id: 'found', text: 'unscale_ finds it' },
        { id: 'skip', text: 'step() doesn’t call the optimizer' },
        { id: 'halve', text: 'update() halves the scale' },
      ],
      because: 'Each is the cause of the next but for the loss, which looks innocent in between.',
    },
    {
      id: 'skips-to-one',
      title: 'Down to 1',
      kind: 'predict',
      from: 15,
      prompt: 'A scale of 65536, and every step is skipped. After how many steps is it 1?',
      truth: 'next(step for step, _, scale, _ in instruments.history() if scale == 1.0)',
      tolerance: { absolute: 0 },
      because: '65536 is 2^16, and each skipped step halves once.',
    },
    {
      id: 'smallest-eps',
      title: 'The smallest eps that is there',
      kind: 'predict',
      from: 30,
      prompt: 'eps = 2^-k. What is the largest k for which float16 doesn’t round it to 0?',
      truth: 'max(k for k in range(40) if torch.tensor(2.0**-k).half().item() > 0)',
      tolerance: { absolute: 0 },
      because: 'The smallest subnormal of float16 is 2^-24; half of it is a tie, and goes to even, which is 0.',
    },
    {
      id: 'cube',
      title: 'Where the backward of rsqrt ends',
      kind: 'predict',
      from: 45,
      prompt:
        'The backward of rsqrt multiplies by the third power of its result. Up to which result is that finite in float16? One decimal is enough.',
      truth: '(lambda r: r[torch.isfinite(r**3)].max().item())((torch.arange(1200, 1400) / 32).half())',
      tolerance: { absolute: 0.1 },
      because: 'The cube root of 65520 is about 40.3: an eps below about 6e-4 is too small for a token of zeros.',
    },
    {
      id: 'fix',
      title: 'The fix',
      kind: 'fix',
      from: 15,
      prompt: 'Write the norm, so that padding has a value and a gradient.',
    },
    {
      id: 'explain',
      title: 'Two minutes for the author of the change',
      kind: 'explain',
      from: 30,
      prompt: '“The scale wants to go down anyway, so start it at 1.” Answer, in two minutes.',
      seconds: 120,
      rubric: [
        {
          id: 'messenger',
          text: 'says that the scaler only reports nonfinite gradients, and falls for no other reason',
        },
        {
          id: 'level',
          text: 'says that an overflow by the scale would end at some level, and that this one is there at scale 1',
        },
        { id: 'place', text: 'names the place: the norm, padding only' },
        { id: 'why', text: 'says why: eps is 0 in float16, rsqrt(0) is inf, and 0 · inf is NaN' },
        { id: 'masked', text: 'says why the loss is finite all the same' },
        { id: 'repair', text: 'gives the repair (float32 in the norm), and that a larger eps isn’t enough by itself' },
        { id: 'scaler', text: 'says that the fallen scale must not be resumed' },
      ],
      model:
        'The scale doesn’t want anything. It is halved when a gradient isn’t finite, for whatever reason. If scaled gradients had overflowed, it would have stopped where they fit; but the same gradients are NaN at scale 1, and in the last module that has finite ones coming in: our norm. It squares in float16 with an eps of 1e-8, which float16 rounds to 0. Padding is all zeros, so it takes rsqrt(0), which is inf, and 0 · inf is NaN. The pool fills those rows with 0, so the loss looks fine; but the backward multiplies their zero gradient by the same inf, and everything below the norm is NaN, at every step. So: compute the norm in float32. Raising eps to something that float16 can hold isn’t enough, because the backward cubes the rsqrt. And the checkpoint’s scaler goes in the bin: with that scale every gradient would be zero, and nothing would warn us.',
    },
  ],
  interruptions: [
    {
      id: 'why-32768',
      when: { asked: 'scale-trace' },
      question: 'At the second step the scale is 32768. Why not 65536, and what would bring it back?',
      choices: [
        {
          text: 'One step had a nonfinite gradient; 2000 clean steps in a row would double it.',
          right: true,
          because: 'Down at once, up slowly.',
        },
        {
          text: '65536 isn’t representable in float16, so it falls to the next number that is.',
          because: 'The scale is a float32 number, and is halved because a gradient wasn’t finite.',
          misconception: 'scale-is-half',
        },
        {
          text: 'The loss was too large; it comes back when the loss falls.',
          because: 'The scaler looks at gradients, and at nothing else.',
          misconception: 'finite-loss',
        },
      ],
    },
    {
      id: 'switch-off',
      when: { answered: 'halves' },
      question: 'The loss is finite. Can’t we just switch the scaler off, and train?',
      choices: [
        {
          text: 'No: the first update would write NaN into the weights. The skips are what has kept them.',
          right: true,
          because: 'A skipped step is protection, and a symptom.',
        },
        {
          text: 'Yes: without a scale nothing overflows.',
          because: 'The gradients are NaN without any scale.',
          misconception: 'scale-is-cause',
        },
        {
          text: 'Yes, if we clip: clipping brings NaN down to 1.',
          because: 'A norm with a NaN in it is NaN, and so is everything divided by it.',
          misconception: 'finite-is-right',
        },
      ],
    },
    {
      id: 'library',
      when: { elapsed: 0.55 },
      question: 'Would torch’s own rms_norm have failed in the same way, under autocast?',
      choices: [
        {
          text: 'Not here: autocast runs it in float32, and the library computes half inputs in float32 inside. I’d still test a row of zeros.',
          right: true,
          because: 'The right answer in a review, and no guarantee for every backend and kernel.',
        },
        {
          text: 'Yes: the formula is the same.',
          because: 'The formula isn’t the fault. The dtype in which eps is added is.',
          misconception: 'any-eps',
        },
        {
          text: 'No: the library skips padding.',
          because: 'It knows nothing of padding. It gives a row of zeros for a row of zeros, because eps is there.',
          misconception: 'masked-is-gone',
        },
      ],
    },
  ],
  misconceptions: {
    'scale-is-cause': {
      title: 'A falling scale means that the scale is too large',
      text: 'It falls for any nonfinite gradient. Where the same gradients aren’t finite at scale 1 either, the scale isn’t the reason.',
      lesson: 'gradscaler-ordering',
    },
    'scaler-has-floor': {
      title: 'The scaler stops at a sensible scale',
      text: 'It has no floor; and a floor of one’s own hides the fall without ending the skips.',
      lesson: 'gradscaler-ordering',
    },
    'finite-loss': {
      title: 'A finite loss means a finite step',
      text: 'What is masked out on the way doesn’t show in the loss, and does in the gradients. The scaler looks at gradients.',
      lesson: 'three-failures',
    },
    'masked-is-gone': {
      title: 'What is masked can do no harm',
      text: 'A masked value passes back a gradient of 0, times the local derivative: 0 · inf is NaN. Make it finite before it is masked.',
      lesson: 'stable-softmax',
    },
    'any-eps': {
      title: 'An eps protects if the format can hold it',
      text: 'It has to survive where it is added, and the backward has to survive it too: the derivative of rsqrt is a third power.',
      lesson: 'range-versus-precision',
    },
    'finite-is-right': {
      title: 'Finite means right',
      text: 'Replacing or clipping nonfinite values hides what was lost. It doesn’t bring it back.',
      lesson: 'three-failures',
    },
    'amp-names-dtypes': {
      title: '“AMP is on” names the dtype of an op',
      text: 'Autocast has lists, and code may leave it. Ask for the dtype of the op.',
      lesson: 'three-failures',
    },
    'blame-data': {
      title: 'The data must be to blame',
      text: 'Finite gradients in float32 and bfloat16, from the same batch and weights, and not in float16: it is the format’s range.',
      lesson: 'three-failures',
    },
    'blame-rate': {
      title: 'The learning rate must be to blame',
      text: 'A step that is skipped has no learning rate, and a gradient of zero has no use for one.',
      lesson: 'gradscaler-ordering',
    },
    'blame-range-top': {
      title: 'Range means large values',
      text: 'The range has two ends: a constant or a square that rounds to 0 makes an inf as soon as something is divided by it.',
      lesson: 'range-versus-precision',
    },
    'one-population': {
      title: 'A tensor is one population',
      text: 'Real tokens and padding are two. Ask which rows hold the bad value.',
      lesson: 'three-failures',
    },
    'wrong-suspect': {
      title: 'The usual suspect did it',
      text: 'Follow the backward from the loss: the first module that gets finite gradients and passes on others is the one.',
      lesson: 'three-failures',
    },
    'no-skip-no-fault': {
      title: 'No skipped step, no fault of range',
      text: 'The scaler reports inf and NaN. Zeros pass it by: ask for their share.',
      lesson: 'range-versus-precision',
    },
    'skip-poisons': {
      title: 'Skipped steps spoil weights or optimizer state',
      text: 'A skipped step writes nothing. The one thing that it changes is the scaler.',
      lesson: 'gradscaler-ordering',
    },
    'grows-fast': {
      title: 'A fallen scale soon recovers',
      text: 'It halves in one step and doubles after 2000 clean ones, by default.',
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
      ask: { evidence: 'scale-sweep', parameters: { module: '', step: '0' } },
      why: 'Is it the scale at all? The gradients are as bad at 1 as at 65536: it isn’t.',
    },
    {
      ask: { evidence: 'backward', parameters: { step: '1' } },
      why: 'The first NaN on the way back: finite gradients arrive at norm, NaN leaves it.',
    },
    {
      ask: { evidence: 'token-rows', parameters: { module: 'norm', step: '1' } },
      why: 'Which rows? All of the padding and no real token; and padding has no weight in the pool, so the loss is finite.',
    },
    { ask: { evidence: 'constants' }, why: 'eps is 0 in float16: that is where the inf comes from.' },
    { ask: { evidence: 'scale-trace' }, why: 'What the fall has left of the scale.' },
    {
      ask: { evidence: 'resume', parameters: { scaler: 'checkpoint' } },
      why: 'A repair isn’t over until the run learns: with the old scaler every gradient is zero.',
    },
  ],
});
