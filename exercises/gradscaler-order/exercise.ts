import type { TraceEvent } from '../../engine/session/session';
import { compareTensor, expectTensor } from '../kit/compare';
import { type Call, type Check, defineExercise, type Finding, type Outcome } from '../kit/schema';
import { pythonLiteral, tensor, unitRoundoff } from '../kit/values';
import { examples, growthCases, overflowCases, trainingCases } from './cases';
import { type MicroBatch, type TrainingCase, train } from './training';

/** Sets up model, optimizer and scaler, and gives [norm, weight, bias, scale] after each call. */
const SCENARIO = `
import torch

def scenario(namespace, weight, bias, steps, learning_rate, max_norm, init_scale, growth_interval):
    model = torch.nn.Linear(weight.shape[1], weight.shape[0], device="cuda")
    with torch.no_grad():
        model.weight.copy_(weight)
        model.bias.copy_(bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    scaler = torch.amp.GradScaler("cuda", init_scale=init_scale, growth_interval=growth_interval)
    states = []
    for micro_batches in steps:
        norm = namespace["train_step"](model, optimizer, scaler, micro_batches, max_norm)
        if isinstance(norm, torch.Tensor):
            norm = norm.detach().clone()
        states.append([norm, model.weight.detach().clone(), model.bias.detach().clone(), scaler.get_scale()])
    return states
`;

const matrixValue = (rows: readonly (readonly number[])[]) =>
  tensor('float32', [rows.length, (rows[0] as readonly number[]).length], rows.flat());
const float = (value: number) => ({ kind: 'number', type: 'float', value }) as const;
const pairs = (step: readonly MicroBatch[]) =>
  ({
    kind: 'list',
    items: step.map(({ x, y }) => ({ kind: 'tuple', items: [matrixValue(x), matrixValue(y)] }) as const),
  }) as const;

function trainCall(c: TrainingCase): Call {
  const weight = matrixValue(c.weight);
  const bias = tensor('float32', [c.bias.length], c.bias);
  return {
    function: 'train_step',
    arguments: [
      weight,
      bias,
      { kind: 'list', items: c.steps.map(pairs) },
      float(c.learningRate),
      float(c.maxNorm),
      float(c.initScale),
      { kind: 'number', type: 'int', value: c.growthInterval },
    ],
    scenario: SCENARIO,
    shown: [
      `# model: nn.Linear with weight ${pythonLiteral(weight)}, bias ${pythonLiteral(bias)}; SGD(lr=${c.learningRate})`,
      `# scaler: GradScaler("cuda", init_scale=${c.initScale}, growth_interval=${c.growthInterval}); max_norm = ${c.maxNorm}`,
      ...c.steps.map((s) => `train_step(model, optimizer, scaler, ${pythonLiteral(pairs(s))}, max_norm)`),
    ].join('\n'),
  };
}

type Part = 'norm' | 'parameters' | 'scale';

/** Judges the named parts of every state: other checks look at the others. */
const judge =
  (...parts: readonly Part[]) =>
  (c: TrainingCase, outcome: Outcome): Finding | null => {
    const call = trainCall(c);
    const counterexample = { call: call.shown as string };
    if (outcome.kind === 'raised') {
      return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
    }
    const expected = train(c);
    if (expected === null || outcome.value.kind !== 'list') throw new Error('gradscaler-order: the case is not exact');
    for (const [i, state] of outcome.value.items.entries()) {
      const wanted = expected[i];
      if (wanted === undefined || state.kind !== 'list') throw new Error('gradscaler-order: a state is missing');
      const [norm, weight, bias, scale] = state.items;
      const when = c.steps.length > 1 ? `After call ${i + 1}, ` : '';
      const at = (value: typeof norm): Outcome => ({ ...outcome, value: value ?? { kind: 'none' } });
      // A skipped step has no true norm: inf or NaN, as the gradients are.
      if (parts.includes('norm') && !wanted.skipped) {
        const slack = 8 * unitRoundoff('float32') * wanted.norm;
        const finding = compareTensor(
          call,
          at(norm),
          expectTensor('float32', [], [wanted.norm], [slack]),
          when ? `${when}the norm` : 'The norm',
        );
        if (finding) return finding;
      }
      if (parts.includes('parameters')) {
        const size = c.weight.flat().length;
        const rows: [string, typeof norm, number[], number, number][] = [
          ['weight', weight, [c.weight.length, size / c.weight.length], 0, size],
          ['bias', bias, [c.bias.length], size, size + c.bias.length],
        ];
        for (const [name, value, shape, from, to] of rows) {
          const { parameters, slack } = wanted;
          const legal = expectTensor('float32', shape, parameters.slice(from, to), slack.slice(from, to));
          const finding = compareTensor(call, at(value), legal, `${when}model.${name}`);
          if (finding && wanted.skipped)
            return { ...finding, message: `${finding.message} A gradient was inf, so this step had to be skipped.` };
          if (finding) return finding;
        }
      }
      const got = scale?.kind === 'number' ? Number(scale.value) : Number.NaN;
      if (parts.includes('scale') && got !== wanted.scale) {
        return { message: `${when}the scale is ${got}, expected ${wanted.scale}.`, counterexample };
      }
    }
    return null;
  };

