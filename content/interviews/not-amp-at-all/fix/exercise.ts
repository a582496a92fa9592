import fc from 'fast-check';
import type { PyValue } from '@/engine/session/session';
import { compareTensor, expectTensor } from '@/exercises/kit/compare';
import { type Call, defineExercise, type Finding, type Outcome } from '@/exercises/kit/schema';
import { pythonLiteral, tensor, unitRoundoff } from '@/exercises/kit/values';

type Rows = readonly (readonly number[])[];

interface Part {
  readonly features: Rows;
  readonly demand: readonly number[];
}

interface Case {
  readonly weight: readonly number[];
  readonly bias: number;
  readonly scale: number;
  /** The parts of each call, one after the other on the same model. The rate is 0, so the weights stay. */
  readonly calls: readonly (readonly Part[])[];
}

/** After each call: [loss, updates in it, gradients at the last update or None, scale]. */
const SCENARIO = `
import torch

def scenario(namespace, weight, bias, calls, scale):
    model = torch.nn.Linear(weight.shape[1], 1, device="cuda")
    with torch.no_grad():
        model.weight.copy_(weight)
        model.bias.copy_(bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    scaler = torch.amp.GradScaler("cuda", init_scale=scale)
    seen = []
    optimizer.register_step_post_hook(lambda *_: seen.append([p.grad.detach().clone() for p in model.parameters()]))
    states = []
    for parts in calls:
        before = len(seen)
        loss = namespace["train_step"](model, optimizer, scaler, list(parts))
        made = len(seen) - before
        states.append([loss, made, *(seen[-1] if made else [None, None]), scaler.get_scale()])
    return states
`;

const matrix = (rows: Rows) => tensor('float32', [rows.length, (rows[0] as readonly number[]).length], rows.flat());
const vector = (values: readonly number[]) => tensor('float32', [values.length], values);

function stepCall(c: Case): Call {
  const [weight, bias] = [matrix([c.weight]), vector([c.bias])];
  const calls = c.calls.map((parts) => ({
    kind: 'list' as const,
    items: parts.map((p) => ({ kind: 'tuple' as const, items: [matrix(p.features), vector(p.demand)] })),
  }));
  return {
    function: 'train_step',
    arguments: [weight, bias, { kind: 'list', items: calls }, { kind: 'number', type: 'float', value: c.scale }],
    scenario: SCENARIO,
    shown: [
      `# model: nn.Linear with weight ${pythonLiteral(weight)}, bias ${pythonLiteral(bias)}`,
      `# scaler: GradScaler("cuda", init_scale=${c.scale})`,
      ...calls.map((parts) => `train_step(model, optimizer, scaler, ${pythonLiteral(parts)})`),
    ].join('\n'),
  };
}

/**
 * The gradient of the mean of (x w + b - d)². Inputs are eighths, which float16 holds. The prediction rounds to float16 once; its gradient, and each
 * part's sum over articles, round once more each, and one more rounding is left for other orders of dividing.
 */
function expected(c: Case, parts: readonly Part[]) {
  const u = unitRoundoff('float16');
  const n = parts.reduce((sum, p) => sum + p.demand.length, 0);
  const gradient = new Array<number>(c.weight.length + 1).fill(0);
  const slack = new Array<number>(c.weight.length + 1).fill(1e-6);
  let loss = 0;
  let lossSlack = 1e-6;
  for (const { features, demand } of parts) {
    for (const [i, row] of features.entries()) {
      const prediction = row.reduce((sum, v, k) => sum + v * (c.weight[k] as number), c.bias);
      const off = prediction - (demand[i] as number);
      loss += off ** 2 / n;
      lossSlack += (2.2 * u * Math.abs(prediction * off) + 1e-6 * off ** 2) / n;
      for (const [k, x] of [...row, 1].entries()) {
        gradient[k] = (gradient[k] as number) + (2 * off * x) / n;
        slack[k] = (slack[k] as number) + (2 * Math.abs(x) * u * (1.1 * Math.abs(prediction) + 4 * Math.abs(off))) / n;
      }
    }
  }
  return { gradient, slack, loss, lossSlack };
}

/** `gradient`: what the optimizer saw. `updates`: one, and the scale as it was. `loss`: what was returned. */
type Aspect = 'gradient' | 'updates' | 'loss';

