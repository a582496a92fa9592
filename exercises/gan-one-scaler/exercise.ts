import type { TraceEvent } from '../../engine/session/session';
import { compareTensor, expectTensor } from '../kit/compare';
import { type Call, defineExercise, type Finding, type Outcome } from '../kit/schema';
import { pythonLiteral, tensor, unitRoundoff } from '../kit/values';
import { cleanCases, clippedCases, criticOverflows, examples, generatorOverflows, growthCases } from './cases';
import { type GanCase, simulate } from './gan';

/** Sets up both models, optimizers and the scaler; gives [norm, critic's weight and bias, generator's, scale] after each call. */
const SCENARIO = `
import torch

def scenario(namespace, g_weight, g_bias, d_weight, d_bias, steps, learning_rate, max_norm, init_scale, growth_interval):
    def linear(weight, bias):
        model = torch.nn.Linear(weight.shape[1], weight.shape[0], device="cuda")
        with torch.no_grad():
            model.weight.copy_(weight)
            model.bias.copy_(bias)
        return model, torch.optim.SGD(model.parameters(), lr=learning_rate)

    generator, g_optimizer = linear(g_weight, g_bias)
    critic, d_optimizer = linear(d_weight, d_bias)
    scaler = torch.amp.GradScaler("cuda", init_scale=init_scale, growth_interval=growth_interval)
    states = []
    for real, noise in steps:
        norm = namespace["gan_step"](generator, critic, g_optimizer, d_optimizer, scaler, real, noise, max_norm)
        if isinstance(norm, torch.Tensor):
            norm = norm.detach().clone()
        parameters = [p.detach().clone() for p in (critic.weight, critic.bias, generator.weight, generator.bias)]
        states.append([norm, *parameters, scaler.get_scale()])
    return states
`;

const float = (value: number) => ({ kind: 'number', type: 'float', value }) as const;
const matrix = (rows: readonly (readonly number[])[]) =>
  tensor('float32', [rows.length, (rows[0] as readonly number[]).length], rows.flat());
const vector = (values: readonly number[]) => tensor('float32', [values.length], values);

function ganCall(c: GanCase): Call {
  const models = [
    matrix(c.generator.weight),
    vector(c.generator.bias),
    matrix([c.critic.weight]),
    vector([c.critic.bias]),
  ];
  const [gw, gb, dw, db] = models.map(pythonLiteral);
  const steps = c.steps.map(({ real, noise }) => ({ kind: 'tuple', items: [matrix(real), matrix(noise)] }) as const);
  return {
    function: 'gan_step',
    arguments: [
      ...models,
      { kind: 'list', items: steps },
      float(c.learningRate),
      float(c.maxNorm),
      float(c.initScale),
      { kind: 'number', type: 'int', value: c.growthInterval },
    ],
    scenario: SCENARIO,
    shown: [
      `# generator: nn.Linear with weight ${gw}, bias ${gb}`,
      `# critic: nn.Linear with weight ${dw}, bias ${db}; both SGD(lr=${c.learningRate})`,
      `# scaler: GradScaler("cuda", init_scale=${c.initScale}, growth_interval=${c.growthInterval}); max_norm = ${c.maxNorm}`,
      ...steps.map(({ items: [real, noise] }) =>
        [
          `gan_step(generator, critic, g_optimizer, d_optimizer, scaler, real=${pythonLiteral(real)},`,
          `         noise=${pythonLiteral(noise)}, max_norm=max_norm)`,
        ].join('\n'),
      ),
    ].join('\n'),
  };
}

type Part = 'norm' | 'critic' | 'generator' | 'scale';