const exactRule =
  'All values are small dyadic numbers, which float16 and float32 hold exactly, so exactly one result is legal. Only a clipped update may be off by a few roundings of float32.';

const NORMS: readonly string[] = ['linalg_vector_norm', 'norm'];
const LINEAR: readonly string[] = ['linear', 'matmul', 'mm', 'addmm'];

const times = (n: number): string => (n === 1 ? 'once' : `${n} times`);

/** What is wrong with the order in which one call's events came; null where nothing is. */
function judgeOrder(trace: readonly TraceEvent[], microBatches: number): Finding | null {
  const at = (test: (e: TraceEvent) => boolean) => trace.flatMap((e, i) => (test(e) ? [i] : []));
  const event = (name: string) => at((e) => e.op === `GradScaler.${name}`);
  const line = (i: number | undefined): number | null => (i === undefined ? null : (trace[i]?.line ?? null));
  const found = (message: string, i?: number): Finding => ({ message, line: line(i) });
  const on = (i: number) => (line(i) === null ? '' : ` on line ${line(i)}`);
  const [scales, unscales, steps, updates] = ['scale', 'unscale_', 'step', 'update'].map(event) as [
    number[],
    number[],
    number[],
    number[],
  ];
  const norms = at((e) => NORMS.includes(e.op) && e.phase === 'forward');
  if (scales.length === 0) return found('The loss was never scaled: scaler.scale(loss).backward().');
  if (scales.length !== microBatches) {
    return found(
      `scaler.scale came ${times(scales.length)} for ${microBatches} micro-batches; each goes backward by itself.`,
      scales[0],
    );
  }
  if (steps.length === 0) {
    const bare = at((e) => e.op.startsWith('_sgd_step'))[0];
    return bare === undefined
      ? found('scaler.step was never called.')
      : found(`The optimizer stepped${on(bare)} without scaler.step, which alone skips a step with inf or NaN.`, bare);
  }
  const step = steps[0] as number;
  const lastScale = scales.at(-1) as number;
  if (steps.length > 1) {
    return found(
      `scaler.step ran ${steps.length} times${on(step)}: one batch makes one update, after its last micro-batch.`,
      step,
    );
  }
  if (step < lastScale) return found(`scaler.step${on(step)} came before the last backward.`, step);
  const unscale = unscales[0] as number; // step has seen to it that there is one
  if (unscale < lastScale) {
    return found(
      `unscale_${on(unscale)} came before the last backward: what follows adds scaled gradients to unscaled ones.`,
      unscale,
    );
  }
  const between = norms.some((i) => i > unscale && i < step);
  const early = norms.find((i) => i < unscale);
  if (!between && early !== undefined) {
    const explicit = line(unscale) !== line(step);
    return found(
      `The norm${on(early)} was taken before ${explicit ? `unscale_${on(unscale)}` : 'the gradients were unscaled (step did it, since nothing else had)'}: it is that of gradients which are still multiplied by the scale.`,
      early,
    );
  }
  const late = norms.find((i) => i > step);
  if (!between && late !== undefined) return found(`Clipping${on(late)} came after the optimizer had stepped.`, late);
  if (updates.length !== 1) {
    return found(`scaler.update ran ${times(updates.length)}, expected once a call.`, updates[0]);
  }
  if ((updates[0] as number) < step) return found(`update${on(updates[0] as number)} came before step.`, updates[0]);
  return null;
}

/** One call whose own events are looked at. */
const tracedOn =
  (c: TrainingCase, look: (trace: readonly TraceEvent[]) => Finding | null): Check['run'] =>
  async ({ traced }) => {
    const { outcome, trace } = await traced(trainCall(c));
    const counterexample = { call: trainCall(c).shown as string };
    if (outcome.kind === 'raised') {
      return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
    }
    const finding = look(trace);
    return finding && { ...finding, counterexample };
  };

