import fc from 'fast-check';
import { compareTensor, expectTensor } from '../kit/compare';
import { type Call, defineExercise, type Finding, type Outcome } from '../kit/schema';
import {
  type Half,
  type Logits,
  largestFinite,
  smallestSubnormal,
  tensor,
  tensorNumbers,
  unitRoundoff,
} from '../kit/values';

/** Rows of logits, the dimension that sums to 1, and the dtype that they are rounded to. */
interface Case extends Logits {
  readonly dim: number;
}

const dtypes: readonly Half[] = ['float16', 'bfloat16'];

const softmaxCall = (c: Case): Call => ({
  function: 'softmax',
  arguments: [tensor(c.dtype, c.shape, c.values), { kind: 'number', type: 'int', value: c.dim }],
});

/** Visits each slice along `dim` as flat indices. */
function slices(shape: readonly number[], dim: number): number[][] {
  const d = dim < 0 ? dim + shape.length : dim;
  const n = shape[d] as number;
  const inner = shape.slice(d + 1).reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, d).reduce((a, b) => a * b, 1);
  const all: number[][] = [];
  for (let o = 0; o < outer; o++)
    for (let i = 0; i < inner; i++) all.push(Array.from({ length: n }, (_, k) => (o * n + k) * inner + i));
  return all;
}

/**
 * Exact probabilities in doubles, and how far a legal result may lie from them.
 *
 * With u the unit roundoff of the dtype, each step rounds once: x_i - m is off by at most u|x_i - m|, which exp turns into a factor
 * e^(u|x_i - m|); exp, sum and division add one u each, and one more each leaves room for a float32 exp or an extra cast. The sum inherits
 * the weighted mean of the terms' errors. Below the normal range each rounding is off by half the smallest subnormal instead.
 */
function legalSoftmax(c: Case): { exact: number[]; slack: number[] } {
  const x = tensorNumbers(tensor(c.dtype, c.shape, c.values)); // the rounded inputs, exactly
  const u = unitRoundoff(c.dtype);
  const exact: number[] = new Array(x.length);
  const slack: number[] = new Array(x.length);
  for (const indices of slices(c.shape, c.dim)) {
    const row = indices.map((i) => x[i] as number);
    const m = Math.max(...row);
    const e = row.map((v) => Math.exp(v - m));
    const s = e.reduce((a, b) => a + b, 0);
    const growth = e.reduce(
      (a, v, k) => a + (v / s) * Math.expm1(u * Math.min(Math.abs((row[k] as number) - m), 1e3)),
      0,
    );
    indices.forEach((i, k) => {
      const p = (e[k] as number) / s;
      const distance = Math.min(Math.abs((row[k] as number) - m), 1e3);
      exact[i] = p;
      slack[i] = p * Math.expm1(u * distance + Math.log1p(growth) + 6 * u) + 2 * smallestSubnormal(c.dtype);
    });
  }
  return { exact, slack };
}

const judgeSoftmax = (c: Case, outcome: Outcome): Finding | null => {
  const { exact, slack } = legalSoftmax(c);
  return compareTensor(softmaxCall(c), outcome, expectTensor(c.dtype, c.shape, exact, slack));
};

const shapeArb = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 8 })),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 })),
  fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })),
) as fc.Arbitrary<number[]>;

/** Logits drawn by `value(largest finite of the dtype)`, any shape and dim. */
const cases = (value: (largest: number) => fc.Arbitrary<number>): fc.Arbitrary<Case> =>
  fc.tuple(fc.constantFrom(...dtypes), shapeArb).chain(([dtype, shape]) =>
    fc.record({
      dtype: fc.constant(dtype),
      shape: fc.constant(shape),
      dim: fc.integer({ min: -shape.length, max: shape.length - 1 }),
      values: fc.array(value(largestFinite(dtype)), {
        minLength: shape.reduce((a, b) => a * b, 1),
        maxLength: shape.reduce((a, b) => a * b, 1),
      }),
    }),
  );

const oneRow = (dtype: Half, values: number[]): Case => ({ dtype, shape: [values.length], values, dim: -1 });

/** Logits and the gradients that arrive, of one shape. */
interface BackwardCase extends Case {
  readonly gradients: readonly number[];
}