/** Judges the named parts of every state: other checks look at the others. */
const judge =
  (...parts: readonly Part[]) =>
  (c: GanCase, outcome: Outcome): Finding | null => {
    const call = ganCall(c);
    const counterexample = { call: call.shown as string };
    if (outcome.kind === 'raised') {
      return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
    }
    const expected = simulate(c);
    if (outcome.value.kind !== 'list') throw new Error('gan-one-scaler: the scenario gave no states');
    for (const [i, state] of outcome.value.items.entries()) {
      const wanted = expected[i];
      if (wanted === undefined || state.kind !== 'list') throw new Error('gan-one-scaler: a state is missing');
      const [norm, criticWeight, criticBias, generatorWeight, generatorBias, scale] = state.items;
      const when = c.steps.length > 1 ? `After call ${i + 1}, ` : '';
      const at = (value: typeof norm): Outcome => ({ ...outcome, value: value ?? { kind: 'none' } });
      const compare = (
        name: string,
        value: typeof norm,
        shape: readonly number[],
        exact: readonly number[],
        slack: readonly number[],
        skipped: boolean,
      ): Finding | null => {
        const subject = when ? `${when}${name}` : `${name[0]?.toUpperCase()}${name.slice(1)}`;
        const finding = compareTensor(call, at(value), expectTensor('float32', shape, exact, slack), subject);
        if (!finding || !skipped) return finding;
        return {
          ...finding,
          message: `${finding.message} Its gradients were inf or NaN, so this step had to be skipped.`,
        };
      };
      if (parts.includes('norm') && !wanted.generatorSkipped) {
        const finding = compare(
          'the norm',
          norm,
          [],
          [wanted.norm],
          [8 * unitRoundoff('float32') * wanted.norm],
          false,
        );
        if (finding) return finding;
      }
      const features = wanted.generator.bias.length;
      const latent = (wanted.generator.weight[0] as readonly number[]).length;
      const none = new Array<number>(features).fill(0);
      const { critic, generator, slack, criticSkipped, generatorSkipped } = wanted;
      const weights = features * latent;
      const finding =
        (parts.includes('critic')
          ? (compare('the critic’s weight', criticWeight, [1, features], critic.weight, none, criticSkipped) ??
            compare('the critic’s bias', criticBias, [1], [critic.bias], [0], criticSkipped))
          : null) ??
        (parts.includes('generator')
          ? (compare(
              'the generator’s weight',
              generatorWeight,
              [features, latent],
              generator.weight.flat(),
              slack.slice(0, weights),
              generatorSkipped,
            ) ??
            compare(
              'the generator’s bias',
              generatorBias,
              [features],
              generator.bias,
              slack.slice(weights),
              generatorSkipped,
            ))
          : null);
      if (finding) return finding;
      const got = scale?.kind === 'number' ? Number(scale.value) : Number.NaN;
      if (parts.includes('scale') && got !== wanted.scale) {
        return { message: `${when}${when ? 't' : 'T'}he scale is ${got}, expected ${wanted.scale}.`, counterexample };
      }
    }
    return null;
  };

const exactRule =
  'All values are small dyadic numbers, which float16 and float32 hold exactly, so exactly one result is legal. Only a clipped update may be off by a few roundings of float32.';

const NORMS: readonly string[] = ['linalg_vector_norm', 'norm'];

