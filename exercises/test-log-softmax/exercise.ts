import { type Call, type Check, type CheckContext, defineExercise, type Finding, type Outcome } from '../kit/schema';
import { type Implementation, MUTANTS, type Mutant, RIGHT, sourceOf } from './implementations';

const SCENARIO = `
def scenario(namespace, source):
    own = {}
    exec(compile(source, "implementation.py", "exec"), own)
    namespace["check"](own["log_softmax"])
`;

const trial = (implementation: Implementation): Call => ({
  function: 'check',
  arguments: [{ kind: 'string', value: sourceOf(implementation) }],
  scenario: SCENARIO,
  shown: `check(log_softmax)  # ${implementation.title}`,
});

/** A right one comes last again, so that tests which start to refuse after some calls refuse that. */
const ORDER: readonly Implementation[] = [...RIGHT, ...MUTANTS, RIGHT[1] as Implementation];

interface Trial {
  readonly implementation: Implementation;
  readonly outcome: Outcome;
}

/** All are tried once for a submission: a few in a round trip, since the first run on a GPU compiles the kernels of many operations. */
const trials = new WeakMap<CheckContext, Promise<readonly Trial[]>>();
const TOGETHER = 4;

function tried(context: CheckContext): Promise<readonly Trial[]> {
  let all = trials.get(context);
  if (!all) {
    all = tryAll(context);
    trials.set(context, all);
  }
  return all;
}

async function tryAll(context: CheckContext): Promise<readonly Trial[]> {
  const made: Trial[] = [];
  for (let at = 0; at < ORDER.length; at += TOGETHER) {
    const some = ORDER.slice(at, at + TOGETHER);
    const outcomes = await context.call(some.map(trial));
    some.forEach((implementation, i) => {
      made.push({ implementation, outcome: outcomes[i] as Outcome });
    });
  }
  return made;
}

const acceptsRule =
  'An implementation is right if every step is rounded to x’s dtype or to a wider one. With u the unit roundoff, that leaves errors of a few u (1 + |result|): tests may ask for that, and not for equal bits.';
const catchesRule =
  'An implementation is caught if check raises, whatever it raises. It is let through if check returns. Each is really run on your tests.';

/** null where every right implementation is accepted. */
async function accepts(context: CheckContext): Promise<Finding | null> {
  for (const { implementation, outcome } of await tried(context)) {
    if (!RIGHT.includes(implementation) || outcome.kind === 'returned') continue;
    return {
      message: `Your tests reject a right implementation, ${implementation.title}: ${outcome.type}${outcome.message ? `: ${outcome.message}` : ''}`,
      line: outcome.line,
      counterexample: { call: `check(log_softmax)  # ${implementation.title}` },
    };
  }
  return null;
}

async function catches(context: CheckContext, mutant: Mutant): Promise<Finding | null> {
  const found = (await tried(context)).find((t) => t.implementation === mutant);
  if (!found || found.outcome.kind === 'raised') return null;
  const { value } = found.outcome;
  const said =
    value.kind === 'number' && value.type === 'bool' && Number(value.value) === 0
      ? ' (check returned False; a test that fails has to raise.)'
      : '';
  return { message: `It got through: check raised nothing. ${mutant.does}${said}` };
}

const caught = (mutant: Mutant): Check => ({
  id: mutant.name,
  task: mutant.task,
  title: `Caught: ${mutant.title}`,
  rule: catchesRule,
  run: (context) => catches(context, mutant),
});

/** Names of the wrong implementations that tests let through, in their order; first, whether they refuse a right one. */
const letThrough = (names: readonly string[]): string => names.join(' ');