/** output is softmax of the logits along dim, computed exactly and rounded; the formula is judged on the rounded inputs. */
function backwardInputs(c: BackwardCase): { g: ReturnType<typeof tensor>; y: ReturnType<typeof tensor> } {
  const y: number[] = new Array(c.values.length);
  for (const indices of slices(c.shape, c.dim)) {
    const row = indices.map((i) => c.values[i] as number);
    const m = Math.max(...row);
    const e = row.map((v) => Math.exp(v - m));
    const s = e.reduce((a, b) => a + b, 0);
    indices.forEach((i, k) => {
      y[i] = (e[k] as number) / s;
    });
  }
  return { g: tensor(c.dtype, c.shape, c.gradients), y: tensor(c.dtype, c.shape, y) };
}

const backwardCall = (c: BackwardCase): Call => {
  const { g, y } = backwardInputs(c);
  return { function: 'softmax_backward', arguments: [g, y, { kind: 'number', type: 'int', value: c.dim }] };
};

/**
 * y_i (g_i - s) with s = sum of g_j y_j along dim. Each product, the sum, the difference and the last product round once; an error in s
 * enters times y_i. Three roundings on every g_j y_j, two each on g_i and s, cover both orders of multiplying out.
 */
function judgeBackward(c: BackwardCase, outcome: Outcome): Finding | null {
  const { g, y } = backwardInputs(c);
  const gs = tensorNumbers(g);
  const ys = tensorNumbers(y);
  const u = unitRoundoff(c.dtype);
  const eta = smallestSubnormal(c.dtype);
  const exact: number[] = new Array(gs.length);
  const slack: number[] = new Array(gs.length);
  for (const indices of slices(c.shape, c.dim)) {
    const products = indices.map((i) => (gs[i] as number) * (ys[i] as number));
    const s = products.reduce((a, v) => a + v, 0);
    const size = products.reduce((a, v) => a + Math.abs(v), 0);
    for (const i of indices) {
      const gi = gs[i] as number;
      const yi = ys[i] as number;
      exact[i] = yi * (gi - s);
      slack[i] = yi * u * 1.1 * (3 * size + 2 * Math.abs(gi) + 2 * Math.abs(s)) + (indices.length + 3) * eta;
    }
  }
  return compareTensor(backwardCall(c), outcome, expectTensor(c.dtype, c.shape, exact, slack));
}

const oneRowBackward = (dtype: Half, logits: number[], gradients: number[]): BackwardCase => ({
  ...oneRow(dtype, logits),
  gradients,
});

/** Backpropagates `gradients` through the learner's softmax of `logits`, in float32. */
const autogradCall = (c: { readonly logits: readonly number[]; readonly gradients: readonly number[] }): Call => ({
  function: 'softmax',
  mode: 'backward',
  arguments: [
    tensor('float32', [c.logits.length], c.logits),
    { kind: 'number', type: 'int', value: -1 },
    tensor('float32', [c.gradients.length], c.gradients),
  ],
});

const rounding =
  'Every operation may round once to the dtype. Rounding x - max by u|x - max| moves the result by that factor, so far-away logits may be off by more ulps than near ones; computing in float32 and rounding at the end is legal too. Nothing wider is.';