/** What is wrong with the order in which one call's events came; null where nothing is. */
export function judgeOrder(trace: readonly TraceEvent[]): Finding | null {
  const at = (test: (e: TraceEvent) => boolean) => trace.flatMap((e, i) => (test(e) ? [i] : []));
  const event = (name: string) => at((e) => e.op === `GradScaler.${name}`);
  const line = (i: number | undefined): number | null => (i === undefined ? null : (trace[i]?.line ?? null));
  const found = (message: string, i?: number): Finding => ({ message, line: line(i) });
  const on = (i: number | undefined) => (line(i) === null ? '' : ` on line ${line(i)}`);
  const scales = event('scale');
  const steps = event('step');
  const updates = event('update');
  if (scales.length < 2) {
    return found(
      `scaler.scale came ${scales.length === 1 ? 'once' : 'never'}: each loss is scaled and goes backward by itself.`,
      scales[0],
    );
  }
  if (steps.length !== 2) {
    const bare = at((e) => e.op.startsWith('_sgd_step')).find((i) => !steps.some((s) => line(s) === line(i)));
    return bare === undefined
      ? found(`scaler.step came ${steps.length} times, expected once for each optimizer.`, steps[0])
      : found(`An optimizer stepped${on(bare)} without scaler.step, which alone skips a step with inf or NaN.`, bare);
  }
  const last = steps[1] as number;
  if (updates.length !== 1) {
    const early = updates.find((i) => i < last);
    return early === undefined
      ? found('scaler.update was never called.')
      : found(
          `scaler.update ran ${updates.length} times, the first${on(early)} before the second step${on(last)}: one scaler has one update for both optimizers.`,
          early,
        );
  }
  if ((updates[0] as number) < last) {
    return found(`scaler.update${on(updates[0])} came before the second step${on(last)}.`, updates[0]);
  }
  const unscale = event('unscale_')
    .filter((i) => i < last)
    .at(-1);
  const norms = at((e) => NORMS.includes(e.op) && e.phase === 'forward');
  if (unscale !== undefined && norms.some((i) => i > unscale && i < last)) return null;
  const early = norms.filter((i) => unscale === undefined || i < unscale).at(-1);
  return early === undefined
    ? found('No norm was taken between unscaling the generator’s gradients and its step: they are never clipped.', last)
    : found(
        `The norm${on(early)} was taken before the generator’s gradients were unscaled${on(unscale)}: it is that of gradients which are still multiplied by the scale.`,
        early,
      );
}