const judge =
  (...aspects: readonly Aspect[]) =>
  (c: Case, outcome: Outcome): Finding | null => {
    const call = stepCall(c);
    const counterexample = { call: call.shown as string };
    if (outcome.kind === 'raised')
      return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
    if (outcome.value.kind !== 'list') throw new Error('the scenario gave no states');
    for (const [i, state] of outcome.value.items.entries()) {
      if (state.kind !== 'list') throw new Error('a state is missing');
      const [loss, made, weight, bias, scale] = state.items;
      const wanted = expected(c, c.calls[i] as readonly Part[]);
      const when = c.calls.length > 1 ? `In call ${i + 1}, ` : '';
      const subject = (name: string) => (when ? `${when}${name}` : `${name[0]?.toUpperCase()}${name.slice(1)}`);
      const updates = made?.kind === 'number' ? Number(made.value) : Number.NaN;
      if (updates !== 1 && (aspects.includes('updates') || updates === 0))
        return { message: `${subject('the optimizer')} made ${updates} updates, expected 1.`, counterexample };
      const compare = (
        name: string,
        value: PyValue | undefined,
        shape: readonly number[],
        exact: readonly number[],
        slack: readonly number[],
      ) =>
        compareTensor(
          call,
          { ...outcome, value: value ?? { kind: 'none' } },
          expectTensor('float32', shape, exact, slack),
          subject(name),
        );
      const { gradient, slack } = wanted;
      const finding =
        (aspects.includes('gradient')
          ? (compare(
              'the weight’s gradient',
              weight,
              [1, c.weight.length],
              gradient.slice(0, -1),
              slack.slice(0, -1),
            ) ?? compare('the bias’s gradient', bias, [1], gradient.slice(-1), slack.slice(-1)))
          : null) ??
        (aspects.includes('loss') ? compare('the loss', loss, [], [wanted.loss], [wanted.lossSlack]) : null);
      if (finding) return finding;
      const got = scale?.kind === 'number' ? Number(scale.value) : Number.NaN;
      if (aspects.includes('updates') && got !== c.scale)
        return { message: `${subject('the scale')} is ${got}, expected ${c.scale}.`, counterexample };
    }
    return null;
  };

/** One part's gradient leaves float16 under this scale: nothing may be updated, and the scale is halved once. */
function judgeOverflow(c: Case, outcome: Outcome): Finding | null {
  const counterexample = { call: stepCall(c).shown as string };
  if (outcome.kind === 'raised')
    return { message: `It raised ${outcome.type}: ${outcome.message}`, line: outcome.line, counterexample };
  const state = outcome.value.kind === 'list' ? outcome.value.items[0] : undefined;
  if (state?.kind !== 'list') throw new Error('the scenario gave no states');
  const [, made, , , scale] = state.items;
  if (made?.kind === 'number' && Number(made.value) !== 0)
    return {
      message: `The scaled gradients of one part aren’t finite, and ${made.value === 1 ? 'an update was' : `${made.value} updates were`} made; the whole batch has to be skipped.`,
      counterexample,
    };
  const got = scale?.kind === 'number' ? Number(scale.value) : Number.NaN;
  if (got !== c.scale / 2)
    return { message: `The scale is ${got}, expected ${c.scale / 2}: halved once.`, counterexample };
  return null;
}

const eighths = (most: number) => fc.integer({ min: -8 * most, max: 8 * most }).map((k) => k / 8);
const part = (width: number, articles: number): fc.Arbitrary<Part> =>
  fc.record({
    features: fc.array(fc.array(eighths(2), { minLength: width, maxLength: width }), {
      minLength: articles,
      maxLength: articles,
    }),
    // Never near the prediction (at most 14): a gradient of nearly 0 tells no mistake from another.
    demand: fc.array(fc.integer({ min: 20, max: 40 }), { minLength: articles, maxLength: articles }),
  });
/** One model, and calls with parts of the given sizes. */
const cases = (sizes: fc.Arbitrary<readonly (readonly number[])[]>): fc.Arbitrary<Case> =>
  fc.tuple(fc.integer({ min: 1, max: 3 }), sizes).chain(([width, calls]) =>
    fc.record({
      weight: fc.array(eighths(2), { minLength: width, maxLength: width }),
      bias: eighths(2),
      scale: fc.constant(16),
      calls: fc.tuple(...calls.map((parts) => fc.tuple(...parts.map((n) => part(width, n))))),
    }),
  );

const few = fc.integer({ min: 1, max: 4 });
const oneOf = (features: Rows, demand: readonly number[]): Part => ({ features, demand });
const A = oneOf(
  [
    [1, 2],
    [0.5, -1],
    [2, 1],
  ],
  [20, 24, 28],
);
const B = oneOf([[-1, 1.5]], [32]);
const C = oneOf(
  [
    [1, 1],
    [1.5, 0.5],
    [0.25, 2],
  ],
  [36, 20, 22],
);
const model = { weight: [1, -0.5], bias: 0.25, scale: 16 };
const single: Case = { ...model, calls: [[A]] };
const even: Case = { ...model, calls: [[A, C]] };
const uneven: Case = { ...model, calls: [[A, B]] };
const twice: Case = {
  ...model,
  calls: [
    [A, B],
    [C, B],
  ],
};
/** 2 · 40 · 2^15 is beyond 65504, and so is a quarter of it. */
const overflowing: Case = { ...model, scale: 32768, calls: [[A, B]] };

const rule =
  'The gradient of the mean over all articles of the batch. Inputs are exact in float16; predictions, their gradients and each part’s sum may round once to float16, and one rounding is left for other orders of dividing.';