export default defineExercise({
  title: 'Test it before you trust it',
  summary: 'Write the tests for a half-precision log_softmax, graded by the broken implementations that they catch.',
  kind: 'defend',
  minutes: 20,
  level: 'interview',
  prerequisites: ['stable-softmax', 'range-versus-precision'],
  teaches: ['testing numerical code', 'tolerances with a reason', 'inputs at which formulas break'],
  version: 1,
  functions: ['check'],
  tasks: [
    { id: 'accept', title: 'What is right gets in' },
    { id: 'range', title: 'Values, over the whole range' },
    { id: 'rows', title: 'Rows and dim' },
    { id: 'contract', title: 'The rest of the contract' },
  ],
  hints: [
    'Which logits have you seen break a softmax? Large, very negative, equal, far apart: each breaks another formula.',
    'A finite result is not a right one. What can you compare with, and how far from it may a right one be in float16?',
    'A comparison broadcasts, and every comparison with NaN is false. Could a wrong shape or a NaN pass your assert?',
    'The contract says more than values: dtypes beyond float16, dim, the shape and dtype of the result, what happens to x, and gradients.',
  ],
  checks: [
    {
      id: 'accepts',
      task: 'accept',
      title: `All ${RIGHT.length} right implementations are accepted`,
      rule: acceptsRule,
      run: accepts,
    },
    ...MUTANTS.map(caught),
  ],
  forbidden: {
    ops: [],
    names: ['inspect', '__code__', '__globals__', '__closure__', 'gc', 'sys', 'dis'],
    message: 'Implementations are to be told apart by what they compute, not by their source.',
  },
  mistakes: {
    ordinary_only: {
      fails: 'no_shift',
      signature: 'no_shift nan_to_num log_of_softmax clamped ties_once subtracts_mean global_max',
      message:
        'Your tests catch what tests with ordinary logits catch. On such inputs all formulas agree; they part where float16 ends.',
    },
    bitwise: {
      fails: 'accepts',
      signature: '(not every right one)',
      message:
        'Your tests refuse what differs from the library in a last bit. Rounding at each step is legal: say how many roundings may show, and at which size.',
    },
    finite_only: {
      fails: 'clamped',
      signature: 'nan_to_num clamped ties_once last_dim',
      message:
        'Your tests catch what a test for finite values catches. Clamping, adding an eps and replacing NaN all give finite values, and wrong ones.',
    },
    sums_to_one: {
      fails: 'clamped',
      signature: 'log_of_softmax clamped',
      message:
        'Your tests catch what a test for probabilities that sum to 1 catches. Many distributions do: a property narrows the answer down, it does not fix it.',
    },
    compares_with_itself: {
      fails: 'clamped',
      signature: 'clamped ties_once last_dim',
      message:
        'Your tests compare the implementation with itself in float32. What is wrong in every dtype passes: the other side of a comparison has to be trusted.',
    },
    broadcasts: {
      fails: 'extra_dimension',
      signature: 'extra_dimension',
      message:
        'Your tests never ask for the shape. A result of shape (1, n) is compared with one of shape (n,) by broadcasting, and all values agree.',
    },
    finite_values_only: {
      fails: 'no_shift',
      signature: 'no_shift subtracts_mean global_max',
      message:
        'Your tests compare the finite values, and leave out the others. What became inf or NaN was to be found: ask whether all differences are small, which NaN is not.',
    },
    one_row: {
      fails: 'global_max',
      signature: 'global_max last_dim',
      message:
        'Your tests have one row at a time. With one row, the maximum of the row is that of the tensor, and dim has no choice.',
    },
    no_gradient: {
      fails: 'detached',
      signature: 'detached',
      message: 'Your tests look at the forward only. A training run looks at the gradient.',
    },
    only_float16: {
      fails: 'float16_inside',
      signature: 'float16_inside',
      message:
        'Your tests use float16 only. An implementation that casts everything to float16 passes them, and ruins bfloat16 and float32.',
    },
    no_ties: {
      fails: 'ties_once',
      signature: 'ties_once',
      message: 'Your tests never have two equal maxima. Freshly initialised logits are all equal.',
    },
    no_mean: {
      fails: 'subtracts_mean',
      signature: 'log_of_softmax subtracts_mean',
      message:
        'Your tests have no logit far from the others in its row. Any shift is right on paper; only the maximum bounds the exponent.',
    },
    input_not_looked_at: {
      fails: 'in_place',
      signature: 'in_place',
      message: 'Your tests never look at x after the call. The result was right, and the caller’s tensor is gone.',
    },
    dtype_not_looked_at: {
      fails: 'float32_result',
      signature: 'float32_result',
      message:
        'Your tests never ask for the dtype of the result: float32 has all the right values, and twice the memory.',
    },
  },
  // Two suites of tests are the same if they let the same implementations through.
  probes: [],
  signature: async (context) => {
    const through = (await tried(context)).filter((t) => t.outcome.kind === 'returned').map((t) => t.implementation);
    return letThrough([
      ...(RIGHT.every((i) => through.includes(i)) ? [] : ['(not every right one)']),
      ...MUTANTS.filter((i) => through.includes(i)).map((i) => i.name),
    ]);
  },
  stages: [
    {
      title: 'What holds whatever the values are',
      why: 'Shape and dtype come first: a comparison broadcasts and promotes, so afterwards it is too late. A copy from before the call says whether x was written to.',
      code: `    def agree(values, dtype, dim=-1):
        x = torch.tensor(values, dtype=dtype, device="cuda")
        before = x.clone()
        y = log_softmax(x, dim)
        assert y.shape == x.shape, "shape"  # before any value: a comparison broadcasts
        assert y.dtype == x.dtype, "dtype"
        assert torch.equal(x, before), "x was written to"`,
    },
    {
      title: 'A tolerance with a reason',
      why: 'The other side is computed in float32 by something trusted. A right implementation rounds a few times at the size of its result and of numbers about 1, so that is what may be off. All differences have to be small: NaN then fails.',
      code: `        wanted = torch.log_softmax(before.float(), dim)
        off = (y.float() - wanted).abs()
        # A few roundings: relative to the result, and to numbers of size 1. Stated so that NaN fails.
        assert (off <= 4 * torch.finfo(dtype).eps * (1 + wanted.abs())).all(), "values"`,
    },
    {
      title: 'Inputs where formulas part',
      why: 'Each line is there for a formula that fails on it and on no other. More random inputs of ordinary size would have caught none of these.',
      code: `    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        agree([1.0, 2.0, 3.0], dtype)
        agree([5.0, 5.0, 5.0, 1.0], dtype)  # ties
        agree([100.0, 0.0, -100.0], dtype)  # exp overflows, probabilities underflow
        agree([-1000.0, -1001.0], dtype)  # every exp is 0
        agree([30000.0] + [0.0] * 7, dtype)  # far from its mean
        agree([[1.0, 0.0], [-500.0, -501.0]], dtype, dim=1)  # rows far apart
        agree([[1.0, 0.0, 2.0], [3.0, -1.0, 0.5]], dtype, dim=0)
    for dtype in (torch.bfloat16, torch.float32):
        agree([1e30, 0.0], dtype)  # beyond float16`,
    },
    {
      title: 'The gradient',
      why: 'Two implementations with equal values can have different graphs. The gradient of log softmax is g less the probabilities times the sum of g: known without autograd.',
      code: `    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, 0.0, 3.0]], device="cuda", requires_grad=True)
    g = torch.tensor([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0]], device="cuda")
    log_softmax(x, 1).backward(g)
    wanted = g - torch.softmax(x.detach(), 1) * g.sum(dim=1, keepdim=True)
    assert (x.grad - wanted).abs().max() < 1e-5, "gradient"`,
    },
  ],
  followUps: [
    {
      question: 'Why is torch.allclose with its defaults a poor test here?',
      answer:
        'Its rtol of 1e-5 and atol of 1e-8 are meant for float32: in float16 a right result differs by 5e-4. People then widen them until the test passes, and no longer know what it lets through. torch.testing.assert_close has defaults by dtype, and asks for shape and dtype as well.',
    },
    {
      question: 'How would you test the gradient of a custom autograd function?',
      answer:
        'torch.autograd.gradcheck compares it with finite differences, in float64: in half precision finite differences are noise. Then once more in the dtype of training, against the same formula in float32, at the same extreme inputs as the forward.',
    },
    {
      question: 'Your tests pass on your GPU. What may still go wrong on another?',
      answer:
        'Another library kernel, order of summation, reduced-precision accumulation or flushed subnormals. Tests that state how many roundings are legal still hold there; tests that store bits of one machine do not.',
    },
  ],
});