export default defineExercise({
  title: 'A softmax that survives half precision',
  summary: 'Write softmax and its gradient so that they hold for every finite logit of float16 and bfloat16.',
  kind: 'implement',
  minutes: 15,
  level: 'interview',
  prerequisites: ['stable-softmax', 'range-versus-precision'],
  teaches: ['max subtraction', 'range of float16', 'softmax gradient'],
  version: 1,
  functions: ['softmax', 'softmax_backward'],
  tasks: [
    { id: 'forward', title: 'The forward' },
    { id: 'backward', title: 'The gradient' },
  ],
  hints: [
    'What is the largest x for which exp(x) is finite in float16? Try a few values in the cell above before you change anything.',
    'Softmax does not change when the same number is added to every logit of a row. Which number makes the largest exponential harmless?',
    'The shift belongs to each row along dim, not to the whole tensor: look at amax(dim=…, keepdim=True).',
    'For the gradient, write d output_i / d x_j for i = j and for i ≠ j. The two cases differ by one term, and that term sums to one number a row.',
  ],
  checks: [
    {
      id: 'ordinary',
      task: 'forward',
      title: 'Ordinary logits, any shape and dim',
      rule: rounding,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(() => fc.double({ min: -4, max: 4, noNaN: true })),
          examples: [
            oneRow('float16', [1, 2, 3]),
            { dtype: 'bfloat16', shape: [2, 3], values: [1, 2, 3, 3, 2, 1], dim: 0 },
          ],
          runs: 24,
          call: softmaxCall,
          judge: judgeSoftmax,
        }),
    },
    {
      id: 'extreme',
      task: 'forward',
      title: 'Logits anywhere in the range of the dtype',
      rule: rounding,
      run: ({ forAll }) =>
        forAll({
          inputs: cases((largest) =>
            fc.oneof(
              fc.double({ min: -40, max: 40, noNaN: true }),
              fc.double({ min: -largest, max: largest, noNaN: true }),
            ),
          ),
          examples: [
            oneRow('float16', [20, 19]),
            oneRow('bfloat16', [100, 99]),
            oneRow('float16', [30, 0, 0]),
            oneRow('float16', [65504, -65504]),
            oneRow('bfloat16', [largestFinite('bfloat16'), 0]),
          ],
          runs: 24,
          call: softmaxCall,
          judge: judgeSoftmax,
        }),
    },
    {
      id: 'equal',
      task: 'forward',
      title: 'Equal logits share the probability evenly',
      rule: rounding,
      run: ({ forAll }) =>
        forAll({
          inputs: fc
            .tuple(fc.constantFrom(...dtypes), fc.integer({ min: 1, max: 12 }))
            .chain(([dtype, n]) =>
              fc
                .double({ min: -largestFinite(dtype), max: largestFinite(dtype), noNaN: true })
                .map((v) => oneRow(dtype, new Array(n).fill(v))),
            ),
          examples: [oneRow('float16', [65504, 65504, 65504]), oneRow('bfloat16', [0, 0])],
          runs: 12,
          call: softmaxCall,
          judge: judgeSoftmax,
        }),
    },
    {
      id: 'very-negative',
      task: 'forward',
      title: 'Very negative logits do not turn into 0 / 0',
      rule: rounding,
      run: ({ forAll }) =>
        forAll({
          inputs: cases((largest) => fc.double({ min: -Math.min(largest, 1e6), max: -30, noNaN: true })),
          examples: [oneRow('float16', [-1000, -1001]), oneRow('bfloat16', [-120, -121, -119])],
          runs: 16,
          call: softmaxCall,
          judge: judgeSoftmax,
        }),
    },
    {
      id: 'rows-apart',
      task: 'forward',
      title: 'Each row stands alone, however far apart the rows lie',
      rule: rounding,
      run: ({ forAll }) =>
        forAll({
          inputs: fc
            .tuple(
              fc.constantFrom(...dtypes),
              fc.integer({ min: 1, max: 4 }),
              fc.double({ min: 200, max: 30000, noNaN: true }),
            )
            .chain(([dtype, n, gap]) =>
              fc
                .array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 2 * n, maxLength: 2 * n })
                .map((v): Case => ({ dtype, shape: [2, n], values: v.map((x, i) => (i < n ? x : x - gap)), dim: 1 })),
            ),
          examples: [{ dtype: 'float16', shape: [2, 2], values: [1, 0, -500, -501], dim: 1 }],
          runs: 12,
          call: softmaxCall,
          judge: judgeSoftmax,
        }),
    },
    {
      id: 'masked',
      task: 'forward',
      title: 'A masked position (-inf) gets probability 0 and harms nobody',
      rule: `${rounding} A row with at least one finite logit must have no NaN.`,
      run: ({ forAll }) =>
        forAll({
          inputs: fc
            .tuple(
              fc.constantFrom(...dtypes),
              fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 2, maxLength: 6 }),
              fc.nat(),
            )
            .map(([dtype, values, pick]) =>
              oneRow(
                dtype,
                values.map((v, i) => (i === pick % values.length ? Number.NEGATIVE_INFINITY : v)),
              ),
            ),
          examples: [oneRow('float16', [2, Number.NEGATIVE_INFINITY, 1])],
          runs: 8,
          call: softmaxCall,
          judge: judgeSoftmax,
        }),
    },
    {
      id: 'gradient-formula',
      task: 'backward',
      title: 'softmax_backward is y (g - sum of g y), the sum along dim',
      rule: 'Products, sum and difference may each round once to the dtype; either way of multiplying out is legal.',
      run: ({ forAll }) =>
        forAll({
          inputs: cases(() => fc.double({ min: -4, max: 4, noNaN: true })).chain((c) =>
            fc
              .array(fc.double({ min: -8, max: 8, noNaN: true }), {
                minLength: c.values.length,
                maxLength: c.values.length,
              })
              .map((gradients): BackwardCase => ({ ...c, gradients })),
          ),
          examples: [
            oneRowBackward('float16', [20, 19], [1, 0]),
            oneRowBackward('bfloat16', [0, 0, 0], [1, 1, 1]),
            // The sum belongs to each row, and to dim rather than to the last dimension.
            { dtype: 'float16', shape: [2, 2], dim: 1, values: [0, 0, 0, 0], gradients: [1, 0, 0, 0] },
            { dtype: 'float16', shape: [2, 2], dim: 0, values: [0, 0, 0, 0], gradients: [1, 0, 0, 0] },
          ],
          runs: 20,
          call: backwardCall,
          judge: judgeBackward,
        }),
    },
    {
      id: 'autograd',
      task: 'backward',
      title: 'Autograd through your softmax gives a finite, right gradient',
      rule: 'Compared in float32, where the steps of the graph may be off by 64 units of roundoff of the largest term: far below the difference that any wrong formula makes.',
      run: ({ forAll }) =>
        forAll({
          inputs: fc.integer({ min: 2, max: 5 }).chain((n) =>
            fc.record({
              logits: fc.array(fc.double({ min: -200, max: 200, noNaN: true }), { minLength: n, maxLength: n }),
              gradients: fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: n, maxLength: n }),
            }),
          ),
          examples: [{ logits: [200, 199, 0], gradients: [1, 0, 0] }],
          runs: 8,
          call: autogradCall,
          judge: (c, outcome) => {
            const n = c.logits.length;
            const x = tensorNumbers(tensor('float32', [n], c.logits));
            const g = tensorNumbers(tensor('float32', [n], c.gradients));
            const m = Math.max(...x);
            const e = x.map((v) => Math.exp(v - m));
            const s = e.reduce((a, b) => a + b, 0);
            const y = e.map((v) => v / s);
            const inner = g.reduce((a, v, k) => a + v * (y[k] as number), 0);
            const exact = g.map((v, k) => (y[k] as number) * (v - inner));
            // |x - m| reaches 400 here, and its rounding enters the exponent: 400 u is the leading term
            const slack = exact.map(
              (_, k) =>
                unitRoundoff('float32') * (64 + 2 * Math.abs((x[k] as number) - m)) * Math.max(...g.map(Math.abs)) +
                1e-37,
            );
            return compareTensor(autogradCall(c), outcome, expectTensor('float32', [n], exact, slack));
          },
        }),
    },
  ],
  forbidden: {
    ops: ['softmax', 'log_softmax', 'logsumexp'],
    message:
      'The library’s softmax, log_softmax and logsumexp are the right answer in a code review, but here the point is to write it: use exp, amax, sum and division.',
  },
  mistakes: {
    naive: {
      fails: 'extreme',
      message:
        'Your bits are those of softmax without a shift: exp of the logits themselves. exp passes 65504 just above x = 11.09, so float16 gives inf / inf. Scaling the loss later cannot repair a forward value that is already lost.',
    },
    nan_to_num: {
      fails: 'extreme',
      message:
        'Your bits are those of the unshifted softmax with its NaN replaced. The NaN was the symptom: with it gone, the row no longer sums to 1 and nobody will notice.',
    },
    clamp_logits: {
      fails: 'extreme',
      message:
        'Your bits are those of a softmax on clamped logits. Clamping makes the numbers finite by computing another function: two logits above the clamp become equal, and their gradient is 0.',
    },
    subtract_mean: {
      fails: 'extreme',
      message:
        'Your bits are those of subtracting the mean. It is a legal shift on paper, but a logit far above the mean still overflows: only the maximum guarantees that every exponent is at most 0.',
    },
    global_max: {
      fails: 'rows-apart',
      message:
        'Your bits are those of subtracting the maximum of the whole tensor. A row far below it underflows to 0 / 0: take the maximum along dim.',
    },
    sum_of_everything: {
      fails: 'ordinary',
      message:
        'Your bits are those of dividing by the sum of the whole tensor: it is right for one row, and wrong as soon as there are two. Sum along dim, with keepdim=True.',
    },
    float32_result: {
      fails: 'ordinary',
      message:
        'Your softmax computes in float32 and returns float32. Computing wide is fine; the contract is to give back x’s own dtype.',
    },
    in_place: {
      fails: 'inputs-kept',
      message: 'Your softmax writes into the logits that it was given (x -= …). The caller still needs them.',
    },
    library_call: { fails: 'own-work', message: 'Your softmax calls the library.' },
    detached: {
      fails: 'autograd',
      message:
        'Your softmax cuts x out of the graph (detach), so no gradient reaches it. Detaching the maximum alone would be harmless; detaching x is not.',
    },
    diagonal_only: {
      fails: 'gradient-formula',
      message:
        'Your gradient is g y (1 - y): only the diagonal of the Jacobian, which is the sigmoid’s derivative. Every output of a softmax depends on every logit of its row.',
    },
    no_inner_product: {
      fails: 'gradient-formula',
      message:
        'Your gradient is g y: the term that couples the row is missing. Raising one logit lowers all the other probabilities.',
    },
    inner_of_everything: {
      fails: 'gradient-formula',
      message:
        'Your gradient subtracts the sum of g y over the whole tensor: right for one row, wrong as soon as there are two. Rows do not see each other: sum along dim, with keepdim=True.',
    },
    inner_of_last_dim: {
      fails: 'gradient-formula',
      message:
        'Your gradient sums g y along the last dimension, whatever dim is. Only the outputs along dim share a denominator: sum along dim.',
    },
  },
  probes: [
    softmaxCall(oneRow('float16', [1, 2, 3])),
    softmaxCall({ dtype: 'bfloat16', shape: [2, 3], values: [1, 2.5, 3, 0.5, -2, 1], dim: 1 }),
    softmaxCall(oneRow('float16', [20, 19])),
    softmaxCall(oneRow('float16', [30, 0, 0])),
    softmaxCall(oneRow('bfloat16', [15, 5])),
    softmaxCall({ dtype: 'float16', shape: [2, 2], values: [1, 0, -500, -501], dim: 1 }),
    softmaxCall(oneRow('float16', [-1000, -1001])),
    backwardCall(oneRowBackward('float16', [1, 2, 3], [1, -2, 0.5])),
    backwardCall(oneRowBackward('bfloat16', [0.5, 0, -1], [3, 1, 2])),
    backwardCall({ dtype: 'float16', shape: [2, 2], dim: 0, values: [1, 2, -1, 0.5], gradients: [1, -2, 0.5, 4] }),
    autogradCall({ logits: [1, 2, 4], gradients: [1, -2, 0.5] }),
  ],
  stages: [
    {
      title: 'Make every exponent at most 0',
      why: 'Softmax does not change when a row is shifted by a constant. The maximum is the one shift after which no exponential can overflow, and it belongs to each row along dim, so keepdim.',
      code: `    shifted = x - x.amax(dim=dim, keepdim=True)  # the largest is now 0, so exp gives at most 1`,
    },
    {
      title: 'Divide by a sum that cannot be 0',
      why: 'One term of the sum is exp(0) = 1. Terms far below the maximum may underflow to 0, which is what their probability rounds to anyway: an underflow here is harmless, an overflow would not have been.',
      code: `    e = torch.exp(shifted)
    return e / e.sum(dim=dim, keepdim=True)  # the sum holds exp(0) = 1: never 0`,
    },
    {
      title: 'The gradient, from the output alone',
      why: 'd output_i / d x_j is output_i (1 - output_i) on the diagonal and -output_i output_j elsewhere. Summed against grad_output, the second part is one number for each row; what is left is elementwise, and no exponential is formed again.',
      code: `    inner = (grad_output * output).sum(dim=dim, keepdim=True)
    return output * (grad_output - inner)`,
    },
  ],
  followUps: [
    {
      question: 'Does autocast run softmax in float16?',
      answer:
        'On CUDA no: softmax and log_softmax are on the float32 list, so under autocast the library call computes and returns float32. On the CPU list they are absent and stay in the input’s dtype. Code that calls exp and sum by hand gets each op’s own policy, and code that called .half() itself gets none.',
    },
    {
      question: 'Is log(softmax(x)) as good as log_softmax(x)?',
      answer:
        'No. A probability below the smallest subnormal is 0 and its log is -inf, while log_softmax subtracts logsumexp and never forms the probability. Cross entropy on logits is the fused form of the same idea.',
    },
    {
      question: 'A whole row is masked with -inf. What should happen?',
      answer:
        'The maximum is -inf and -inf - (-inf) is NaN, in the library too. Either such rows must not exist, or the mask must be a large finite value of the dtype (finfo.min), or the row is zeroed afterwards by the same mask: a decision that the caller has to make.',
    },
  ],
});