export default defineExercise({
  title: 'A step in parts',
  summary:
    'One update from a batch that comes in parts: the mean over all its articles, one step, one update of the scale.',
  kind: 'repair',
  minutes: 8,
  level: 'interview',
  prerequisites: ['gradscaler-ordering', 'three-failures'],
  teaches: ['gradient accumulation', 'a mean over uneven parts'],
  version: 1,
  functions: ['train_step'],
  tasks: [
    { id: 'mean', title: 'The mean over the batch' },
    { id: 'step', title: 'One step' },
  ],
  hints: [
    'By what would you have to divide for a part of three and a part of one to give the mean of four?',
    'The scale is one for the whole batch: how often may step() and update() be called?',
  ],
  checks: [
    {
      id: 'one-part',
      task: 'mean',
      title: 'A batch in one part, of any size',
      rule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(few.map((n) => [[n]])),
          examples: [single],
          runs: 10,
          call: stepCall,
          judge: judge('gradient'),
        }),
    },
    {
      id: 'equal-parts',
      task: 'mean',
      title: 'Parts of equal size',
      rule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.tuple(few, fc.integer({ min: 2, max: 3 })).map(([n, k]) => [new Array<number>(k).fill(n)])),
          examples: [even],
          runs: 10,
          call: stepCall,
          judge: judge('gradient'),
        }),
    },
    {
      id: 'uneven-parts',
      task: 'mean',
      title: 'Parts of different sizes',
      rule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.tuple(few, few).map(([n, more]) => [[n + more, n]])),
          examples: [uneven],
          runs: 10,
          call: stepCall,
          judge: judge('gradient'),
        }),
    },
    {
      id: 'loss',
      task: 'mean',
      title: 'The loss is that mean',
      rule: 'The mean over all articles, float32, with the error that float16 predictions bring.',
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.tuple(few, few).map(([n, more]) => [[n + more, n]])),
          examples: [uneven],
          runs: 8,
          call: stepCall,
          judge: judge('loss'),
        }),
    },
    {
      id: 'one-update',
      task: 'step',
      title: 'One update a batch, the scale as it was',
      rule: 'optimizer.step() runs once, and a clean batch leaves the scale alone.',
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.tuple(few, few).map(([n, m]) => [[n, m]])),
          examples: [uneven],
          runs: 6,
          call: stepCall,
          judge: judge('updates'),
        }),
    },
    {
      id: 'fresh',
      task: 'step',
      title: 'A second batch starts from nothing',
      rule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(
            fc.tuple(few, few).map(([n, m]) => [
              [n, m],
              [m, n],
            ]),
          ),
          examples: [twice],
          runs: 6,
          call: stepCall,
          judge: judge('gradient'),
        }),
    },
    {
      id: 'overflow',
      task: 'step',
      title: 'A batch whose scaled gradients overflow is skipped whole',
      rule: 'No update is made, and the scale is halved once.',
      run: ({ forAll }) =>
        forAll({
          inputs: fc.constant(overflowing),
          examples: [],
          runs: 1,
          call: stepCall,
          judge: judgeOverflow,
        }),
    },
  ],
  mistakes: {
    mean_of_means: {
      fails: 'uneven-parts',
      message: 'A mean of the parts’ means counts an article of a small part for more than one of a large part.',
    },
    sum_of_means: {
      fails: 'equal-parts',
      message: 'The parts’ means are added up: the gradient grows with the number of parts.',
    },
    first_size_for_all: {
      fails: 'uneven-parts',
      message:
        'It divides by the number of parts times the size of the first; the last part of a data set is usually smaller.',
    },
    updates_each_part: {
      fails: 'one-update',
      message: 'step() and update() belong to the batch: here each part makes an update of its own.',
    },
    keeps_gradients: {
      fails: 'fresh',
      message: 'Nothing clears the gradients: what the last batch left is added to this one’s.',
    },
    last_loss_only: {
      fails: 'loss',
      message: 'The gradient is right; the loss that it gives is that of the last part.',
    },
    steps_by_itself: {
      fails: 'overflow',
      message: 'optimizer.step() steps with whatever is there, inf too. scaler.step() looks first.',
    },
  },
  probes: [stepCall(single), stepCall(even), stepCall(uneven), stepCall(twice), stepCall(overflowing)],
  stages: [
    {
      title: 'Count the articles first',
      why: 'The divisor is the same for every part, so it has to be known before the first.',
      code: '    articles = sum(len(demand) for _, demand in parts)',
    },
    {
      title: 'Divide inside, before the backward',
      why: 'What is divided after the backward is only what is logged: the gradient stays a sum’s.',
      code: '            loss = F.mse_loss(model(features).squeeze(-1), demand, reduction="sum") / articles',
    },
    {
      title: 'Give the total as it is',
      why: 'Each part’s loss is its share of the mean already.',
      code: '    return total',
    },
  ],
  followUps: [
    {
      question: 'Where does clipping go?',
      answer:
        'After the loop: scaler.unscale_(optimizer) once, then clip_grad_norm_, then step and update. Unscaling inside the loop would mix unscaled gradients with scaled ones.',
    },
    {
      question: 'And if the number of articles isn’t known before the last part?',
      answer:
        'Accumulate the gradient of the sum, and divide the gradients by the count after unscale_. Mind that the scaled sum is larger, so the scale settles lower.',
    },
  ],
});