export default defineExercise({
  title: 'The training step, in order',
  summary: 'Write the float16 training step with gradient accumulation and clipping, every call in its place.',
  kind: 'order',
  minutes: 20,
  level: 'interview',
  prerequisites: ['gradscaler-ordering', 'three-failures'],
  teaches: ['order of the GradScaler calls', 'gradient accumulation', 'clipping true gradients'],
  version: 1,
  functions: ['train_step'],
  tasks: [
    { id: 'update', title: 'The update' },
    { id: 'order', title: 'The order' },
    { id: 'scaler', title: 'The scaler' },
  ],
  hints: [
    'Print the norm that the starter returns, and then the same with init_scale=1. A true gradient norm does not depend on the scale.',
    'Which calls belong to each micro-batch, and which to the whole batch? Three of the scaler’s four calls are made once.',
    'The mean over the whole batch is the mean of the micro-batches’ means. By what must each loss be divided before it is scaled?',
    'Who decides whether the optimizer steps? Something has to stand between the gradients and optimizer.step.',
    'What is in .grad when train_step is called for the second time?',
  ],
  checks: [
    {
      id: 'single',
      task: 'update',
      title: 'One micro-batch moves the parameters by lr times the gradient',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: trainingCases({ microBatches: [1], calls: [1] }),
          examples: [examples.single],
          runs: 8,
          call: trainCall,
          judge: judge('parameters'),
        }),
    },
    {
      id: 'mean',
      task: 'update',
      title: 'Several micro-batches give the gradient of the mean over all',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: trainingCases({ microBatches: [2, 4], calls: [1] }),
          examples: [examples.several, examples.four],
          runs: 8,
          call: trainCall,
          judge: judge('parameters'),
        }),
    },
    {
      id: 'clip',
      task: 'update',
      title: 'The true gradients are clipped to max_norm',
      rule: `${exactRule} PyTorch’s own clipping divides by the norm + 1e-6; dividing by the norm is legal too.`,
      run: ({ forAll }) =>
        forAll({
          inputs: trainingCases({ microBatches: [1, 2], calls: [1], maxNorm: [0.25, 0.5, 1] }),
          examples: [examples.clipped],
          runs: 8,
          call: trainCall,
          judge: judge('parameters'),
        }),
    },
    {
      id: 'norm',
      task: 'update',
      title: 'It returns the norm of the true gradients before clipping',
      rule: 'A float32 tensor without dimensions, within 8 units of roundoff of the exact norm.',
      run: ({ forAll }) =>
        forAll({
          inputs: trainingCases({ microBatches: [1, 2], calls: [1], maxNorm: [0.5, 1] }),
          examples: [examples.several, examples.clipped],
          runs: 8,
          call: trainCall,
          judge: judge('norm'),
        }),
    },
    {
      id: 'fresh',
      task: 'update',
      title: 'A second call starts from fresh gradients',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: trainingCases({ microBatches: [1, 2], calls: [2] }),
          examples: [examples.twice],
          runs: 6,
          call: trainCall,
          judge: judge('parameters'),
        }),
    },
    {
      id: 'order',
      task: 'order',
      title: 'scale and backward for each micro-batch; then unscale_, clip, step, update, once each',
      rule: 'Judged by the trace of one call: which scaler event came when, and from which of your lines.',
      run: tracedOn({ ...examples.several, maxNorm: 0.5 }, (trace) => judgeOrder(trace, 2)),
    },
    {
      id: 'float16',
      task: 'order',
      title: 'The forward runs in float16, by autocast',
      rule: 'Judged by the trace and by values: 2049 is not a float16 and becomes 2048; 257 is a float16, but not a bfloat16. Parameters stay float32.',
      run: async (context) => {
        const c = examples.float16;
        const fromTrace = await tracedOn(c, (trace) => {
          const wrong = trace.find(
            (e) => LINEAR.includes(e.op) && e.phase === 'forward' && e.outputs[0]?.dtype !== 'float16',
          );
          return wrong
            ? {
                message: `The model’s ${wrong.op} ran in ${wrong.outputs[0]?.dtype}, expected float16.`,
                line: wrong.line,
              }
            : null;
        })(context);
        if (fromTrace) return fromTrace;
        const [outcome] = await context.call([trainCall(c)]);
        return judge('parameters')(c, outcome as Outcome);
      },
    },
    {
      id: 'skip',
      task: 'scaler',
      title: 'A step with inf leaves the parameters alone, halves the scale, and the next one works',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: overflowCases,
          examples: [examples.overflow],
          runs: 6,
          call: trainCall,
          judge: judge('parameters', 'scale'),
        }),
    },
    {
      id: 'growth',
      task: 'scaler',
      title: 'The scale doubles after growth_interval calls, however many micro-batches they had',
      rule: 'update() counts iterations. Powers of two, so exact.',
      run: ({ forAll }) =>
        forAll({
          inputs: growthCases,
          examples: [examples.growth],
          runs: 5,
          call: trainCall,
          judge: judge('scale'),
        }),
    },
  ],
  mistakes: {
    clip_before_unscale: {
      fails: 'order',
      message:
        'Your bits are those of clipping before the gradients are unscaled. The threshold is applied to gradients that are S times too long, so in effect it is max_norm / S: no error, and a loss that hardly moves.',
    },
    no_division: {
      fails: 'mean',
      message:
        'Your bits are those of a sum over the micro-batches: the gradient is too long by their number, and so is the step. Divide each loss by len(micro_batches), before or after scaling.',
    },
    step_per_micro_batch: {
      fails: 'order',
      message:
        'Your bits are those of one optimizer step for each micro-batch. That is training with a small batch and a small learning rate: accumulation means that all gradients are taken at the same parameters.',
    },
    unscale_per_micro_batch: {
      fails: 'order',
      message:
        'unscale_ runs for every micro-batch. The first one divides, the next backward adds scaled gradients to unscaled ones, and the second unscale_ raises: it belongs behind the loop.',
    },
    update_per_micro_batch: {
      fails: 'single',
      message:
        'update runs for every micro-batch. It closes an iteration and wants to know whether there was an inf; before any unscale_ or step nobody has looked. Had it changed the scale, gradients of two scales would be added up.',
    },
    bare_optimizer_step: {
      fails: 'skip',
      message:
        'Your bits are those of optimizer.step() called directly. As long as everything is finite it does no harm, since the gradients are unscaled; at the first inf the parameters are gone. scaler.step is what skips.',
    },
    no_zero_grad: {
      fails: 'fresh',
      message:
        'Your bits are those of gradients that were never cleared: the second call adds scaled gradients to the unscaled, clipped ones of the first. After one inf, every later step is skipped.',
    },
    half_model: {
      fails: 'single',
      message:
        'The model was turned to half. Its gradients are then float16 themselves, and unscale_ refuses them: autocast wants float32 parameters and makes its own casts.',
    },
    no_update: {
      fails: 'growth',
      message:
        'update is missing. It closes the iteration: without it the scaler still believes that this optimizer’s gradients are unscaled, and the scale never changes.',
    },
    no_autocast: {
      fails: 'float16',
      message:
        'Your bits are those of a float32 forward. It trains, and nothing got faster: without autocast around the forward, the scaler protects against an underflow that can’t happen.',
    },
    bfloat16: {
      fails: 'float16',
      message:
        'Your bits are those of a bfloat16 forward. It needs no scaler at all, and has 8 significant bits where float16 has 11: 257 becomes 256.',
    },
    norm_after_clipping: {
      fails: 'norm',
      message:
        'Your bits are those of the norm after clipping. On a dashboard it says max_norm whenever it matters; clip_grad_norm_ returns the norm before.',
    },
  },
  probes: Object.values(examples).map(trainCall),
  stages: [
    {
      title: 'Start clean, and make the loss the mean over all',
      why: 'Old gradients would be added to new ones. Each micro-batch gives a mean over its own rows, and the mean of those is the mean over the whole batch: divide by their number before going backward.',
      code: `    optimizer.zero_grad()
    for x, y in micro_batches:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(model(x), y) / len(micro_batches)  # the mean of the means is the mean of all
        scaler.scale(loss).backward()  # gradients add up, all multiplied by one scale`,
    },
    {
      title: 'Unscale once, then clip',
      why: 'A threshold means something for true gradients only. unscale_ comes after the last backward, since what it divides must all carry the same scale, and before clipping. It also notes whether there was an inf or NaN.',
      code: `    scaler.unscale_(optimizer)  # once, on the whole sum; notes inf and NaN
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)  # true gradients, so a true threshold`,
    },
    {
      title: 'Let the scaler decide whether to step',
      why: 'optimizer.step() would write inf into the parameters. scaler.step looks at what unscale_ noted and skips; update then halves the scale after an overflow, or counts a clean iteration.',
      code: `    scaler.step(optimizer)  # skipped if unscale_ found inf or NaN
    scaler.update()`,
    },
  ],
  followUps: [
    {
      question: 'The last batch has micro-batches of different sizes. What changes?',
      answer:
        'The mean of the means is no longer the mean of all. Use reduction="sum" and divide by the number of elements of the whole batch, or weigh each mean by its share of rows. With token losses this is the rule, not the exception: many published training loops had it wrong.',
    },
    {
      question: 'Where does the learning-rate scheduler go?',
      answer:
        'After scaler.step, and only if the step was taken: compare get_scale() before and after update with less than, since growth changes it as well. A skipped step that advances the schedule desynchronises the two, and at the first step PyTorch warns about the order.',
    },
    {
      question: 'Why may the scale not change between two micro-batches?',
      answer:
        'Their gradients are added up in .grad, each multiplied by the scale of its time, and one unscale_ divides the sum by one scale. With two scales in it, the sum is a weighted mean that nobody asked for.',
    },
    {
      question: 'What would you log?',
      answer:
        'The norm returned here, the scale after update, and the count of skipped steps, in one time series with the loss. A norm that halves whenever the scale does is a norm of scaled gradients.',
    },
  ],
});