export default defineExercise({
  title: 'A GAN step with one scaler',
  summary: 'Repair a float16 GAN step in which one GradScaler serves two optimizers.',
  kind: 'repair',
  minutes: 25,
  level: 'interview',
  prerequisites: ['gradscaler-ordering', 'three-failures'],
  teaches: ['one scaler for several optimizers', 'where unscale_ goes', 'stale casts under autocast'],
  version: 1,
  functions: ['gan_step'],
  tasks: [
    { id: 'critic', title: 'The critic' },
    { id: 'generator', title: 'The generator' },
    { id: 'scaler', title: 'The scaler' },
  ],
  hints: [
    'Print the scale after each step of the starter. The growth interval is 4: how often did it grow in 8 steps, and why?',
    'Which parameters does the critic’s loss send gradients to? Print generator.weight.grad right after its backward.',
    'The norm that comes back depends on init_scale. A true norm does not. Which call is missing between the backward and the clipping?',
    'scaler.step unscales what nobody has unscaled. So for which of the two optimizers do you need to do it yourself, and why?',
    'What has to be known before the scale may change? Who has found out by then?',
  ],
  checks: [
    {
      id: 'critic',
      task: 'critic',
      title: 'The critic moves by lr times the gradient of its own loss',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cleanCases(1),
          examples: [examples.plain, examples.rows, examples.features],
          runs: 5,
          call: ganCall,
          judge: judge('critic'),
        }),
    },
    {
      id: 'generator',
      task: 'generator',
      title: 'The generator moves by what the critic tells it after its step',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cleanCases(1),
          examples: [examples.plain, examples.rows, examples.features],
          runs: 5,
          call: ganCall,
          judge: judge('generator'),
        }),
    },
    {
      id: 'clip',
      task: 'generator',
      title: 'Its true gradients are clipped to max_norm',
      rule: `${exactRule} PyTorch’s own clipping divides by the norm + 1e-6; dividing by the norm is legal too.`,
      run: ({ forAll }) =>
        forAll({
          inputs: clippedCases,
          examples: [examples.clipped],
          runs: 5,
          call: ganCall,
          judge: judge('generator'),
        }),
    },
    {
      id: 'norm',
      task: 'generator',
      title: 'It returns the norm of its true gradients before clipping',
      rule: 'A float32 tensor without dimensions, within 8 units of roundoff of the exact norm.',
      run: ({ forAll }) =>
        forAll({
          inputs: clippedCases,
          examples: [examples.plain, examples.clipped],
          runs: 3,
          call: ganCall,
          judge: judge('norm'),
        }),
    },
    {
      id: 'fresh',
      task: 'critic',
      title: 'A second call starts from fresh gradients',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cleanCases(2),
          examples: [examples.twice],
          runs: 3,
          call: ganCall,
          judge: judge('critic', 'generator'),
        }),
    },
    {
      id: 'order',
      task: 'scaler',
      title: 'Each loss scaled, each optimizer stepped by the scaler, one update at the end',
      rule: 'Judged by the trace of one call: which scaler event came when, and from which of your lines.',
      run: async ({ traced }) => {
        const call = ganCall(examples.clipped);
        const { outcome, trace } = await traced(call);
        const counterexample = { call: call.shown as string };
        if (outcome.kind === 'raised') {
          return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
        }
        const finding = judgeOrder(trace);
        return finding && { ...finding, counterexample };
      },
    },
    {
      id: 'critic-overflows',
      task: 'scaler',
      title: 'Where only the critic overflows, the generator still steps, and the scale halves',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: criticOverflows,
          examples: [examples.criticOverflows],
          runs: 3,
          call: ganCall,
          judge: judge('critic', 'generator', 'scale'),
        }),
    },
    {
      id: 'generator-overflows',
      task: 'scaler',
      title: 'Where only the generator overflows, it stays, and the scale halves',
      rule: exactRule,
      run: ({ forAll }) =>
        forAll({
          inputs: generatorOverflows,
          examples: [examples.generatorOverflows],
          runs: 3,
          call: ganCall,
          judge: judge('critic', 'generator', 'scale'),
        }),
    },
    {
      id: 'growth',
      task: 'scaler',
      title: 'The scale doubles after growth_interval calls',
      rule: 'update() counts iterations, and an iteration of a GAN is a step of both. Powers of two, so exact.',
      run: ({ forAll }) =>
        forAll({ inputs: growthCases, examples: [examples.growth], runs: 3, call: ganCall, judge: judge('scale') }),
    },
  ],
  mistakes: {
    update_twice: {
      fails: 'growth',
      message:
        'Your scaler is updated after each optimizer. It counts two iterations for one: the scale grows twice as fast, and an overflow of the critic changes the scale between the two backwards.',
    },
    clip_before_unscale: {
      fails: 'clip',
      message:
        'Your bits are those of clipping gradients that are still scaled. step unscales too, but only then: the threshold was in effect max_norm / S, and the generator hardly moves.',
    },
    not_detached: {
      fails: 'generator',
      message:
        'Your bits are those of fakes that were not detached: the critic’s loss has gone on into the generator, which learns to be recognised as well as not to be.',
    },
    critic_steps_last: {
      fails: 'critic',
      message:
        'Your bits are those of a critic that steps after the generator’s backward. That backward runs through the critic and leaves its gradients there: the critic is moved to please the generator.',
    },
    one_autocast_region: {
      fails: 'generator',
      message:
        'Your bits are those of one autocast region around both losses. It keeps the float16 copies of the weights until it is left: the generator was judged by the critic as it was before its step.',
    },
    bare_generator_step: {
      fails: 'generator-overflows',
      message:
        'Your generator steps by g_optimizer.step(). As long as everything is finite it does no harm, since the gradients are unscaled; at the first inf its parameters are gone.',
    },
    both_or_neither: {
      fails: 'critic-overflows',
      message:
        'Your bits are those of giving up on the generator when the critic overflows. The scaler decides for each optimizer by itself; its own gradients were fine.',
    },
    generator_never_cleared: {
      fails: 'fresh',
      message:
        'Your bits are those of generator gradients that were never cleared: the second call adds scaled gradients to the unscaled, clipped ones of the first.',
    },
    critic_never_cleared: {
      fails: 'fresh',
      message:
        'Your bits are those of critic gradients that were never cleared. Besides those of its last step, they hold what the generator’s backward left there.',
    },
    no_update: {
      fails: 'growth',
      message:
        'update is missing. It closes the iteration: without it the scaler still believes that both optimizers have stepped, and the scale never changes.',
    },
    norm_after_clipping: {
      fails: 'norm',
      message:
        'Your bits are those of the norm after clipping. On a dashboard it says max_norm whenever it matters; clip_grad_norm_ returns the norm before.',
    },
    second_scaler: {
      fails: 'generator',
      message:
        'The generator gets a scaler of its own, made anew in each call. It starts at 65536 every time and forgets what it has found: a scaler is state, and its state is what makes it dynamic.',
    },
    fake_twice: {
      fails: 'generator',
      message:
        'The generator’s loss is computed on detached fakes, so no gradient reaches the generator. Detaching belongs to the critic’s loss only.',
    },
    unscale_both_late: {
      fails: 'critic',
      message:
        'The critic’s gradients are unscaled after its step. step had done it already, and the scaler refuses: unscale_ comes at most once for each optimizer, between its backward and its step.',
    },
  },
  probes: Object.values(examples).map(ganCall),
  stages: [
    {
      title: 'Keep the critic’s loss away from the generator',
      why: 'One forward of the generator serves both losses. The critic’s sees it detached: otherwise its backward goes on into the generator, and needs a retained graph for it, which is the smell of this mistake.',
      code: `    d_optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        fake = generator(noise)
        on_real, on_fake = critic(real), critic(fake.detach())  # detached: this loss is none of the generator's business
        d_loss = F.mse_loss(on_real, torch.ones_like(on_real)) + F.mse_loss(on_fake, torch.zeros_like(on_fake))`,
    },
    {
      title: 'Step the critic before anything else goes backward',
      why: 'The generator’s backward runs through the critic and adds to its gradients. The critic is not clipped, so step may unscale for it.',
      code: `    scaler.scale(d_loss).backward()
    scaler.step(d_optimizer)  # unscales by itself; before the generator's backward adds to the critic's gradients`,
    },
    {
      title: 'Ask the critic as it is now',
      why: 'The fakes are reused, with their graph; the critic has moved. An autocast region caches its float16 copies of the weights until it is left, so the second forward gets a region of its own.',
      code: `    g_optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):  # a new region: the old one's float16 copy of the weights is stale
        on_fake = critic(fake)
        g_loss = F.mse_loss(on_fake, torch.ones_like(on_fake))`,
    },
    {
      title: 'Unscale what is clipped, and update once',
      why: 'Clipping needs true gradients, so the generator’s are unscaled by hand. update comes when both optimizers have been judged: any inf in either halves the one scale.',
      code: `    scaler.scale(g_loss).backward()
    scaler.unscale_(g_optimizer)  # only of what is clipped, and before it is
    norm = torch.nn.utils.clip_grad_norm_(generator.parameters(), max_norm)
    scaler.step(g_optimizer)

    scaler.update()  # once, after both: it looks at what either has found
    return norm`,
    },
  ],
  followUps: [
    {
      question: 'Why one scaler and not two?',
      answer:
        'One is enough as long as both losses live in a similar range, and it keeps the count of iterations in one place. Two are legal: each then has its own scale, step and update. What is not is one scaler whose scale changes between two backwards that add up in the same gradients.',
    },
    {
      question: 'You add a gradient penalty to the critic. What changes?',
      answer:
        'It uses gradients inside the loss. torch.autograd.grad of a scaled output gives scaled gradients, so they are divided by scaler.get_scale() by hand before the penalty is formed, under autocast, and the whole loss is then scaled as usual. unscale_ knows only about .grad.',
    },
    {
      question: 'The critic overflows in every step, the generator never. What do you see in the log?',
      answer:
        'A scale that halves each iteration, a critic that never moves, and a generator that trains against it, with losses that look fine. So log the skipped steps of each optimizer, not only the scale.',
    },
  ],
});
